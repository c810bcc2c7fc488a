/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the options of `ktstr test` to a session. */
#ifndef KTSTR_CLI_TEST_GATHER_H
#define KTSTR_CLI_TEST_GATHER_H

#include "cli/test/config.h"
#include "harness/session.h"

struct error *gather(const struct test_config *config, const struct cancel *cancel,
		     struct harness_session *ret) MUST_CHECK;
/* The plan alone: suites and kernels must be there. */
struct error *gather_plan(const struct test_config *config,
			  struct harness_session *session) MUST_CHECK;

#endif
