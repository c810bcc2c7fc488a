// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/test/gather.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cli/frame/command.h"
#include "base/suggest.h"
#include "harness/listing.h"

void gathered_deinit(struct gathered *g)
{
	plan_deinit(&g->plan);
	for (size_t i = 0; i < g->files.n; i++)
		test_files_deinit(&g->files.at[i].files);
	vec_deinit(&g->files);
	file_finder_deinit(&g->finder);
	for (size_t i = 0; i < g->kernels.n; i++)
		kernel_free(g->kernels.at[i]);
	vec_deinit(&g->kernels);
	for (size_t i = 0; i < g->suites.n; i++)
		declared_suite_deinit(&g->suites.at[i]);
	vec_deinit(&g->suites);
}

static struct error *list_suites(const struct test_config *config, const struct cancel *cancel,
				 struct gathered *g)
{
	for (size_t i = 0; i < config->binaries.n; i++) {
		struct declared_suite suite = { 0 };
		struct error *err = listing_read(config->binaries.at[i], cancel, &suite);

		if (err)
			return err;
		vec_push(&g->suites, suite);
	}
	return plan_name_suites(g->suites.at, g->suites.n);
}

static struct error *find_kernel(const char *wanted, struct gathered *g)
{
	struct kernel *kernel = NULL;
	struct error *err = kernel_resolve(wanted, &kernel);

	if (!err)
		vec_push(&g->kernels, kernel);
	return err;
}

static struct error *find_kernels(const struct test_config *config, struct gathered *g)
{
	struct error *err = NULL;

	/* A list of names needs a kernel only where names have one. */
	if (config->kernels.n == 0)
		return config->list ? NULL : find_kernel(NULL, g);
	for (size_t i = 0; !err && i < config->kernels.n; i++)
		err = find_kernel(config->kernels.at[i], g);
	return err;
}

/* A pattern that matches nothing is a slip of the finger more often than not. */
static struct error *unmatched(const struct gathered *g, const char *pattern)
{
	struct suggest near = { .wanted = pattern };

	for (size_t i = 0; i < g->suites.n; i++)
		for (size_t j = 0; j < g->suites.at[i].tests.n; j++)
			suggest_offer(&near, g->suites.at[i].tests.at[j].name);
	if (near.names[0])
		return cli_error(CLI_USAGE, 0, "no test matches '%s'; did you mean '%s'?", pattern,
				 near.names[0]);
	return cli_error(CLI_USAGE, 0, "no test matches '%s'; --list shows all", pattern);
}

struct error *gather_plan(const struct test_config *config, struct gathered *g)
{
	const struct plan_options options = {
		.patterns = config->patterns.at,
		.n_patterns = config->patterns.n,
		.topologies = config->topologies.at,
		.n_topologies = config->topologies.n,
		.kernels = (const struct kernel *const *)g->kernels.at,
		.n_kernels = g->kernels.n,
		.repeat = config->repeat,
		.names_only = config->list,
	};
	const char *pattern = plan_find_unmatched(&options, g->suites.at, g->suites.n);

	if (pattern)
		return unmatched(g, pattern);
	return plan_make(g->suites.at, g->suites.n, &options, &g->plan);
}

const struct test_files *gathered_files_of(const void *context, const struct declared_test *test)
{
	const struct gathered *g = context;

	for (size_t i = 0; i < g->files.n; i++)
		if (g->files.at[i].test == test)
			return &g->files.at[i].files;
	return NULL;
}

struct error *gather_files(const struct test_config *config, struct gathered *g)
{
	_cleanup_strbuf_ struct strbuf mistakes = STRBUF_INIT;

	g->finder.dirs = config->folders.at;
	g->finder.n_dirs = config->folders.n;
	g->finder.path = getenv("PATH");
	for (size_t i = 0; i < g->plan.variants.n; i++) {
		const struct variant *variant = &g->plan.variants.at[i];
		struct gathered_files files = { .test = variant->test };
		struct error *err;

		if (gathered_files_of(g, variant->test))
			continue;
		err = files_find(&g->finder, variant->suite, variant->test, &mistakes,
				 &files.files);
		if (err)
			return err;
		vec_push(&g->files, files);
	}
	if (mistakes.n == 0)
		return NULL;
	return harness_error(HARNESS_MISTAKES, 0, "tests name files that cannot be had\n%s",
			     strbuf_str(&mistakes));
}

struct error *gather(const struct test_config *config, const struct cancel *cancel,
		     struct gathered *ret)
{
	struct error *err = list_suites(config, cancel, ret);

	if (!err)
		err = find_kernels(config, ret);
	if (!err)
		err = gather_plan(config, ret);
	if (err || config->list)
		return err;
	return gather_files(config, ret);
}
