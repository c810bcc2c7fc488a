/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was measured, as members of a record. */
#ifndef KTSTR_HARNESS_JOB_FACTS_H
#define KTSTR_HARNESS_JOB_FACTS_H

#include "harness/guest_run.h"
#include "json/rows.h"

struct harness_job;

struct harness_job_facts {
	const struct harness_job *job;
	const struct harness_guest_run *run;
};

extern const struct json_rows job_stats_rows, harness_job_facts_rows;

/* Both are callbacks of a record; the context is a struct harness_job_facts. */
void harness_job_facts_write_stats(void *context, struct json_writer *w);
void harness_job_facts_write(void *context, struct json_writer *w);

#endif
