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

/* More guests than that are not kept at once: each has its memory. */
enum { HARNESS_LIMIT_RUNNER_KEPT = 4 };

struct harness_runner_options {
	const char *dir;
	enum vm_accel_wish accel;
	bool cold, keep;
	uint32_t keep_guest_sec; /* guests that hung or panicked, HARNESS_LIMIT_RUNNER_KEPT at a
				    time */
	/* As in struct harness_job_setting. */
	const struct harness_test_files *(*files_of)(const void *context,
						     const struct exchange_declared_test *test);
	const void *files_context;
	unsigned int jobs;  /* guests at once; at least 1 */
	unsigned int ahead; /* guests that are prepared meanwhile; 0: none */
	bool alone;	    /* a test that compares times has no other guest beside it */
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
