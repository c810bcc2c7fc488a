/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Everything that can be wrong with a run before a guest exists. */
#ifndef KTSTR_CLI_TEST_GATHER_H
#define KTSTR_CLI_TEST_GATHER_H

#include "base/cancel.h"
#include "cli/test/config.h"
#include "harness/files.h"
#include "harness/plan.h"

/* One per test that is planned. */
struct gathered_files {
	const struct declared_test *test;
	struct test_files files;
};

struct gathered {
	VEC(struct declared_suite) suites;
	VEC(struct kernel *) kernels;
	struct file_finder finder;
	VEC(struct gathered_files) files;
	struct plan plan;
};

struct error *gather(const struct test_config *config, const struct cancel *cancel,
		     struct gathered *ret) MUST_CHECK;
/* The two last steps of it: suites and kernels must be there, then the plan. */
struct error *gather_plan(const struct test_config *config, struct gathered *g) MUST_CHECK;
struct error *gather_files(const struct test_config *config, struct gathered *g) MUST_CHECK;
void gathered_deinit(struct gathered *gathered);
/* For job_setting; the context is a struct gathered. */
const struct test_files *gathered_files_of(const void *context, const struct declared_test *test);

#endif
