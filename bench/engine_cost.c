// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Usage: engine_cost PID SNAPSHOTS if-needed|never|always
 *
 * The engine alone, without a program's start and without printing: how long
 * attaching and each snapshot take, as one JSON object on stdout.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "probe/probe.h"

struct costs {
	uint64_t attach_ns;
	uint64_t *snapshot_ns;
	size_t n_snapshots;
	size_t n_threads;
	size_t n_errors;
};

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
	uint64_t before = clock_monotonic_ns();
	struct error *err = probe_attach(pid, options, &probe);

	if (err)
		return err;
	costs->attach_ns = clock_monotonic_ns() - before;
	for (size_t i = 0; i < costs->n_snapshots; i++) {
		struct probe_snapshot snapshot;

		before = clock_monotonic_ns();
		err = probe_take_snapshot(probe, &snapshot);
		costs->snapshot_ns[i] = clock_monotonic_ns() - before;
		if (err)
			return err;
		costs->n_threads = snapshot.n_threads;
		for (size_t j = 0; j < snapshot.n_threads; j++)
			costs->n_errors += snapshot.threads[j].error != NULL;
		probe_snapshot_deinit(&snapshot);
	}
	printf("{\"evidence\":\"%s\",\"stopped_threads\":%" PRIu64 ",\"stopped_ns_total\":%" PRIu64
	       ",",
	       probe_evidence_word(probe_evidence(probe)), probe_stopped_threads(probe),
	       probe_stopped_ns(probe));
	return NULL;
}

static void print_costs(const struct costs *costs)
{
	printf("\"attach_ns\":%" PRIu64 ",\"threads\":%zu,\"errors\":%zu,\"snapshot_ns\":[",
	       costs->attach_ns, costs->n_threads, costs->n_errors);
	for (size_t i = 0; i < costs->n_snapshots; i++)
		printf("%s%" PRIu64, i ? "," : "", costs->snapshot_ns[i]);
	printf("]}\n");
}

int main(int argc, char *argv[])
{
	struct probe_options options = { .stop = PROBE_STOP_IF_NEEDED };
	struct costs costs = { 0 };
	_cleanup_error_ struct error *err = NULL;
	_cleanup_free_ uint64_t *snapshot_ns = NULL;

	if (argc != 4 || !parse_policy(argv[3], &options.stop)) {
		fprintf(stderr, "usage: engine_cost PID SNAPSHOTS if-needed|never|always\n");
		return 2;
	}
	costs.n_snapshots = strtoul(argv[2], NULL, 10);
	snapshot_ns = xcalloc(costs.n_snapshots, sizeof(*snapshot_ns));
	costs.snapshot_ns = snapshot_ns;
	err = measure((pid_t)strtol(argv[1], NULL, 10), &options, &costs);
	if (err) {
		fprintf(stderr, "engine_cost: [%s] %s\n", error_tag(err), error_message(err));
		return 1;
	}
	print_costs(&costs);
	return 0;
}
