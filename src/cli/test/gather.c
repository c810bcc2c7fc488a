// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/test/gather.h"

#include "cli/frame/command.h"
#include "base/suggest.h"

/* A pattern that matches nothing is a slip of the finger more often than not. */
static struct error *unmatched(const struct harness_session *g, const char *pattern)
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

struct error *gather_plan(const struct test_config *config, struct harness_session *session)
{
	const struct harness_plan_options options = {
		.patterns = config->patterns.at,
		.n_patterns = config->patterns.n,
		.topologies = config->topologies.at,
		.n_topologies = config->topologies.n,
		.repeat = config->repeat,
		.names_only = config->list,
	};
	const char *pattern = harness_plan_find_unmatched(&options, session->suites.at,
							  session->suites.n);

	return pattern ? unmatched(session, pattern) : harness_session_plan(session, &options);
}

struct error *gather(const struct test_config *config, const struct cancel *cancel,
		     struct harness_session *ret)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < config->binaries.n; i++)
		err = harness_session_list(ret, config->binaries.at[i], cancel, NULL);
	for (size_t i = 0; !err && i < config->kernels.n; i++)
		err = harness_session_add_kernel(ret, config->kernels.at[i]);
	/* A list of names needs a kernel only where names have one. */
	if (!err && config->kernels.n == 0 && !config->list)
		err = harness_session_add_kernel(ret, NULL);
	if (!err)
		err = gather_plan(config, ret);
	if (err || config->list)
		return err;
	return harness_session_find_files(ret, config->folders.at, config->folders.n);
}
