// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include "unit.h"

enum { NO = false, YES = true };

/* What a run was, whether the append failed, and what must follow. */
static const struct row {
	size_t n_snapshots;
	bool any_read, interrupted, wants_sidecar, output_failed, sidecar_failed;
	bool all_failed;
	enum sidecar_plan plan;
	int recorded, code;
} rows[] = {
	/* Without a sidecar. */
	{ 1, YES, NO, NO, NO, NO, NO, SIDECAR_NOTHING, 0, 0 },
	{ 5, YES, NO, NO, NO, NO, NO, SIDECAR_NOTHING, 0, 0 },
	{ 1, NO, NO, NO, NO, NO, YES, SIDECAR_NOTHING, 1, 1 },
	{ 5, NO, NO, NO, NO, NO, YES, SIDECAR_NOTHING, 1, 1 },
	/* Interrupted: before the first snapshot, after a read, after failures only. */
	{ 0, NO, YES, NO, NO, NO, NO, SIDECAR_NOTHING, 0, 0 },
	{ 2, YES, YES, NO, NO, NO, NO, SIDECAR_NOTHING, 0, 0 },
	{ 2, NO, YES, NO, NO, NO, YES, SIDECAR_NOTHING, 1, 1 },
	/* With a sidecar. */
	{ 1, YES, NO, YES, NO, NO, NO, SIDECAR_APPEND, 0, 0 },
	{ 1, YES, NO, YES, NO, YES, NO, SIDECAR_APPEND, 0, 3 },
	{ 1, NO, NO, YES, NO, NO, YES, SIDECAR_APPEND, 1, 1 },
	{ 1, NO, NO, YES, NO, YES, YES, SIDECAR_APPEND, 1, 1 },
	/* Half a run is never recorded. */
	{ 0, NO, YES, YES, NO, YES, NO, SIDECAR_REFUSE, 0, 3 },
	{ 2, YES, YES, YES, NO, YES, NO, SIDECAR_REFUSE, 0, 3 },
	{ 2, NO, YES, YES, NO, YES, YES, SIDECAR_REFUSE, 1, 3 },
	/* A full disk. */
	{ 1, YES, NO, NO, YES, NO, NO, SIDECAR_NOTHING, 0, 1 },
	{ 1, YES, NO, YES, YES, NO, NO, SIDECAR_NOTHING, 0, 1 },
	{ 1, NO, NO, YES, YES, NO, YES, SIDECAR_APPEND, 1, 1 },
	{ 2, YES, YES, YES, YES, YES, NO, SIDECAR_REFUSE, 0, 1 },
};

static void the_truth_table_holds(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		const struct run_outcome outcome = {
			.n_snapshots = row->n_snapshots,
			.any_read = row->any_read,
			.interrupted = row->interrupted,
			.wants_sidecar = row->wants_sidecar,
			.output_failed = row->output_failed,
		};

		if (outcome_all_failed(&outcome) != row->all_failed ||
		    outcome_sidecar_plan(&outcome) != row->plan ||
		    outcome_recorded_code(&outcome) != row->recorded ||
		    outcome_exit_code(&outcome, row->sidecar_failed) != row->code)
			fail_msg("row %zu: all_failed %d, plan %d, recorded %d, code %d", i,
				 outcome_all_failed(&outcome), outcome_sidecar_plan(&outcome),
				 outcome_recorded_code(&outcome),
				 outcome_exit_code(&outcome, row->sidecar_failed));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_truth_table_holds) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
