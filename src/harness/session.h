/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Everything that can be wrong with a run before a guest exists, in this order:
 *
 *	harness_session_list(&session, "./mytests", cancel, NULL);   for each binary
 *	harness_session_add_kernel(&session, "7.1");           for each kernel
 *	harness_session_plan(&session, &options);
 *	harness_session_find_files(&session, dirs, n_dirs);
 */
#ifndef KTSTR_HARNESS_SESSION_H
#define KTSTR_HARNESS_SESSION_H

#include "base/cancel.h"
#include "harness/files.h"
#include "harness/plan.h"

/* One per test that is planned. */
struct harness_session_files {
	const struct exchange_declared_test *test;
	struct harness_test_files files;
};

struct harness_session {
	VEC(struct exchange_declared_suite) suites;
	VEC(struct kernel *) kernels;
	struct harness_file_finder finder; /* its places may be set before files are looked for */
	VEC(struct harness_session_files) files;
	struct harness_plan plan;
};

/*
 * Asks the binary what it declares. Suites with the same name get more of their paths. `text` gets
 * what the binary printed; it may be NULL.
 */
struct error *harness_session_list(struct harness_session *session, const char *binary,
				   const struct cancel *cancel, struct strbuf *text) MUST_CHECK;
/* By what kernel_resolve() takes; NULL: the default. */
struct error *harness_session_add_kernel(struct harness_session *session,
					 const char *wanted) MUST_CHECK;
/* The session's suites with its kernels; the rest of the options is the caller's. */
struct error *harness_session_plan(struct harness_session *session,
				   const struct harness_plan_options *options) MUST_CHECK;
/* Where files are looked for: beside the binary, in these directories, in PATH. */
void harness_session_look_in(struct harness_session *session, const char *const *dirs,
			     size_t n_dirs);
/* Of all tests in the plan. HARNESS_MISTAKES names all that is missing. */
struct error *harness_session_find_files(struct harness_session *session, const char *const *dirs,
					 size_t n_dirs) MUST_CHECK;
/* NULL before that. The context is a struct harness_session: for job_setting. */
const struct harness_test_files *harness_session_files_of(
	const void *context, const struct exchange_declared_test *test);

void harness_session_deinit(struct harness_session *session);
#define _cleanup_harness_session_ __attribute__((cleanup(harness_session_deinit)))

#endif
