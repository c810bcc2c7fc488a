/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The verdict: out of what a test said, how its guest ended, its checks and what it declared. */
#ifndef KTSTR_HARNESS_JUDGE_H
#define KTSTR_HARNESS_JUDGE_H

#include "exchange/declaration.h"
#include "harness/disturbance.h"
#include "harness/test_report.h"
#include "vm/link/exec.h"

/* How the run ended, as the runner saw it. */
enum run_end {
	RUN_COMPLETED,	  /* the test binary has ended: `exit` */
	RUN_TIMED_OUT,	  /* and the guest was alive */
	RUN_VM_ERROR,	  /* `error`: what starting or watching the guest came back with */
	RUN_INTERRUPTED,  /* by a person or a signal */
	RUN_REPORT_ERROR, /* `error`: of test_report_take() or test_report_finish() */
	RUN_FILES_ERROR,  /* `error`: a file was not found or could not be sent */
	RUN_HOST_ERROR,	  /* `error`: the host refused */
};

struct judge_input {
	const struct exchange_declared_test *test;
	const struct test_report *report; /* as far as it came; never NULL */
	enum run_end end;
	const struct error *error; /* NULL where the end has none */
	const struct vm_end *exit; /* of the test binary; NULL: it was not seen to end */
	const struct checks_disturbance *disturbance; /* NULL: unknown */
	uint64_t limit_ns;			      /* the time the test had; for its text */
	uint64_t quiet_ns; /* since the last line of the report, when the run ended */
};

/* Adds parts and notes to what `into` has, and settles it. */
void harness_judge(const struct judge_input *input, struct outcome *into);

#endif
