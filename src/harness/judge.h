/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The verdict: out of what a test said, how its guest ended, its checks and what it declared. */
#ifndef KTSTR_HARNESS_JUDGE_H
#define KTSTR_HARNESS_JUDGE_H

#include "checks/check.h"
#include "exchange/declaration.h"
#include "harness/test_report.h"
#include "procfs/task.h"
#include "vm/link/exec.h"
#include "vm/link/settle.h"
#include "vm/model.h"

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

/*
 * How much the host got in the guest's way: time that QEMU's threads wanted to run and were not
 * let. Measured from outside, so a guest cannot talk itself out of a failed check.
 *
 *	harness_disturbance_begin("/proc", qemu_pid, &watch);      when the work begins
 *	harness_disturbance_sample(&watch);                        now and then
 *	harness_disturbance_end(&watch, is_tcg, vcpus, &found);    when it is over
 */

struct harness_watched_thread {
	pid_t tid;
	uint64_t first_ns, last_ns;
};

struct harness_disturbance_watch {
	pid_t pid;
	struct procfs_task_dir task;
	uint64_t begun_ns;
	uint64_t longest_ns;
	VEC(struct harness_watched_thread) threads; /* by tid */
	char why[CHECKS_LIMIT_WHY_BYTES]; /* something could not be read; then all is unknown */
};

/* What cannot be read makes the answer unknown; nothing here is an error of a run. */
void harness_disturbance_begin(const char *proc_root, pid_t pid,
			       struct harness_disturbance_watch *ret);
/*
 * A single wait is known only to be no longer than all waits between two samples: the more
 * samples, the smaller the bound.
 */
void harness_disturbance_sample(struct harness_disturbance_watch *watch);
/* Ends the watch and frees it. */
void harness_disturbance_end(struct harness_disturbance_watch *watch, bool tcg, unsigned int vcpus,
			     struct checks_disturbance *ret);
/* Frees a watch without a result; fine after the end, and for an empty one. */
void harness_disturbance_watch_deinit(struct harness_disturbance_watch *watch);

/*
 * One test in one guest that answers: its files go in, it runs, its report comes out. What
 * that means for the verdict is decided elsewhere.
 */

/* What a stream of the test binary may leave in our memory; the first and the last of it. */
enum { HARNESS_GUEST_RUN_STREAM_BYTES = 1 << 20 };

struct harness_guest_stream {
	struct strbuf text;
	uint64_t dropped_bytes;
};

struct harness_guest_run {
	/* What to do. Borrowed. */
	const struct exchange_declared_test *test;
	const struct topo *topology;
	const char *program;	      /* its name in WIRE_TEST_DIR */
	const struct strbuf *archive; /* NULL: the files are in */
	/*
	 * How the guest's CPUs became idle. While that is not known, it is waited for before the
	 * test is run.
	 */
	struct vm_settled settled;
	/* The test entered a stage; may be NULL. */
	void (*on_stage)(void *context, enum wire_stage stage);
	void *context;

	/* What came of it. */
	enum harness_run_end how;
	struct error *error; /* of the guest, of the report, of the files; NULL */
	struct harness_test_report report;
	struct harness_guest_stream streams[2]; /* VM_STDOUT, VM_STDERR */
	struct strbuf pages; /* that a virtual guest had written, see vm_pages_format() */
	bool has_exit;
	struct vm_end exit; /* of the test binary */
	uint64_t limit_ns;  /* virtual clock: of the guest's time */
	uint64_t wall_ns;
	uint64_t quiet_ns; /* since the last piece of the report, by the guest's clock */
	double slowness;
	struct checks_clock clock;
	bool has_model; /* of a virtual clock; false: the machine was not measured */
	struct vm_model model;
	struct checks_disturbance disturbance;	 /* not measured with a virtual clock */
	struct harness_disturbance_watch watch_; /* while the stage `work` lasts */
	bool watching_;
	uint64_t heard_ns_;
};

/*
 * What can be done before the test begins: its files go in, and its binary is run once to say what
 * it holds, so that an emulated guest has translated most of what the test needs.
 */
struct error *harness_guest_run_warm_up(struct vm *vm, const char *program,
					const struct strbuf *archive,
					const struct cancel *cancel) MUST_CHECK;
/* What is known of the guest's clock: for the checks, and for the record. */
void harness_guest_run_take_clock(struct harness_guest_run *run, const struct vm_facts *facts);
/* Never fails: how it ended is in the struct. */
void harness_guest_run(struct harness_guest_run *run, struct vm *vm, const struct cancel *cancel);
void harness_guest_run_deinit(struct harness_guest_run *run);
#define _cleanup_harness_guest_run_ __attribute__((cleanup(harness_guest_run_deinit)))

/* Adds parts and notes of the run to what `into` has, and settles it. */
void harness_judge(const struct harness_guest_run *run, struct result_outcome *into);

/* The checks of a declaration on what its test reported. */

/* Adds parts and notes; see checks_evaluate(). */
void harness_check(const struct exchange_declared_test *test,
		   const struct harness_test_report *report,
		   const struct checks_disturbance *disturbance, const struct checks_clock *clock,
		   struct result_outcome *into);

/* Tests that must fail: a declared failure that happened is a pass, anything else is not. */

/*
 * Of a settled outcome. Only a failure or a pass is looked at: what could not be tested stays so.
 * The outcome is settled again.
 */
void harness_expect_apply(enum ktstr_reason expected, struct result_outcome *outcome);

#endif
