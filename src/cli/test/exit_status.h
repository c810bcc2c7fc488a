/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a run is told to programs. */
#ifndef KTSTR_CLI_TEST_EXIT_STATUS_H
#define KTSTR_CLI_TEST_EXIT_STATUS_H

#include "cli/test/config.h"
#include "result/outcome.h"

struct test_counts {
	size_t by_verdict[RESULT_N_VERDICTS];
	bool interrupted;
};

/*
 * What failed counts before what could not be decided. A run in which nothing passed and nothing
 * failed shows nothing: for git bisect it could not be tested, also when all was skipped.
 */
int test_exit_status(const struct test_counts *counts, bool bisect);

/* Nothing could be run. To git bisect TEST_USAGE would mean that the commit is bad. */
int test_exit_unready(bool bisect);
/* What was run gives `status`, but not all of it could be told. */
int test_exit_untold(int status, bool bisect);

#endif
