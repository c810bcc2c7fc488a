/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One variant from its record to its outcome. Opened (requirements, record, files), given a
 * guest, run, judged, closed; each by one thread at a time.
 */
#ifndef KTSTR_HARNESS_JOB_H
#define KTSTR_HARNESS_JOB_H

#include "harness/files.h"
#include "harness/guest_run.h"
#include "harness/plan.h"
#include "host/host_facts.h"
#include "result/run_record.h"

/* The same for all jobs of a run. Borrowed. */
struct harness_job_setting {
	const struct harness_plan *plan;
	const char *dir; /* records and kept folders */
	enum vm_accel_wish accel;
	bool cold;
	bool keep;		 /* also what passed */
	uint32_t keep_guest_sec; /* of guests that failed; 0: not at all */
	/* Asked before a guest is kept: there may be enough of them. */
	bool (*may_keep_guest)(void *context);
	const struct host_facts *host;
	/* Of each test of the plan; the binary comes first. */
	const struct harness_test_files *(*files_of)(const void *context,
						     const struct exchange_declared_test *test);
	const void *files_context;
	/* Asks for patience: the first machine of a kind is booted. May be NULL. */
	void (*on_template)(void *context, size_t index);
	void (*on_stage)(void *context, size_t index, enum wire_stage stage);
	void *context;
};

struct harness_job {
	const struct harness_job_setting *setting;
	const struct harness_variant *variant;
	size_t index; /* in the plan */
	uint64_t began_ns;
	uint64_t prepared_ns; /* 0: it did not wait for its turn */
	const struct harness_test_files *files;
	char *kernel_args; /* "": none */

	struct result_record *record;
	struct result_outcome outcome;
	struct strbuf archive, console;
	struct vm *vm;
	bool files_in;	  /* the guest that was prepared has them */
	bool settled;	  /* no guest is needed: the outcome has its parts */
	bool keeps_guest; /* it stands still and is to be looked at */
};

/* Never fails: what goes wrong is a part of the outcome. */
void harness_job_open(struct harness_job *job, const struct harness_job_setting *setting,
		      size_t index);
/* Starts QEMU ahead of time, for harness_job_run(). Nothing for a job that is settled. */
void harness_job_prepare(struct harness_job *job, const struct cancel *cancel);
void harness_job_run(struct harness_job *job, const struct cancel *cancel);
void harness_job_deinit(struct harness_job *job);

/* CPU time of the guest is compared: nothing else should run beside it. */
bool harness_job_measures_time(const struct harness_job *job);
bool harness_variant_measures_time(const struct harness_variant *variant);

#endif
