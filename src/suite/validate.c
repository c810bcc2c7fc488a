// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/declared.h"

#include <stdio.h>
#include <string.h>

#include "suite/limits.h"
#include "work/work.h"

/* For those who look for mistakes in one declaration. */
struct mistakes {
	const struct ktstr_entry *entry;
	struct strbuf *into;
};

/* One line: where the test is declared, its name, what is wrong. */
static void mistake(struct mistakes *m, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void mistake(struct mistakes *m, const char *fmt, ...)
{
	va_list args;

	strbuf_appendf(m->into, "%s:%d: %s: ", m->entry->file, m->entry->line, m->entry->name);
	va_start(args, fmt);
	strbuf_vappendf(m->into, fmt, args);
	va_end(args);
	strbuf_append_char(m->into, '\n');
}

/* NULL is fine. */
static void check_text(struct mistakes *m, const char *what, const char *text)
{
	if (text && strlen(text) > SUITE_LIMIT_DECLARED_TEXT)
		mistake(m, "%s is longer than %d bytes", what, SUITE_LIMIT_DECLARED_TEXT);
}

static void check_number(struct mistakes *m, const char *what, unsigned int value, int limit)
{
	if (value > (unsigned int)limit)
		mistake(m, "%s is %u, at most %d is possible", what, value, limit);
}

/* "kernel.sched_schedstats=1": parts of a path, so each must be a plain name. */
static bool is_sysctl(const char *text)
{
	const char *equals = strchr(text, '=');

	while (equals && text < equals) {
		size_t n = strspn(text, SUITE_NAME_LETTERS);

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

/* The kernel would take one with a space for two. */
static bool is_kernel_arg(const char *text)
{
	return !strpbrk(text, " \t\n\"");
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

/* Arrays of limit + 1 texts. */
static const struct list {
	const char *what;
	size_t offset, limit;
	bool may_be_empty; /* a text of it */
	bool (*is_right)(const char *text);
	const char *wrong; /* what is said about one that is not */
} lists[] = {
#define LIST(member, limit_) \
	.what = #member, .offset = offsetof(struct ktstr_test, member), .limit = (limit_)
	{ LIST(scheduler.argv, KTSTR_MAX_ARGS), .may_be_empty = true },
	{ LIST(scheduler.files, KTSTR_MAX_FILES) },
	{ LIST(scheduler.sysctls, KTSTR_MAX_SETTINGS), .is_right = is_sysctl,
	  .wrong = "is not \"name=value\"" },
	{ LIST(scheduler.kernel_args, KTSTR_MAX_SETTINGS), .is_right = is_kernel_arg,
	  .wrong = "holds a space or a quote; the kernel would take it for two" },
	{ LIST(files, KTSTR_MAX_FILES) },
	{ LIST(needs.kconfig, KTSTR_MAX_SETTINGS), .is_right = is_kconfig,
	  .wrong = "is neither \"CONFIG_NAME\" nor \"CONFIG_NAME=value\"" },
#undef LIST
};

/* Too many, holes, too long ones, and those that mean nothing. */
static void check_list(struct mistakes *m, const struct list *list)
{
	const char *const *texts = (const void *)((const char *)m->entry->test + list->offset);
	size_t n = suite_declared_count(texts, list->limit);

	if (n > list->limit) {
		mistake(m, "%s: too many rows, at most %zu are possible", list->what, list->limit);
		return;
	}
	for (size_t i = n; i <= list->limit; i++)
		if (texts[i]) {
			mistake(m, "%s: row %zu is empty, but row %zu is not", list->what, n, i);
			break;
		}
	for (size_t i = 0; i < n; i++) {
		if (!*texts[i] && !list->may_be_empty)
			mistake(m, "%s: row %zu is \"\"", list->what, i);
		check_text(m, list->what, texts[i]);
		if (list->is_right && !list->is_right(texts[i]))
			mistake(m, "%s: \"%s\" %s", list->what, texts[i], list->wrong);
	}
}

static void check_machine(struct mistakes *m, const struct ktstr_test *test)
{
	struct topo topology = suite_declared_topology(test);
	_cleanup_error_ struct error *err = topo_check(&topology);

	if (err)
		mistake(m, "topology: %s", error_message(err));
	check_number(m, "memory_mb", test->memory_mb, SUITE_LIMIT_MEMORY_MB);
}

static void check_times(struct mistakes *m, const struct ktstr_test *test)
{
	check_number(m, "duration_s", test->duration_s, SUITE_LIMIT_DURATION_S);
	check_number(m, "timeout_s", test->timeout_s, SUITE_LIMIT_DURATION_S);
	if (test->timeout_s && test->timeout_s <= SUITE_LIMIT_DURATION_S &&
	    suite_declared_is_timed(test) && test->timeout_s <= suite_declared_duration_s(test))
		mistake(m, "timeout_s is %u, which is not more than the duration of %u s",
			test->timeout_s, suite_declared_duration_s(test));
	check_number(m, "scheduler.attach_timeout_s", test->scheduler.attach_timeout_s,
		     SUITE_LIMIT_DURATION_S);
}

static void check_scheduler(struct mistakes *m, const struct ktstr_test *test)
{
	const struct ktstr_scheduler *s = &test->scheduler;

	check_text(m, "scheduler.name", s->name);
	if (s->argv[0] && !*s->argv[0])
		mistake(m, "scheduler.argv: the program has no name");
	if (!suite_declared_has_scheduler(test) &&
	    (s->name || s->files[0] || s->attach_timeout_s || s->may_restart))
		mistake(m, "scheduler: a name, files, a timeout or may_restart, but no argv");
}

static void check_name(struct mistakes *m, const struct ktstr_test *test, size_t i)
{
	const char *name = test->cgroups[i].name;

	/* Without dots: the kernel's own files in a cgroup all have one. */
	if (!*name || name[strspn(name, SUITE_NAME_LETTERS)])
		mistake(m,
			"cgroups[%zu]: \"%s\" is not a name for a cgroup: letters, digits, _ and - "
			"are allowed",
			i, name);
	else if (strlen(name) > SUITE_LIMIT_NAME)
		mistake(m, "cgroups[%zu]: the name is longer than %d bytes", i, SUITE_LIMIT_NAME);
	for (size_t j = 0; j < i; j++)
		if (strcmp(test->cgroups[j].name, name) == 0) {
			mistake(m, "cgroups[%zu]: the name \"%s\" is taken by cgroups[%zu]", i,
				name, j);
			break;
		}
}

static void check_cpus(struct mistakes *m, const struct ktstr_test *test, size_t i)
{
	const struct ktstr_cpus *cpus = &test->cgroups[i].cpus;
	const char *name = test->cgroups[i].name;
	struct topo t = suite_declared_topology(test);
	struct error *impossible = topo_check(&t);

	if (impossible) {
		/* Reported already; nothing else can be checked against such a machine. */
		error_free(impossible);
		return;
	}
	switch (cpus->kind) {
	case KTSTR_CPUS_ALL:
		break;
	case KTSTR_CPUS_LLC:
		if (cpus->first >= t.llcs)
			mistake(m, "cgroup %s: LLC %u, but the machine's last one is %u", name,
				cpus->first, t.llcs - 1);
		break;
	case KTSTR_CPUS_NODE:
		if (cpus->first >= t.nodes)
			mistake(m, "cgroup %s: node %u, but the machine's last one is %u", name,
				cpus->first, t.nodes - 1);
		break;
	case KTSTR_CPUS_RANGE:
		if (cpus->first > cpus->last)
			mistake(m, "cgroup %s: the range of CPUs %u to %u is empty", name,
				cpus->first, cpus->last);
		else if (cpus->last >= topo_cpus(&t))
			mistake(m, "cgroup %s: CPU %u, but the machine's last one is %u", name,
				cpus->last, topo_cpus(&t) - 1);
		break;
	default:
		mistake(m, "cgroup %s: %d is not a kind of CPUs", name, (int)cpus->kind);
	}
}

static void check_work(struct mistakes *m, const char *name, struct ktstr_work work)
{
	const struct work_kind_info *info = work_kind_info(work.kind);
	struct ktstr_work normal = info ? info->normal : (struct ktstr_work){ 0 };

	if (work.kind != KTSTR_WORK_NONE && !info) {
		mistake(m, "cgroup %s: %d is not a kind of work", name, (int)work.kind);
		return;
	}
	if (!info && work.workers)
		mistake(m, "cgroup %s: work without its kind", name);
	for (size_t i = 0; i < work_n_params; i++) {
		const char *what = work_params[i].name;
		unsigned int ms = *work_param_of(&work, &work_params[i]);

		if (ms && !info)
			mistake(m, "cgroup %s: %s without a kind of work", name, what);
		else if (ms && !*work_param_of(&normal, &work_params[i]))
			mistake(m, "cgroup %s: %s has no effect on the work \"%s\"", name, what,
				info->name);
		else if (ms > SUITE_LIMIT_WORK_MS)
			mistake(m, "cgroup %s: %s is %u, at most %d is possible", name, what, ms,
				SUITE_LIMIT_WORK_MS);
	}
}

static void check_cgroups(struct mistakes *m, const struct ktstr_test *test)
{
	size_t n = suite_declared_cgroup_count(test);
	uint64_t workers = 0;

	if (n > KTSTR_MAX_CGROUPS) {
		mistake(m, "cgroups: too many rows, at most %d are possible", KTSTR_MAX_CGROUPS);
		return;
	}
	for (size_t i = n; i <= KTSTR_MAX_CGROUPS; i++)
		if (test->cgroups[i].name || test->cgroups[i].work.kind ||
		    test->cgroups[i].cpus.kind) {
			mistake(m, "cgroups[%zu] has no name, or comes after a row without one", i);
			break;
		}
	for (size_t i = 0; i < n; i++) {
		check_name(m, test, i);
		check_cpus(m, test, i);
		check_work(m, test->cgroups[i].name, test->cgroups[i].work);
		workers += suite_declared_workers(&test->cgroups[i].work);
	}
	if (workers > SUITE_LIMIT_WORKERS)
		mistake(m, "%llu workers, at most %d are possible", (unsigned long long)workers,
			SUITE_LIMIT_WORKERS);
}

static void check_checks(struct mistakes *m, const struct ktstr_test *test)
{
	struct checks_scene scene = suite_declared_scene(test);

	for (size_t i = 0; i < checks_n_rows; i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
		char *rest = NULL, *line;

		checks_validate(&checks_rows[i], &test->checks, &scene, &text);
		for (line = text.n ? strtok_r(text.at, "\n", &rest) : NULL; line;
		     line = strtok_r(NULL, "\n", &rest))
			mistake(m, "%s", line);
	}
}

static void check_range(struct mistakes *m, const char *what, unsigned int min, unsigned int max)
{
	if (max && min > max)
		mistake(m, "needs.min_%s is %u, more than max_%s, which is %u", what, min, what,
			max);
}

static void check_needs(struct mistakes *m, const struct ktstr_needs *needs)
{
	check_range(m, "cpus", needs->min_cpus, needs->max_cpus);
	check_range(m, "llcs", needs->min_llcs, needs->max_llcs);
	check_range(m, "nodes", needs->min_nodes, needs->max_nodes);
}

static void check_expect(struct mistakes *m, const struct ktstr_test *test)
{
	const char *word = suite_reason_name(test->expect);

	if (test->expect == KTSTR_REASON_NONE || suite_reason_is_expectable(test->expect))
		return;
	if (word)
		mistake(m, "expect: \"%s\" is not a failure that can be expected", word);
	else
		mistake(m, "expect: %d is not a reason", (int)test->expect);
}

static void check_test(struct mistakes *m)
{
	const struct ktstr_test *test = m->entry->test;

	if (strlen(m->entry->name) > SUITE_LIMIT_NAME)
		mistake(m, "the name is longer than %d bytes", SUITE_LIMIT_NAME);
	check_text(m, "description", test->description);
	check_machine(m, test);
	check_times(m, test);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		check_list(m, &lists[i]);
	check_scheduler(m, test);
	check_cgroups(m, test);
	check_checks(m, test);
	check_needs(m, &test->needs);
	check_expect(m, test);
	if (!test->run && !suite_declared_cgroup_count(test) && !suite_declared_has_scheduler(test))
		mistake(m, "nothing to run: no .cgroups, no .run and no .scheduler");
}

void suite_validate_entries(const struct suite_entry_list *list, struct strbuf *into)
{
	if (list->rows.n > SUITE_LIMIT_TESTS)
		strbuf_appendf(into, "%zu tests in one binary, at most %d are possible\n",
			       list->rows.n, SUITE_LIMIT_TESTS);
	for (size_t i = 0; i < list->rows.n; i++) {
		struct mistakes m = { .entry = list->rows.at[i], .into = into };
		const struct ktstr_entry *before = i ? list->rows.at[i - 1] : NULL;

		if (before && strcmp(before->name, m.entry->name) == 0)
			mistake(&m, "the name is taken by the test at %s:%d", before->file,
				before->line);
		if (m.entry->layout == KTSTR_LAYOUT_)
			check_test(&m);
		else
			mistake(&m, "compiled with another <ktstr/ktstr.h> than libktstr.a: "
				    "rebuild both");
	}
}
