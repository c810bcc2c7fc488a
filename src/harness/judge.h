/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The verdict: out of what a test said, how its guest ended, its checks and what it declared. */
#ifndef KTSTR_HARNESS_JUDGE_H
#define KTSTR_HARNESS_JUDGE_H

#include "exchange/declaration.h"
#include "harness/disturbance.h"
#include "harness/test_report.h"
#include "vm/link/exec.h"

/* How the run ended, as the runner saw it. */
enum harness_run_end {
	HARNESS_RUN_COMPLETED,	  /* the test binary has ended: `exit` */
	HARNESS_RUN_TIMED_OUT,	  /* and the guest was alive */
	HARNESS_RUN_VM_ERROR,	  /* `error`: what starting or watching the guest came back with */
	HARNESS_RUN_INTERRUPTED,  /* by a person or a signal */
	HARNESS_RUN_REPORT_ERROR, /* `error`: of harness_test_report_take() or
				     harness_test_report_finish() */
	HARNESS_RUN_FILES_ERROR,  /* `error`: a file was not found or could not be sent */
	HARNESS_RUN_HOST_ERROR,	  /* `error`: the host refused */
};

struct harness_judge_input {
	const struct exchange_declared_test *test;
	const struct harness_test_report *report; /* as far as it came; never NULL */
	enum harness_run_end end;
	const struct error *error; /* NULL where the end has none */
	const struct vm_end *exit; /* of the test binary; NULL: it was not seen to end */
	const struct checks_disturbance *disturbance; /* NULL: unknown */
	uint64_t limit_ns;			      /* the time the test had; for its text */
	uint64_t quiet_ns; /* since the last line of the report, when the run ended */
};

/* Adds parts and notes to what `into` has, and settles it. */
void harness_judge(const struct harness_judge_input *input, struct result_outcome *into);

#endif
