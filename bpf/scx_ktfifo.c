// SPDX-License-Identifier: GPL-2.0-or-later
/* Loads the fixture scheduler, and fails on demand in every way a loader can. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "fifo.h"
#include "loader.h"
#include "options.h"

enum {
	POLL_MS = 50,
	EXIT_EARLY = 3,
	EXIT_LATER = 4,
	EXIT_ASKED = 7,
	/* SCX_OPS_SWITCH_PARTIAL, 6.12: only tasks of the policy SCHED_EXT are its own. */
	SWITCH_PARTIAL = 1 << 3,
	/* enum scx_exit_kind, 6.12: unregistered by the process that attached it. */
	KIND_UNREGISTERED = 64,
};

extern const char fifo_object_start[], fifo_object_end[];

struct scheduler {
	struct bpf_object *object;
	struct bpf_map *ops;
	struct bpf_link *link;
	volatile struct fifo_state *state;
};

/* A member of sched_ext_ops as our object lays it out; the kernel's layout may differ. */
static void set_ops(const struct scheduler *scheduler, const char *name, const void *value,
		    size_t size)
{
	const struct btf *btf = bpf_object__btf(scheduler->object);
	__s32 id = btf__find_by_name_kind(btf, "sched_ext_ops", BTF_KIND_STRUCT);
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, id) : NULL;

	for (int i = 0; type && i < btf_vlen(type); i++) {
		size_t offset = btf_member_bit_offset(type, i) / 8;

		if (strcmp(btf__name_by_offset(btf, btf_members(type)[i].name_off), name) != 0)
			continue;
		memcpy((char *)loader_value(scheduler->ops, offset + size) + offset, value, size);
		return;
	}
	loader_fail(name, ENOENT);
}

static void load(struct scheduler *scheduler, const struct options *options)
{
	LIBBPF_OPTS(bpf_object_open_opts, open_options, .object_name = "ktfifo");
	const __u64 partial = SWITCH_PARTIAL;
	struct fifo_settings *settings;
	int error;

	scheduler->object = bpf_object__open_mem(
		fifo_object_start, fifo_object_end - fifo_object_start, &open_options);
	if (!scheduler->object)
		loader_fail("opening the scheduler", errno);
	scheduler->ops = loader_map(scheduler->object, "fifo_ops");
	settings = loader_value(loader_map(scheduler->object, ".rodata.settings"),
				sizeof(*settings));
	settings->slice_ns = options->slice_us * 1000ULL;
	settings->fault = options->fault;
	set_ops(scheduler, "timeout_ms", &options->timeout_ms, sizeof(options->timeout_ms));
	if (options->fault == FIFO_FAULT_PARTIAL)
		set_ops(scheduler, "flags", &partial, sizeof(partial));
	error = bpf_object__load(scheduler->object);
	if (error)
		loader_fail("loading the scheduler", -error);
	scheduler->state = loader_share(loader_map(scheduler->object, ".bss.state"),
					sizeof(struct fifo_state));
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
		loader_fail("attaching the scheduler", error);
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
	if (fault == FIFO_FAULT_RESTART) {
		bpf_link__destroy(scheduler->link);
		scheduler->state->exit_kind = 0;
		attach(scheduler);
	}
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
	loader_begin("scx_ktfifo", options.verbose);

	load(&scheduler, &options);
	if (options.fault == FIFO_FAULT_NO_ATTACH) {
		sigwaitinfo(&signals, NULL);
		bpf_object__close(scheduler.object);
		return EXIT_SUCCESS;
	}
	attach(&scheduler);
	wait_for_end(&scheduler, &options, &signals);
	if (options.fault == FIFO_FAULT_STOP_EXIT)
		return EXIT_ASKED;
	if (options.fault == FIFO_FAULT_STOP_CRASH)
		raise(SIGSEGV);
	bpf_link__destroy(scheduler.link);
	status = report(scheduler.state);
	bpf_object__close(scheduler.object);
	return status;
}
