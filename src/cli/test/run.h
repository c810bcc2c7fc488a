/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_CLI_TEST_RUN_H
#define KTSTR_CLI_TEST_RUN_H

#include "cli/command.h"
#include "cli/test/config.h"

/* Lists, plans, runs and reports; the value is the exit status. */
int test_run(const struct test_config *config);

#endif
