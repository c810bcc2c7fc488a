// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/declared.h"

#include <string.h>

#include "suite/limits.h"

static void check_machine(struct suite_mistakes *m, const struct ktstr_test *test)
{
	struct topo topology = suite_declared_topology(test);
	_cleanup_error_ struct error *err = topo_check(&topology);

	if (err)
		suite_mistake(m, "topology: %s", error_message(err));
	if (test->memory_mb > SUITE_LIMIT_MEMORY_MB)
		suite_mistake(m, "memory_mb is %u, at most %d is possible", test->memory_mb,
			      SUITE_LIMIT_MEMORY_MB);
}

static void check_times(struct suite_mistakes *m, const struct ktstr_test *test)
{
	if (test->duration_s > SUITE_LIMIT_DURATION_S)
		suite_mistake(m, "duration_s is %u, at most %d is possible", test->duration_s,
			      SUITE_LIMIT_DURATION_S);
	if (test->timeout_s > SUITE_LIMIT_DURATION_S)
		suite_mistake(m, "timeout_s is %u, at most %d is possible", test->timeout_s,
			      SUITE_LIMIT_DURATION_S);
	else if (test->timeout_s && suite_declared_is_timed(test) &&
		 test->timeout_s <= suite_declared_duration_s(test))
		suite_mistake(m, "timeout_s is %u, which is not more than the duration of %u s",
			      test->timeout_s, suite_declared_duration_s(test));
	if (test->scheduler.attach_timeout_s > SUITE_LIMIT_DURATION_S)
		suite_mistake(m, "scheduler.attach_timeout_s is %u, at most %d is possible",
			      test->scheduler.attach_timeout_s, SUITE_LIMIT_DURATION_S);
}

/* "kernel.sched_schedstats=1": parts of a path, so each must be a plain name. */
static bool is_sysctl(const char *text)
{
	const char *equals = strchr(text, '=');

	if (!equals)
		return false;
	while (text < equals) {
		size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789_-");

		if (n == 0)
			return false;
		text += n;
		if (text == equals)
			return true;
		if (*text != '.' && *text != '/')
			return false;
		text++;
	}
	return false;
}

static bool is_kconfig(const char *text)
{
	size_t n;

	if (strncmp(text, "CONFIG_", 7) != 0)
		return false;
	n = strspn(text + 7, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	text += 7 + n;
	return n > 0 && (*text == '\0' || (*text == '=' && text[1]));
}

static void check_scheduler(struct suite_mistakes *m, const struct ktstr_test *test)
{
	const struct ktstr_scheduler *s = &test->scheduler;

	suite_mistakes_of_texts(m, "scheduler.argv", s->argv, KTSTR_MAX_ARGS, false);
	suite_mistakes_of_texts(m, "scheduler.files", s->files, KTSTR_MAX_FILES, true);
	suite_mistakes_of_texts(m, "scheduler.sysctls", s->sysctls, KTSTR_MAX_SETTINGS, true);
	suite_mistakes_of_texts(m, "scheduler.kernel_args", s->kernel_args, KTSTR_MAX_SETTINGS,
				true);
	suite_mistakes_of_text(m, "scheduler.name", s->name);
	if (s->argv[0] && !*s->argv[0])
		suite_mistake(m, "scheduler.argv: the program has no name");
	for (size_t i = 0; i < suite_declared_count(s->sysctls, KTSTR_MAX_SETTINGS); i++)
		if (!is_sysctl(s->sysctls[i]))
			suite_mistake(m, "scheduler.sysctls: \"%s\" is not \"name=value\"",
				      s->sysctls[i]);
	for (size_t i = 0; i < suite_declared_count(s->kernel_args, KTSTR_MAX_SETTINGS); i++)
		if (strpbrk(s->kernel_args[i], " \t\n\""))
			suite_mistake(m,
				      "scheduler.kernel_args: \"%s\" holds a space or a quote; "
				      "the kernel would take it for two",
				      s->kernel_args[i]);
	if (!suite_declared_has_scheduler(test) &&
	    (s->name || s->files[0] || s->attach_timeout_s || s->may_restart))
		suite_mistake(m, "scheduler: a name, files, a timeout or may_restart, but no argv");
}

static void check_range(struct suite_mistakes *m, const char *what, unsigned int min,
			unsigned int max)
{
	if (max && min > max)
		suite_mistake(m, "needs.min_%s is %u, more than max_%s, which is %u", what, min,
			      what, max);
}

static void check_needs(struct suite_mistakes *m, const struct ktstr_test *test)
{
	const struct ktstr_needs *needs = &test->needs;

	check_range(m, "cpus", needs->min_cpus, needs->max_cpus);
	check_range(m, "llcs", needs->min_llcs, needs->max_llcs);
	check_range(m, "nodes", needs->min_nodes, needs->max_nodes);
	suite_mistakes_of_texts(m, "needs.kconfig", needs->kconfig, KTSTR_MAX_SETTINGS, true);
	for (size_t i = 0; i < suite_declared_count(needs->kconfig, KTSTR_MAX_SETTINGS); i++)
		if (!is_kconfig(needs->kconfig[i]))
			suite_mistake(m,
				      "needs.kconfig: \"%s\" is neither \"CONFIG_NAME\" nor "
				      "\"CONFIG_NAME=value\"",
				      needs->kconfig[i]);
}

static void check_expect(struct suite_mistakes *m, const struct ktstr_test *test)
{
	const char *word = suite_reason_name(test->expect);

	if (test->expect == KTSTR_REASON_NONE || suite_reason_is_expectable(test->expect))
		return;
	if (word)
		suite_mistake(m, "expect: \"%s\" is not a failure that can be expected", word);
	else
		suite_mistake(m, "expect: %d is not a reason", (int)test->expect);
}

static void check_test(struct suite_mistakes *m)
{
	const struct ktstr_test *test = m->entry->test;

	if (strlen(m->entry->name) > SUITE_LIMIT_NAME)
		suite_mistake(m, "the name is longer than %d bytes", SUITE_LIMIT_NAME);
	suite_mistakes_of_text(m, "description", test->description);
	check_machine(m, test);
	check_times(m, test);
	check_scheduler(m, test);
	suite_mistakes_of_texts(m, "files", test->files, KTSTR_MAX_FILES, true);
	suite_validate_cgroups(m, test);
	suite_validate_checks(m, test);
	check_needs(m, test);
	check_expect(m, test);
	if (!test->run && !suite_declared_cgroup_count(test) && !suite_declared_has_scheduler(test))
		suite_mistake(m, "nothing to run: no .cgroups, no .run and no .scheduler");
}

void suite_validate_entries(const struct suite_entry_list *list, struct strbuf *into)
{
	if (list->rows.n > SUITE_LIMIT_TESTS)
		strbuf_appendf(into, "%zu tests in one binary, at most %d are possible\n",
			       list->rows.n, SUITE_LIMIT_TESTS);
	for (size_t i = 0; i < list->rows.n; i++) {
		struct suite_mistakes m = { .entry = list->rows.at[i], .into = into };
		const struct ktstr_entry *before = i ? list->rows.at[i - 1] : NULL;

		if (before && strcmp(before->name, m.entry->name) == 0)
			suite_mistake(&m, "the name is taken by the test at %s:%d", before->file,
				      before->line);
		check_test(&m);
	}
}
