/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is not as it was when a record was written. */
#ifndef KTSTR_CLI_RERUN_CHANGES_H
#define KTSTR_CLI_RERUN_CHANGES_H

#include "base/strbuf.h"
#include "harness/session.h"
#include "result/run_record.h"

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

/* `now` is what would be run, `files` what it would be run with, the binary first. */
void changes_find(const struct result_run *past, const struct harness_variant *now,
		  const struct harness_test_files *files, struct changes *ret);
/* The lines, and whether it is the same variant. Safe for a terminal. */
void changes_format(const struct changes *changes, const struct result_run *past,
		    const struct harness_variant *now, struct strbuf *into);

#endif
