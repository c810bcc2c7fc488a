// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads the fixture scheduler that keeps memory for each task. On SIGUSR1 it lists what that
 * memory holds: one line for each task, between "list" and "end".
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bpf/btf.h>

#include "loader.h"
#include "sdt.h"

enum {
	EXIT_USAGE = 2,
	POLL_MS = 50,
	/* enum scx_exit_kind, 6.12: whoever attached the scheduler took it away again. */
	KIND_UNREGISTERED = 64,
};

extern const char sdt_object_start[], sdt_object_end[];

struct scheduler {
	struct bpf_object *object;
	struct bpf_map *ops;
	struct bpf_link *link;
	const volatile struct ktsdt_state *state;
	const struct scx_allocator *allocator;
};

/* Where libbpf put a global in .bss. */
static size_t offset_of(const struct bpf_object *object, const char *name)
{
	const struct btf *btf = bpf_object__btf(object);
	__s32 id = btf__find_by_name_kind(btf, ".bss", BTF_KIND_DATASEC);
	const struct btf_type *section = id > 0 ? btf__type_by_id(btf, id) : NULL;

	for (int i = 0; section && i < btf_vlen(section); i++) {
		const struct btf_var_secinfo *at = btf_var_secinfos(section) + i;
		const struct btf_type *variable = btf__type_by_id(btf, at->type);

		if (strcmp(btf__name_by_offset(btf, variable->name_off), name) == 0)
			return at->offset;
	}
	loader_fail(name, ENOENT);
}

static void load(struct scheduler *scheduler)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "ktsdt");
	struct bpf_map *globals;
	size_t at, bytes = 0;
	int error;

	scheduler->object = bpf_object__open_mem(sdt_object_start,
						 sdt_object_end - sdt_object_start, &options);
	if (!scheduler->object)
		loader_fail("opening the scheduler", errno);
	scheduler->ops = loader_map(scheduler->object, "ktsdt_ops");
	error = bpf_object__load(scheduler->object);
	if (error)
		loader_fail("loading the scheduler", -error);
	scheduler->state = loader_share(loader_map(scheduler->object, ".bss.state"),
					sizeof(struct ktsdt_state));
	globals = loader_map(scheduler->object, ".bss");
	at = offset_of(scheduler->object, "scx_task_allocator");
	if (!bpf_map__initial_value(globals, &bytes) || at + sizeof(struct scx_allocator) > bytes)
		loader_fail("scx_task_allocator", EINVAL);
	scheduler->allocator = (void *)((char *)loader_share(globals, bytes) + at);
}

static int report(const volatile struct ktsdt_state *shared)
{
	const struct ktsdt_state *state = (const struct ktsdt_state *)shared;

	fprintf(stderr, "scx_ktsdt: exit kind %u, code %lld\n", state->exit_kind, state->exit_code);
	if (state->exit_reason[0])
		fprintf(stderr, "scx_ktsdt: reason: %s\n", state->exit_reason);
	if (state->exit_message[0])
		fprintf(stderr, "scx_ktsdt: message: %s\n", state->exit_message);
	fprintf(stderr, "scx_ktsdt: %llu allocations, %llu frees, %u failures\n",
		state->allocations, state->frees, state->failures);
	return state->exit_kind == KIND_UNREGISTERED ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* By the slots that are filled: the tree seen from its leaves, without a bit of an inner level. */
static void list_leaf(const struct sdt_desc *leaf)
{
	for (int i = 0; i < SDT_ENTRIES; i++) {
		const struct sdt_data *data = leaf->chunk->data[i];
		const struct ktsdt_task_ctx *ctx;

		if (!(leaf->allocated[i / 64] >> (i % 64) & 1) || !data)
			continue;
		ctx = (const void *)data->payload;
		printf("%d %d 0x%lx %d %d %llu %s\n", data->tid.idx, data->tid.genn,
		       (unsigned long)data, ctx->pid, ctx->tgid, ctx->cookie, ctx->tag);
	}
}

static void list(const struct scheduler *scheduler)
{
	const struct sdt_desc *top = scheduler->allocator->root;

	printf("list\n");
	for (int i = 0; i < SDT_ENTRIES; i++) {
		const struct sdt_desc *middle = top->chunk->descs[i];

		for (int k = 0; middle && k < SDT_ENTRIES; k++) {
			if (middle->chunk->descs[k])
				list_leaf(middle->chunk->descs[k]);
		}
	}
	printf("end %llu %llu\n", scheduler->state->allocations, scheduler->state->frees);
	fflush(stdout);
}

static void print_help(void)
{
	printf("Usage: scx_ktsdt [options]\n\n"
	       "Schedules all tasks first in, first out, with memory for each task in an arena,\n"
	       "until SIGINT or SIGTERM. SIGUSR1 lists what that memory holds.\n\n"
	       "  --verbose   all that libbpf has to say\n"
	       "  -h, --help  this text\n\n"
	       "Exit status: 0 ended by a signal, 1 ended by the kernel or not loaded, 2 usage.\n");
}

/* Ends the process when the command line asks for help or makes no sense. */
static bool parse_verbose(int argc, char **argv)
{
	static const struct option rows[] = {
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	bool is_verbose = false;
	int letter;

	while ((letter = getopt_long(argc, argv, "h", rows, NULL)) != -1) {
		if (letter == 'h') {
			print_help();
			exit(EXIT_SUCCESS);
		}
		if (letter != 'v')
			exit(EXIT_USAGE);
		is_verbose = true;
	}
	if (optind < argc) {
		fprintf(stderr, "scx_ktsdt: %s: no argument expected\n", argv[optind]);
		exit(EXIT_USAGE);
	}
	return is_verbose;
}

int main(int argc, char **argv)
{
	const struct timespec step = { .tv_nsec = POLL_MS * 1000000L };
	struct scheduler scheduler = { 0 };
	sigset_t signals;
	int status, signal = -1;

	loader_begin("scx_ktsdt", parse_verbose(argc, argv));
	/* A signal is never lost: it waits until we look. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	load(&scheduler);
	scheduler.link = bpf_map__attach_struct_ops(scheduler.ops);
	if (!scheduler.link) {
		int error = errno;

		if (scheduler.state->exit_kind)
			report(scheduler.state);
		loader_fail("attaching the scheduler", error);
	}
	printf("scx_ktsdt: attached\n");
	fflush(stdout);
	while (scheduler.state->exit_kind == 0 && signal != SIGINT && signal != SIGTERM) {
		signal = sigtimedwait(&signals, NULL, &step);
		if (signal == SIGUSR1)
			list(&scheduler);
	}
	bpf_link__destroy(scheduler.link);
	status = report(scheduler.state);
	bpf_object__close(scheduler.object);
	return status;
}
