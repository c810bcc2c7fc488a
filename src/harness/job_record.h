/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a job puts on paper: its outcome's head, its record, the names of what is kept. */
#ifndef KTSTR_HARNESS_JOB_RECORD_H
#define KTSTR_HARNESS_JOB_RECORD_H

#include "harness/job.h"
#include "harness/kept.h"

/* What is known of the outcome before anything ran. */
void harness_job_describe(const struct harness_job *job, struct result_outcome *ret);
struct error *harness_job_record_begin(struct harness_job *job) MUST_CHECK;
/* The record's path in the outcome, and the line that does it again; a shell can read it. */
void harness_job_describe_record(struct harness_job *job);
/* run and facts are NULL when there was no guest. */
struct error *harness_job_record_finish(struct harness_job *job,
					const struct harness_guest_run *run,
					const struct vm_facts *facts,
					const struct harness_kept_files *kept,
					const struct cancel *cancel) MUST_CHECK;
/* The record's path without what its name ends with. The caller owns it. */
char *harness_job_kept_dir(const struct harness_job *job) MUST_CHECK;

#endif
