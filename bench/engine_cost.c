// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Usage: engine_cost PID SNAPSHOTS if-needed|never|always
 *
 * The engine alone, without a program's start and without printing: how long
 * attaching and each snapshot take, as one JSON object on stdout. CPU time stands
 * beside the time on the wall: others on the machine lengthen only the latter.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "probe/probe.h"

struct cost {
	uint64_t wall_ns;
	uint64_t cpu_ns;
};

struct costs {
	struct cost attach;
	struct cost *snapshots;
	size_t n_snapshots;
	size_t n_threads;
	size_t n_errors;
};

static struct cost now(void)
{
	struct timespec cpu;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	return (struct cost){ clock_monotonic_ns(),
			      (uint64_t)cpu.tv_sec * NS_PER_SEC + (uint64_t)cpu.tv_nsec };
}

static struct cost since(struct cost before)
{
	struct cost after = now();

	return (struct cost){ after.wall_ns - before.wall_ns, after.cpu_ns - before.cpu_ns };
}

static bool parse_policy(const char *word, enum probe_stop_policy *ret)
{
	static const char *const words[] = {
		[PROBE_STOP_IF_NEEDED] = "if-needed",
		[PROBE_STOP_NEVER] = "never",
		[PROBE_STOP_ALWAYS] = "always",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(words[i], word) == 0) {
			*ret = (enum probe_stop_policy)i;
			return true;
		}
	}
	return false;
}

static struct error *measure(pid_t pid, const struct probe_options *options, struct costs *costs)
{
	_cleanup_(cleanup_probe) struct probe *probe = NULL;
	struct cost before = now();
	struct error *err = probe_attach(pid, options, &probe);

	if (err)
		return err;
	costs->attach = since(before);
	for (size_t i = 0; i < costs->n_snapshots; i++) {
		struct probe_snapshot snapshot;

		before = now();
		err = probe_take_snapshot(probe, &snapshot);
		costs->snapshots[i] = since(before);
		if (err)
			return err;
		costs->n_threads = snapshot.n_threads;
		for (size_t j = 0; j < snapshot.n_threads; j++)
			costs->n_errors += snapshot.threads[j].error != NULL;
		probe_snapshot_deinit(&snapshot);
	}
	printf("{\"evidence\":\"%s\",\"stopped_threads\":%" PRIu64 ",\"stopped_ns_total\":%" PRIu64
	       ",",
	       probe_evidence_name(probe_facts(probe).evidence), probe_facts(probe).stopped_threads,
	       probe_facts(probe).stopped_ns);
	return NULL;
}

static void print_costs(const struct costs *costs)
{
	printf("\"attach\":[%" PRIu64 ",%" PRIu64
	       "],\"threads\":%zu,\"errors\":%zu,\"snapshots\":[",
	       costs->attach.wall_ns, costs->attach.cpu_ns, costs->n_threads, costs->n_errors);
	for (size_t i = 0; i < costs->n_snapshots; i++)
		printf("%s[%" PRIu64 ",%" PRIu64 "]", i ? "," : "", costs->snapshots[i].wall_ns,
		       costs->snapshots[i].cpu_ns);
	printf("]}\n");
}

/* As the command does: the library keeps a descriptor per thread, if it may. */
static void allow_many_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char *argv[])
{
	struct probe_options options = { .stop = PROBE_STOP_IF_NEEDED };
	struct costs costs = { 0 };
	_cleanup_error_ struct error *err = NULL;
	_cleanup_free_ struct cost *snapshots = NULL;

	if (argc != 4 || !parse_policy(argv[3], &options.stop)) {
		fprintf(stderr, "usage: engine_cost PID SNAPSHOTS if-needed|never|always\n");
		return 2;
	}
	allow_many_files();
	costs.n_snapshots = strtoul(argv[2], NULL, 10);
	snapshots = xcalloc(costs.n_snapshots, sizeof(*snapshots));
	costs.snapshots = snapshots;
	err = measure((pid_t)strtol(argv[1], NULL, 10), &options, &costs);
	if (err) {
		fprintf(stderr, "engine_cost: [%s] %s\n", error_tag(err), error_message(err));
		return 1;
	}
	print_costs(&costs);
	return 0;
}
