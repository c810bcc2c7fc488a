// SPDX-License-Identifier: GPL-2.0-or-later
/* Loads the fixture scheduler, and fails on demand in every way a loader can. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "fifo.h"
#include "options.h"

enum {
	POLL_MS = 50,
	EXIT_EARLY = 3,
	EXIT_LATER = 4,
	/* enum scx_exit_kind, 6.12: whoever attached the scheduler took it away again. */
	KIND_UNREGISTERED = 64,
};

extern const char fifo_object_start[], fifo_object_end[];

struct scheduler {
	struct bpf_object *object;
	struct bpf_map *ops;
	struct bpf_link *link;
	volatile struct fifo_state *state;
};

static bool is_verbose;

__attribute__((format(printf, 2, 0))) static int print_libbpf(enum libbpf_print_level level,
							      const char *format, va_list arguments)
{
	if (level == LIBBPF_DEBUG && !is_verbose)
		return 0;
	return vfprintf(stderr, format, arguments);
}

static void fail(const char *what, int error)
{
	fprintf(stderr, "scx_ktfifo: %s: %s\n", what, strerror(error));
	exit(EXIT_FAILURE);
}

static struct bpf_map *map_of(struct bpf_object *object, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);

	if (!map)
		fail(name, ENOENT);
	return map;
}

/* The initial value of a map, which must be as large as we take it to be. */
static void *value_of(struct bpf_map *map, size_t size)
{
	size_t have = 0;
	void *value = bpf_map__initial_value(map, &have);

	if (!value || have < size)
		fail(bpf_map__name(map), EINVAL);
	return value;
}

/* A member of sched_ext_ops as our object lays it out; the kernel's layout may differ. */
static void set_ops_u32(const struct scheduler *scheduler, const char *name, __u32 value)
{
	const struct btf *btf = bpf_object__btf(scheduler->object);
	__s32 id = btf__find_by_name_kind(btf, "sched_ext_ops", BTF_KIND_STRUCT);
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, id) : NULL;

	for (int i = 0; type && i < btf_vlen(type); i++) {
		size_t offset = btf_member_bit_offset(type, i) / 8;

		if (strcmp(btf__name_by_offset(btf, btf_members(type)[i].name_off), name) != 0)
			continue;
		memcpy((char *)value_of(scheduler->ops, offset + sizeof(value)) + offset, &value,
		       sizeof(value));
		return;
	}
	fail(name, ENOENT);
}

/*
 * Without a skeleton libbpf 1.4 leaves its own copy of a global where the map should be
 * seen; the map takes its place.
 */
static volatile struct fifo_state *map_state(struct bpf_map *map)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t size = (sizeof(struct fifo_state) + page - 1) / page * page;
	void *at = value_of(map, sizeof(struct fifo_state));

	at = mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, bpf_map__fd(map), 0);
	if (at == MAP_FAILED)
		fail("mapping the scheduler's state", errno);
	return at;
}

static void load(struct scheduler *scheduler, const struct options *options)
{
	LIBBPF_OPTS(bpf_object_open_opts, open_options, .object_name = "ktfifo");
	struct fifo_settings *settings;
	int error;

	scheduler->object = bpf_object__open_mem(
		fifo_object_start, fifo_object_end - fifo_object_start, &open_options);
	if (!scheduler->object)
		fail("opening the scheduler", errno);
	scheduler->ops = map_of(scheduler->object, "fifo_ops");
	settings = value_of(map_of(scheduler->object, ".rodata.settings"), sizeof(*settings));
	settings->slice_ns = options->slice_us * 1000ULL;
	settings->fault = options->fault;
	set_ops_u32(scheduler, "timeout_ms", options->timeout_ms);
	error = bpf_object__load(scheduler->object);
	if (error)
		fail("loading the scheduler", -error);
	scheduler->state = map_state(map_of(scheduler->object, ".bss.state"));
}

/* What the kernel said about the end; the exit status that follows from it. */
static int report(const volatile struct fifo_state *shared)
{
	const struct fifo_state *state = (const struct fifo_state *)shared;

	fprintf(stderr, "scx_ktfifo: exit kind %u, code %lld\n", state->exit_kind,
		state->exit_code);
	if (state->exit_reason[0])
		fprintf(stderr, "scx_ktfifo: reason: %s\n", state->exit_reason);
	if (state->exit_message[0])
		fprintf(stderr, "scx_ktfifo: message: %s\n", state->exit_message);
	if (state->kept)
		fprintf(stderr, "scx_ktfifo: kept %llu tasks\n", state->kept);
	if (state->exit_dump[0])
		fprintf(stderr, "-- BEGIN SCX DUMP --\n%s\n-- END SCX DUMP --\n", state->exit_dump);
	return state->exit_kind == KIND_UNREGISTERED ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void attach(struct scheduler *scheduler)
{
	scheduler->link = bpf_map__attach_struct_ops(scheduler->ops);
	if (!scheduler->link) {
		int error = errno;

		/* What went wrong after the first program ran, the kernel has told the scheduler.
		 */
		if (scheduler->state->exit_kind)
			report(scheduler->state);
		fail("attaching the scheduler", error);
	}
	printf("scx_ktfifo: attached\n");
	fflush(stdout);
}

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static void begin_fault(struct scheduler *scheduler, enum fifo_fault fault)
{
	if (fault == FIFO_FAULT_EXIT_LATER)
		_exit(EXIT_LATER);
	if (fault == FIFO_FAULT_CRASH)
		raise(SIGSEGV);
	scheduler->state->is_faulty = 1;
}

/* Until a signal asks for the end or the kernel has made one. */
static void wait_for_end(struct scheduler *scheduler, const struct options *options,
			 const sigset_t *signals)
{
	const struct timespec step = { .tv_nsec = POLL_MS * 1000000L };
	long long fault_ms = now_ms() + options->after_ms;
	bool is_faulty = options->fault == FIFO_FAULT_NONE;

	while (scheduler->state->exit_kind == 0 && sigtimedwait(signals, NULL, &step) < 0) {
		if (!is_faulty && now_ms() >= fault_ms) {
			begin_fault(scheduler, options->fault);
			is_faulty = true;
		}
	}
}

int main(int argc, char **argv)
{
	struct scheduler scheduler = { 0 };
	struct options options;
	sigset_t signals;
	int status;

	options_parse(argc, argv, &options);
	if (options.fault == FIFO_FAULT_EXIT)
		return EXIT_EARLY;
	/* A signal is never lost: it waits until we look. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	is_verbose = options.verbose;
	libbpf_set_print(print_libbpf);

	load(&scheduler, &options);
	if (options.fault == FIFO_FAULT_NO_ATTACH) {
		sigwaitinfo(&signals, NULL);
		bpf_object__close(scheduler.object);
		return EXIT_SUCCESS;
	}
	attach(&scheduler);
	wait_for_end(&scheduler, &options, &signals);
	bpf_link__destroy(scheduler.link);
	status = report(scheduler.state);
	bpf_object__close(scheduler.object);
	return status;
}
