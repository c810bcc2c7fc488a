// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include "cli/frame/command.h"

bool outcome_all_failed(const struct run_outcome *outcome)
{
	return outcome->n_snapshots > 0 && !outcome->any_read;
}

enum sidecar_plan outcome_sidecar_plan(const struct run_outcome *outcome)
{
	if (!outcome->wants_sidecar)
		return SIDECAR_NOTHING;
	if (outcome->interrupted)
		return SIDECAR_REFUSE;
	/* Nobody saw the numbers; a failed run is recorded nonetheless, for statistics. */
	if (outcome->output_failed && !outcome_all_failed(outcome))
		return SIDECAR_NOTHING;
	return SIDECAR_APPEND;
}

int outcome_recorded_code(const struct run_outcome *outcome)
{
	return outcome_all_failed(outcome) ? CLI_EXIT_FAILED : CLI_EXIT_OK;
}

int outcome_exit_code(const struct run_outcome *outcome, bool sidecar_failed)
{
	if (outcome->output_failed)
		return CLI_EXIT_FAILED;
	if (outcome_sidecar_plan(outcome) == SIDECAR_REFUSE)
		return EXIT_SIDECAR;
	if (outcome_all_failed(outcome))
		return CLI_EXIT_FAILED;
	return sidecar_failed ? EXIT_SIDECAR : CLI_EXIT_OK;
}
