// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/list.h"

#include <string.h>

#include "checks/resolve.h"
#include "json/writer.h"
#include "suite/defaults.h"
#include "suite/reason.h"
#include "work/kind.h"

static char *shape_of(const struct ktstr_test *test)
{
	struct topology topology = declared_topology(test);
	struct strbuf text = STRBUF_INIT;

	topology_format_shape(&topology, &text);
	return strbuf_take(&text);
}

void list_format(const struct entry_list *list, struct strbuf *into)
{
	size_t width = 0;

	for (size_t i = 0; i < list->rows.n; i++)
		if (strlen(list->rows.at[i]->name) > width)
			width = strlen(list->rows.at[i]->name);
	for (size_t i = 0; i < list->rows.n; i++) {
		const struct ktstr_entry *entry = list->rows.at[i];
		_cleanup_free_ char *shape = shape_of(entry->test);
		const char *scheduler = declared_scheduler_name(entry->test);

		strbuf_appendf(into, "%-*s  %s  %s  %s:%d\n", (int)width, entry->name, shape,
			       scheduler ? scheduler : "-", entry->file, entry->line);
		if (entry->test->description)
			strbuf_appendf(into, "    %s\n", entry->test->description);
	}
}

static void write_texts(struct json_writer *w, const char *key, const char *const *texts,
			size_t limit)
{
	json_key(w, key);
	json_begin_array(w);
	for (size_t i = 0; i < declared_count(texts, limit); i++)
		json_write_string(w, texts[i]);
	json_end_array(w);
}

static void write_scheduler(struct json_writer *w, const struct ktstr_test *test)
{
	const struct ktstr_scheduler *scheduler = &test->scheduler;

	json_key(w, "scheduler");
	/* Settings are possible for the kernel's own as well. */
	if (!declared_has_scheduler(test) && !scheduler->sysctls[0] && !scheduler->kernel_args[0]) {
		json_write_null(w);
		return;
	}
	json_begin_object(w);
	json_add_string(w, "name",
			declared_has_scheduler(test) ? declared_scheduler_name(test) : "");
	write_texts(w, "argv", scheduler->argv, KTSTR_MAX_ARGS);
	write_texts(w, "files", scheduler->files, KTSTR_MAX_FILES);
	write_texts(w, "sysctls", scheduler->sysctls, KTSTR_MAX_SETTINGS);
	write_texts(w, "kernel_args", scheduler->kernel_args, KTSTR_MAX_SETTINGS);
	json_add_u64(w, "attach_timeout_s", declared_attach_timeout_s(test));
	json_add_bool(w, "may_restart", scheduler->may_restart);
	json_end_object(w);
}

static void write_cpus(struct json_writer *w, const struct ktstr_cpus *cpus)
{
	char text[64] = "all";

	if (cpus->kind == KTSTR_CPUS_LLC)
		snprintf(text, sizeof(text), "llc:%u", cpus->first);
	else if (cpus->kind == KTSTR_CPUS_NODE)
		snprintf(text, sizeof(text), "node:%u", cpus->first);
	else if (cpus->kind == KTSTR_CPUS_RANGE && cpus->first == cpus->last)
		snprintf(text, sizeof(text), "cpus:%u", cpus->first);
	else if (cpus->kind == KTSTR_CPUS_RANGE)
		snprintf(text, sizeof(text), "cpus:%u-%u", cpus->first, cpus->last);
	json_add_string(w, "cpus", text);
}

