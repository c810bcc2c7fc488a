/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_CLI_TEST_RUN_H
#define KTSTR_CLI_TEST_RUN_H

#include "cli/frame/command.h"
#include "cli/test/gather.h"

/* Lists, plans, runs and reports; the value is the exit status. */
int test_run(const struct test_config *config);

/* Where the plan of another command comes from. What fails here means that nothing is run. */
typedef struct error *(*test_gather_fn)(const void *context, const struct cancel *cancel,
					struct harness_session *ret);
int test_run_gathered(const struct test_config *config, test_gather_fn gather, const void *context);
/* "error: …", and mistakes in declarations one to a line. */
void test_print_failure(const struct error *err);

#endif
