// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/session.h"

#include <stdlib.h>

DEFINE_ERROR_DOMAIN(harness, HARNESS, HARNESS_ERRORS);

void harness_session_deinit(struct harness_session *s)
{
	harness_plan_deinit(&s->plan);
	for (size_t i = 0; i < s->files.n; i++)
		harness_test_files_deinit(&s->files.at[i].files);
	vec_deinit(&s->files);
	harness_file_finder_deinit(&s->finder);
	for (size_t i = 0; i < s->kernels.n; i++)
		kernel_free(s->kernels.at[i]);
	vec_deinit(&s->kernels);
	for (size_t i = 0; i < s->suites.n; i++)
		exchange_declared_suite_deinit(&s->suites.at[i]);
	vec_deinit(&s->suites);
}

struct error *harness_session_list(struct harness_session *s, const char *binary,
				   const struct cancel *cancel, struct strbuf *text)
{
	struct exchange_declared_suite suite = { 0 };
	struct error *err = harness_listing_read(binary, NULL, cancel, &suite, text);

	if (err)
		return err;
	vec_push(&s->suites, suite);
	return harness_plan_name_suites(s->suites.at, s->suites.n);
}

struct error *harness_session_add_kernel(struct harness_session *s, const char *wanted)
{
	struct kernel *kernel = NULL;
	struct error *err = kernel_resolve(wanted, &kernel);

	if (!err)
		vec_push(&s->kernels, kernel);
	return err;
}

struct error *harness_session_plan(struct harness_session *s,
				   const struct harness_plan_options *asked)
{
	struct harness_plan_options options = *asked;

	options.kernels = (const struct kernel *const *)s->kernels.at;
	options.n_kernels = s->kernels.n;
	return harness_plan_make(s->suites.at, s->suites.n, &options, &s->plan);
}

const struct harness_test_files *harness_session_files_of(const void *context,
							  const struct exchange_declared_test *test)
{
	const struct harness_session *s = context;

	for (size_t i = 0; i < s->files.n; i++)
		if (s->files.at[i].test == test)
			return &s->files.at[i].files;
	return NULL;
}

void harness_session_look_in(struct harness_session *s, const char *const *dirs, size_t n_dirs)
{
	s->finder.dirs = dirs;
	s->finder.n_dirs = n_dirs;
	s->finder.path = getenv("PATH");
}

struct error *harness_session_find_files(struct harness_session *s, const char *const *dirs,
					 size_t n_dirs)
{
	_cleanup_strbuf_ struct strbuf mistakes = STRBUF_INIT;

	harness_session_look_in(s, dirs, n_dirs);
	for (size_t i = 0; i < s->plan.variants.n; i++) {
		const struct harness_variant *variant = &s->plan.variants.at[i];
		struct harness_session_files files = { .test = variant->test };
		struct error *err;

		if (harness_session_files_of(s, variant->test))
			continue;
		err = harness_files_find(&s->finder, variant->suite, variant->test, &mistakes,
					 &files.files);
		if (err)
			return err;
		vec_push(&s->files, files);
	}
	if (mistakes.n == 0)
		return NULL;
	return harness_error(HARNESS_MISTAKES, 0, "tests name files that cannot be found\n%s",
			     strbuf_str(&mistakes));
}