static void write_cgroups(struct json_writer *w, const struct ktstr_test *test)
{
	json_key(w, "cgroups");
	json_begin_array(w);
	for (size_t i = 0; i < declared_cgroup_count(test); i++) {
		const struct ktstr_cgroup *cgroup = &test->cgroups[i];

		json_begin_object(w);
		json_add_string(w, "name", cgroup->name);
		write_cpus(w, &cgroup->cpus);
		json_key(w, "work");
		if (cgroup->work.kind == KTSTR_WORK_NONE) {
			json_write_null(w);
		} else {
			struct ktstr_work work = declared_work(&cgroup->work);

			json_begin_object(w);
			json_add_string(w, "kind", work_kind_info(work.kind)->name);
			json_add_u64(w, "workers", work.workers);
			for (size_t j = 0; j < work_n_params; j++)
				json_add_u64(w, work_params[j].name,
					     *work_param_of(&work, &work_params[j]));
			json_end_object(w);
		}
		json_end_object(w);
	}
	json_end_array(w);
}

static void write_check(struct json_writer *w, const struct checks_row *row,
			struct ktstr_checks *checks)
{
	if (row->form == CHECKS_DEMAND)
		json_add_bool(w, row->name, checks_is_asked(row, checks));
	else if (checks_is_asked(row, checks))
		json_add_double(w, row->name, checks_limit(row, checks)->value);
}

static void write_checks(struct json_writer *w, const struct ktstr_test *test)
{
	struct ktstr_checks checks = declared_checks(test);

	json_key(w, "checks");
	json_begin_object(w);
	for (size_t i = 0; i < checks_n_rows; i++)
		write_check(w, &checks_rows[i], &checks);
	/* Which of them the author wrote down; the rest is so by default. */
	json_key(w, "declared");
	json_begin_array(w);
	for (size_t i = 0; i < checks_n_rows; i++)
		if (checks_is_said(&checks_rows[i], &test->checks))
			json_write_string(w, checks_rows[i].name);
	json_end_array(w);
	json_end_object(w);
}

static void write_needs(struct json_writer *w, const struct ktstr_test *test)
{
	const struct ktstr_needs *needs = &test->needs;

	json_key(w, "needs");
	json_begin_object(w);
	json_add_bool(w, "sched_ext", needs->sched_ext);
	json_add_bool(w, "smt", needs->smt);
	json_add_u64(w, "min_cpus", needs->min_cpus);
	json_add_u64(w, "max_cpus", needs->max_cpus);
	json_add_u64(w, "min_llcs", needs->min_llcs);
	json_add_u64(w, "max_llcs", needs->max_llcs);
	json_add_u64(w, "min_nodes", needs->min_nodes);
	json_add_u64(w, "max_nodes", needs->max_nodes);
	write_texts(w, "kconfig", needs->kconfig, KTSTR_MAX_SETTINGS);
	json_end_object(w);
}

static void write_test(struct json_writer *w, const struct ktstr_entry *entry)
{
	const struct ktstr_test *test = entry->test;
	_cleanup_free_ char *shape = shape_of(test);

	json_begin_object(w);
	json_add_string(w, "name", entry->name);
	json_add_string(w, "file", entry->file);
	json_add_i64(w, "line", entry->line);
	json_add_string(w, "description", test->description);
	json_add_string(w, "topology", shape);
	json_add_u64(w, "memory_mb", test->memory_mb);
	json_add_u64(w, "duration_s", declared_duration_s(test));
	json_add_u64(w, "timeout_s", test->timeout_s);
	write_scheduler(w, test);
	write_texts(w, "files", test->files, KTSTR_MAX_FILES);
	write_cgroups(w, test);
	write_checks(w, test);
	write_needs(w, test);
	json_add_string(w, "expect", suite_reason_word(test->expect));
	json_add_bool(w, "has_run", test->run != NULL);
	json_end_object(w);
}

void list_format_json(const struct entry_list *list, struct strbuf *into)
{
	struct json_writer w = json_writer_to(into, JSON_COMPACT);

	json_begin_object(&w);
	json_add_u64(&w, "ktstr_api", KTSTR_API_VERSION);
	json_key(&w, "tests");
	json_begin_array(&w);
	for (size_t i = 0; i < list->rows.n; i++)
		write_test(&w, list->rows.at[i]);
	json_end_array(&w);
	json_end_object(&w);
	strbuf_append_char(into, '\n');
}
