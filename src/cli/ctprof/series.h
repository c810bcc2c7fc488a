/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taking one snapshot, or several at even distances, into one file. */
#ifndef KTSTR_CLI_CTPROF_SERIES_H
#define KTSTR_CLI_CTPROF_SERIES_H

#include "cli/ctprof/cost.h"
#include "cli/ctprof/screen.h"
#include "ctprof/capture.h"
#include "ctprof/file.h"

typedef struct error *(*series_take_fn)(const struct capture_options *options,
					struct snapshot *ret);
/* Told of every snapshot that is written and synced, and what it alone cost. */
typedef void (*series_each_fn)(void *arg, const struct snapshot *snapshot, const struct cost *cost);

struct series {
	/* Given. */
	const struct capture_options *options;
	uint64_t interval_ns; /* any when count is 1 */
	uint64_t count;
	struct screen *screen;
	struct snapshot_output *output;
	series_take_fn take; /* capture_take(), except in tests */
	series_each_fn each;
	void *arg;
	/* What came of it, also when it was ended early. */
	struct cost cost;
	uint64_t missed; /* moments at which the last snapshot was not yet done */
};

/* BASE_CANCELLED when a signal ended it: what was written until then is whole. */
struct error *series_run(struct series *series) MUST_CHECK;

#endif
