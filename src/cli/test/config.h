/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `ktstr test` is asked for, and what it ends with. */
#ifndef KTSTR_CLI_TEST_CONFIG_H
#define KTSTR_CLI_TEST_CONFIG_H

#include "cli/frame/option.h"

struct test_config {
	struct cli_strings binaries;
	struct cli_strings patterns;
	struct cli_strings topologies;
	struct cli_strings kernels;
	struct cli_strings folders; /* --files */
	const char *output;	    /* -o: NULL is a fresh folder */
	int format;
	int accel;
	uint32_t jobs; /* 0: by the host */
	uint32_t ahead;
	uint32_t repeat;
	uint32_t keep_guest_sec;
	bool list;
	bool cold;
	bool keep;
	bool bisect;
	bool verbose;
	bool quiet;
};

enum test_exit {
	TEST_PASSED = 0,
	TEST_FAILED = 1,
	TEST_USAGE = 2,
	TEST_UNDECIDED = 3, /* nothing failed, something is broken or inconclusive */
	TEST_INTERRUPTED = 130,
	/* What git bisect takes for "cannot be tested". */
	TEST_BISECT_SKIP = 125,
};

#endif
