/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a plan: so many guests at once, and so many QEMUs started ahead for those that come
 * next. All callbacks come from the thread that called harness_runner_run().
 */
#ifndef KTSTR_HARNESS_RUNNER_H
#define KTSTR_HARNESS_RUNNER_H

#include "harness/job.h"

struct harness_runner_events {
	void (*started)(void *context, size_t index, const struct harness_variant *variant);
	/* "scheduler", or what else keeps us waiting. */
	void (*progress)(void *context, size_t index, const char *what);
	void (*finished)(void *context, size_t index, const struct result_outcome *outcome);
	void (*tick)(void *context); /* some ten times a second */
	void *context;
};

/*
 * Every variant that was begun has its outcome and its record when this returns, and no guest is
 * kept any more: their time is over, somebody ended them, or `cancel` was requested.
 */
struct error *harness_runner_run(const struct harness_plan *plan,
				 const struct harness_runner_options *options,
				 const struct harness_runner_events *events,
				 const struct cancel *cancel) MUST_CHECK;

#endif
