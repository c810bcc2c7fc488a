/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One test in one guest that answers: its files go in, it runs, its report comes out. What
 * that means for the verdict is decided elsewhere.
 */
#ifndef KTSTR_HARNESS_GUEST_RUN_H
#define KTSTR_HARNESS_GUEST_RUN_H

#include "exchange/declaration.h"
#include "harness/disturbance.h"
#include "harness/judge.h"
#include "vm/link/exec.h"

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
	const char *program;	      /* its name in WIRE_TEST_FOLDER */
	const struct strbuf *archive; /* NULL: the files are in */
	/* The test entered a stage; may be NULL. */
	void (*on_stage)(void *context, enum wire_stage stage);
	void *context;

	/* What came of it. */
	enum harness_run_end how;
	struct error *error; /* of the guest, of the report, of the files; NULL */
	struct harness_test_report report;
	struct harness_guest_stream streams[2]; /* VM_STDOUT, VM_STDERR */
	bool has_exit;
	struct vm_end exit; /* of the test binary */
	uint64_t limit_ns, wall_ns;
	uint64_t quiet_ns; /* since the last piece of the report */
	double slowness;
	struct checks_disturbance disturbance;
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
/* Never fails: how it ended is in the struct. */
void harness_guest_run(struct harness_guest_run *run, struct vm *vm, const struct cancel *cancel);
void harness_guest_run_deinit(struct harness_guest_run *run);
#define _cleanup_harness_guest_run_ __attribute__((cleanup(harness_guest_run_deinit)))

#endif
