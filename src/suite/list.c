// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/declared.h"

#include <string.h>

#include "exchange/declaration.h"
#include "work/work.h"

static char *shape_of(const struct ktstr_test *test)
{
	struct topo topology = suite_declared_topology(test);
	struct strbuf text = STRBUF_INIT;

	topo_format_shape(&topology, &text);
	return strbuf_take(&text);
}

void suite_list_format(const struct suite_entry_list *list, struct strbuf *into)
{
	size_t width = 0;

	for (size_t i = 0; i < list->rows.n; i++)
		if (strlen(list->rows.at[i]->name) > width)
			width = strlen(list->rows.at[i]->name);
	for (size_t i = 0; i < list->rows.n; i++) {
		const struct ktstr_entry *entry = list->rows.at[i];
		_cleanup_free_ char *shape = shape_of(entry->test);
		const char *scheduler = suite_declared_scheduler_name(entry->test);

		strbuf_appendf(into, "%-*s  %s  %s  %s:%d\n", (int)width, entry->name, shape,
			       scheduler ? scheduler : "-", entry->file, entry->line);
		if (entry->test->description)
			strbuf_appendf(into, "    %s\n", entry->test->description);
	}
}

static struct exchange_text_list list_of(const char *const *texts, size_t limit)
{
	return (struct exchange_text_list){ EXCHANGE_BORROW(texts),
					    suite_declared_count(texts, limit) };
}

static void fill_scheduler(const struct ktstr_test *test, struct exchange_declared_scheduler *ret)
{
	const struct ktstr_scheduler *said = &test->scheduler;

	/* Settings are possible for the kernel's own as well. */
	if (!suite_declared_has_scheduler(test) && !said->sysctls[0] && !said->kernel_args[0])
		return;
	*ret = (struct exchange_declared_scheduler){
		.name = EXCHANGE_BORROW(suite_declared_has_scheduler(test)
						? suite_declared_scheduler_name(test)
						: ""),
		.argv = list_of(said->argv, KTSTR_MAX_ARGS),
		.files = list_of(said->files, KTSTR_MAX_FILES),
		.sysctls = list_of(said->sysctls, KTSTR_MAX_SETTINGS),
		.kernel_args = list_of(said->kernel_args, KTSTR_MAX_SETTINGS),
		.attach_timeout_s = said->attach_timeout_s,
		.may_restart = said->may_restart,
	};
}

static void fill_cgroups(const struct ktstr_test *test, struct exchange_declared_test *ret)
{
	for (size_t i = 0; i < suite_declared_cgroup_count(test); i++) {
		const struct ktstr_cgroup *said = &test->cgroups[i];
		struct exchange_declared_cgroup cgroup = { .name = EXCHANGE_BORROW(said->name),
							   .cpus = said->cpus };

		if (said->work.kind != KTSTR_WORK_NONE) {
			struct ktstr_work work = suite_declared_work(&said->work);

			cgroup.work = EXCHANGE_BORROW(work_kind_info(work.kind)->name);
			cgroup.workers = work.workers;
#define KTSTR_WORK_PARAM(name, words) cgroup.name = work.name;
#include <ktstr/work_params.def>
#undef KTSTR_WORK_PARAM
		}
		vec_push(&ret->cgroups, cgroup);
	}
}

/* Everything is borrowed but the two lists. */
static struct exchange_declared_test fill_test(const struct ktstr_entry *entry,
					       const char *said_checks[static CHECKS_N_ROWS])
{
	const struct ktstr_test *test = entry->test;
	struct exchange_declared_test ret = {
		.name = EXCHANGE_BORROW(entry->name),
		.file = EXCHANGE_BORROW(entry->file),
		.line = entry->line,
		.description = EXCHANGE_BORROW(test->description),
		.topology = suite_declared_topology(test),
		.memory_mb = test->memory_mb,
		.duration_s = suite_declared_duration_s(test),
		.timeout_s = test->timeout_s,
		.files = list_of(test->files, KTSTR_MAX_FILES),
		.checks = suite_declared_checks(test),
		.declared_checks = { .at = EXCHANGE_BORROW(said_checks) },
		.knows_declared_checks = true,
		.needs = test->needs,
		.kconfig = list_of(test->needs.kconfig, KTSTR_MAX_SETTINGS),
		.expect = test->expect,
		.has_run = test->run != NULL,
	};

	fill_scheduler(test, &ret.scheduler);
	fill_cgroups(test, &ret);
	for (size_t i = 0; i < checks_n_rows; i++)
		if (checks_is_said(&checks_rows[i], &test->checks))
			said_checks[ret.declared_checks.n++] = checks_rows[i].name;
	return ret;
}

void suite_list_format_json(const struct suite_entry_list *list, struct strbuf *into)
{
	struct json_writer w = json_writer_to(into, JSON_COMPACT);
	struct exchange_declared_suite suite = { 0 };
	const char *(*said)[CHECKS_N_ROWS] = xcalloc(list->rows.n + 1, sizeof(*said));

	for (size_t i = 0; i < list->rows.n; i++)
		vec_push(&suite.tests, fill_test(list->rows.at[i], said[i]));
	json_rows_write(&exchange_listing_table, &suite, &w);
	strbuf_append_char(into, '\n');
	for (size_t i = 0; i < suite.tests.n; i++)
		vec_deinit(&suite.tests.at[i].cgroups);
	vec_deinit(&suite.tests);
	free(said);
}
