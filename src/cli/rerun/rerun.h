/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of `ktstr rerun` share. */
#ifndef KTSTR_CLI_RERUN_RERUN_H
#define KTSTR_CLI_RERUN_RERUN_H

#include "base/strbuf.h"
#include "cli/test/test.h"
#include "harness/session.h"
#include "kernel/cache.h"
#include "result/frames.h"
#include "result/run_record.h"

/* From a record to what `ktstr test` would have gathered for this one variant. */

struct rerun_config {
	struct test_config test; /* first: TEST_OPTIONS_OF_RUNS */
	const char *record;
	bool exact;
};

/*
 * A record is foreign. Refuses one that cannot name a variant: no binary, a path that is not
 * absolute, no kernel, a suite that is not how its binary is called. BASE_PARSE.
 */
struct error *rerun_check_record(const struct result_run *past) MUST_CHECK;

/*
 * The kernel of the record: by id and build-id, else by build-id, else the one of that id, which
 * has changed. None is KERNEL_NOT_CACHED, and the message says how to get it. Taken out of
 * the list.
 */
struct error *rerun_take_kernel(const struct result_run *past, struct kernel_list *list,
				struct kernel **ret) MUST_CHECK;

/* Leaves the suite with this test alone. HARNESS_PATTERN when it has none of that name. */
struct error *rerun_keep_test(struct exchange_declared_suite *suite, const char *name) MUST_CHECK;

/*
 * The clock, speed and seed of the record; records of older versions had real clocks. A virtual one
 * without a seed, or of a speed that no machine of that topology can have, is BASE_PARSE.
 */
struct error *rerun_read_clock(const struct result_run *past,
			       struct harness_plan_clock *ret) MUST_CHECK;

/*
 * Also says on standard error what changed; *ret_changed: something that makes it another run.
 * Borrows from `past`.
 */
struct error *rerun_gather(const struct rerun_config *config, const struct result_run *past,
			   const struct cancel *cancel, bool *ret_changed,
			   struct harness_session *ret) MUST_CHECK;

/* What is not as it was when a record was written. */

/* More than any honest record has; the rest is counted. */
enum { CHANGES_SHOWN_LIMIT = 64 };

struct changes {
	/* A line each: "changed: scx_x: hash 00 is now 11". The texts in them are foreign. */
	VEC(char *) lines;
	/* Of them, those that make it another run; the rest is only worth knowing. */
	size_t n_counted;
	bool other_variant;
};

void changes_deinit(struct changes *changes);
#define _cleanup_changes_ __attribute__((cleanup(changes_deinit)))

/* What a guest runs on beside its kernel; NULL: not known. */
struct changes_tools {
	const char *qemu_version, *ktstr_hash, *tools_hash;
};

/*
 * `now` is what would be run, `files` what it would be run with, the binary first. Tools count for
 * a virtual clock only: with a real one no run is like another anyway.
 */
void changes_find(const struct result_run *past, const struct harness_variant *now,
		  const struct harness_test_files *files, const struct changes_tools *tools,
		  struct changes *ret);
/* The lines, and whether it is the same variant. Safe for a terminal. */
void changes_format(const struct changes *changes, const struct result_run *past,
		    const struct harness_variant *now, struct strbuf *into);

/* Whether a run in virtual time was the same as the recorded one. */

enum identity {
	IDENTITY_SAME, /* digest, verdict and reason */
	IDENTITY_DIFFERENT,
	IDENTITY_UNKNOWN, /* one of them has no digest */
};

/*
 * The paths are those of the records: frames are beside them. Says it in `into`, whole lines, safe
 * for a terminal.
 */
enum identity identity_compare(const char *past_path, const struct result_run *past,
			       const char *now_path, const struct result_run *now,
			       struct strbuf *into);

#endif
