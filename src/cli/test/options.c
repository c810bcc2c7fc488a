// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/test/test.h"

const struct cli_word_row test_formats[REPORT_N_FORMATS] = {
#define REPORT_FORMAT(id, word, help) { word, NULL, help },
#include "report/report_formats.def"
#undef REPORT_FORMAT
};

struct error *test_config_check(void *config_)
{
	const struct test_config *config = config_;

	if (config->verbose && config->quiet)
		return cli_error(CLI_USAGE, 0, "--verbose and --quiet exclude each other");
	return NULL;
}

int test_exit_status(const struct test_counts *counts, bool bisect)
{
	const size_t *n = counts->by_verdict;
	bool undecided = n[KTSTR_BROKEN] || n[KTSTR_INCONCLUSIVE];

	if (bisect && counts->interrupted)
		return TEST_INTERRUPTED; /* from 128 on git bisect stops */
	if (bisect && n[KTSTR_FAIL])
		return TEST_FAILED;
	if (bisect)
		return undecided || !n[KTSTR_PASS] ? TEST_BISECT_SKIP : TEST_PASSED;
	if (counts->interrupted)
		return TEST_INTERRUPTED;
	if (n[KTSTR_FAIL])
		return TEST_FAILED;
	return undecided ? TEST_UNDECIDED : TEST_PASSED;
}

int test_exit_unready(bool bisect)
{
	return bisect ? TEST_BISECT_SKIP : TEST_USAGE;
}

int test_exit_untold(int status, bool bisect)
{
	if (status != TEST_PASSED)
		return status;
	return bisect ? TEST_BISECT_SKIP : TEST_UNDECIDED;
}
