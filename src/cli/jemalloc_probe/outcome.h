/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which exit code a run gets: pure decisions over a few facts. */
#ifndef KTSTR_CLI_JEMALLOC_PROBE_OUTCOME_H
#define KTSTR_CLI_JEMALLOC_PROBE_OUTCOME_H

#include "base/macros.h"

enum {
	EXIT_SIDECAR = 3, /* beside the codes every command has */
};

struct outcome {
	size_t n_snapshots; /* that were not cut short */
	bool any_read;
	bool interrupted;
	bool wants_sidecar;
	bool output_failed;
};

enum sidecar_plan {
	SIDECAR_NOTHING,
	SIDECAR_APPEND,
	SIDECAR_REFUSE, /* half a run is not recorded */
};

/* A snapshot was begun and no thread could be read in any. */
bool outcome_all_failed(const struct outcome *outcome);
enum sidecar_plan outcome_sidecar_plan(const struct outcome *outcome);
/* The exit code a record keeps of this run. */
int outcome_recorded_code(const struct outcome *outcome);
int outcome_exit_code(const struct outcome *outcome, bool sidecar_failed);

#endif
