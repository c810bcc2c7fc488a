// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/shell_word.h"
#include "checks/check.h"
#include "cli/show_test/show_test.h"
#include "result/outcome.h"
#include "text/terminal.h"

enum {
	INDENT = 2,
	LABEL_COLUMNS = 14, /* with the indent and the gap */
	PLAIN_COLUMNS = 100,
};

struct page {
	struct strbuf *into;
	const struct text_look *look;
};

static size_t columns_of(const struct page *page)
{
	return page->look->columns ? page->look->columns : PLAIN_COLUMNS;
}

/* One labelled line, wrapped below itself. The text is foreign. */
static void add_row(const struct page *page, const char *label, const char *text)
{
	_cleanup_strbuf_ struct strbuf safe = STRBUF_INIT;
	int gap = LABEL_COLUMNS - INDENT - (int)strlen(label);

	text_escape(&safe, text);
	strbuf_append_repeated(page->into, ' ', INDENT);
	strbuf_append(page->into, page->look->colour ? TEXT_DIM : "");
	strbuf_append(page->into, label);
	strbuf_append(page->into, page->look->colour ? TEXT_RESET : "");
	strbuf_append_repeated(page->into, ' ', gap > 0 ? (size_t)gap : 1);
	text_wrap(page->into, strbuf_str(&safe), LABEL_COLUMNS, columns_of(page));
	strbuf_append_char(page->into, '\n');
}

static void add_rowf(const struct page *page, const char *label, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
static void add_rowf(const struct page *page, const char *label, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, fmt);
	text = xvasprintf(fmt, args);
	va_end(args);
	add_row(page, label, text);
}

static void append_words(struct strbuf *into, const struct exchange_text_list *words)
{
	for (size_t i = 0; i < words->n; i++) {
		if (i)
			strbuf_append_char(into, ' ');
		shell_append_word(into, words->at[i]);
	}
}

static void add_words(const struct page *page, const char *label,
		      const struct exchange_text_list *words)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	append_words(&text, words);
	if (words->n)
		add_row(page, label, strbuf_str(&text));
}

static void append_count(struct strbuf *into, unsigned int n, const char *one)
{
	strbuf_appendf(into, "%s%u %s%s", into->n ? ", " : "", n, one, n == 1 ? "" : "s");
}

static void add_machine(const struct page *page, const struct shown_test *shown)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, shape = STRBUF_INIT;
	const struct topo *t = &shown->topology;

	topo_format(t, &shape);
	append_count(&text, topo_cpus(t), "CPU");
	append_count(&text, t->llcs, "LLC");
	append_count(&text, t->nodes, "node");
	strbuf_append(&text, ", ");
	text_format_bytes(&text, shown->memory_bytes);
	strbuf_appendf(&text, " of memory%s", shown->test->memory_mb ? "" : " by default");
	add_rowf(page, "machine", "%s: %s%s", strbuf_str(&shape), strbuf_str(&text),
		 topo_equal(t, &shown->test->topology) ? "" : "; not the test's own");
}

static void add_scheduler(const struct page *page, const struct shown_test *shown)
{
	const struct exchange_declared_scheduler *scheduler = &shown->test->scheduler;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!scheduler->argv.n) {
		add_rowf(page, "scheduler", "the kernel's own");
	} else {
		append_words(&text, &scheduler->argv);
		if (scheduler->attach_timeout_s)
			strbuf_appendf(&text, "; attached within %u s",
				       scheduler->attach_timeout_s);
		if (scheduler->may_restart)
			strbuf_append(&text, "; may restart");
		add_row(page, "scheduler", strbuf_str(&text));
	}
	add_words(page, "sysctls", &scheduler->sysctls);
	add_words(page, "kernel args", &scheduler->kernel_args);
}

static void append_need(struct strbuf *into, const char *need)
{
	strbuf_appendf(into, "%s%s", into->n ? ", " : "", need);
}

static void append_range(struct strbuf *into, unsigned int min, unsigned int max, const char *what)
{
	const char *comma = into->n ? ", " : "";

	if (min && max)
		strbuf_appendf(into, "%s%u to %u %s", comma, min, max, what);
	else if (min)
		strbuf_appendf(into, "%sat least %u %s", comma, min, what);
	else if (max)
		strbuf_appendf(into, "%sat most %u %s", comma, max, what);
}

static void add_needs(const struct page *page, const struct shown_test *shown)
{
	const struct ktstr_needs *needs = &shown->test->needs;
	const struct kernel *kernel = shown->host->kernel;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (needs->sched_ext || shown->test->scheduler.argv.n)
		append_need(&text, "sched_ext");
	if (needs->smt)
		append_need(&text, "SMT");
	append_range(&text, needs->min_cpus, needs->max_cpus, "CPUs");
	append_range(&text, needs->min_llcs, needs->max_llcs, "LLCs");
	append_range(&text, needs->min_nodes, needs->max_nodes, "nodes");
	for (size_t i = 0; i < shown->test->kconfig.n; i++)
		append_need(&text, shown->test->kconfig.at[i]);
	add_row(page, "needs", text.n ? strbuf_str(&text) : "nothing");
	if (!kernel)
		add_rowf(page, "", "no kernel to compare with: %s", shown->unmet);
	else if (shown->met && text.n)
		add_rowf(page, "", "all there with kernel %s", kernel->release);
	else if (!shown->met)
		add_rowf(page, "", "not met: %s (%s)", shown->unmet,
			 result_reason_name(shown->unmet_reason));
}

static void add_clock(const struct page *page, const struct shown_test *shown)
{
	unsigned int cpus = topo_cpus(&shown->topology);

	if (shown->host->clock == VM_CLOCK_REAL)
		add_rowf(page, "clock", "real");
	else if (cpus == 1)
		add_rowf(page, "clock", "virtual: %.4g MIPS, seed %d", shown->speed.cpu_mips,
			 HARNESS_DEFAULT_SEED);
	else
		add_rowf(page, "clock",
			 "virtual: %.4g MIPS of each of %u CPUs when all are busy, %.4g together, "
			 "seed %d",
			 shown->speed.cpu_mips, cpus, shown->speed.total_mips,
			 HARNESS_DEFAULT_SEED);
}

static void add_limit(const struct page *page, const struct shown_test *shown)
{
	_cleanup_strbuf_ struct strbuf limit = STRBUF_INIT;

	text_format_duration(&limit, shown->limit_ns);
	if (shown->host->clock == VM_CLOCK_VIRTUAL)
		add_rowf(page, "time limit", "%s of the guest's time: %s", strbuf_str(&limit),
			 strbuf_str(&shown->limit_sum));
	else
		add_rowf(page, "time limit", "%s with %s: %s", strbuf_str(&limit),
			 shown->host->accel, strbuf_str(&shown->limit_sum));
	add_rowf(page, "", "%s: %s", shown->host->accel, shown->host->accel_reason);
}

static void add_course(const struct page *page, const struct shown_test *shown)
{
	const struct exchange_declared_test *test = shown->test;
	bool works = false;

	for (size_t i = 0; i < test->cgroups.n; i++)
		works |= test->cgroups.at[i].work != NULL;
	if (works || !test->has_run)
		add_rowf(page, "runs", "%u s%s", test->duration_s,
			 test->has_run ? ", and its own function meanwhile" : "");
	else
		add_rowf(page, "runs", "as long as its own function");
	add_limit(page, shown);
	if (test->expect == KTSTR_REASON_NONE)
		add_rowf(page, "expected", "it passes");
	else
		add_rowf(page, "expected", "it fails: %s, %s", result_reason_name(test->expect),
			 result_reason_meaning(test->expect));
}

/* Tables stand in from the edge like everything else. */
static void add_table(const struct page *page, struct text_table *table)
{
	struct text_look look = *page->look;

	look.indent = INDENT;
	strbuf_append_char(page->into, '\n');
	text_table_format(table, &look, page->into);
}

static void append_cpus_word(struct strbuf *into, const struct ktstr_cpus *cpus)
{
	if (cpus->kind == KTSTR_CPUS_LLC)
		strbuf_appendf(into, "LLC %u", cpus->first);
	else if (cpus->kind == KTSTR_CPUS_NODE)
		strbuf_appendf(into, "node %u", cpus->first);
	else if (cpus->kind == KTSTR_CPUS_RANGE)
		strbuf_appendf(into, "CPUs %u-%u", cpus->first, cpus->last);
	else
		strbuf_append(into, "all");
}

static void append_work(struct strbuf *into, const struct exchange_declared_cgroup *cgroup)
{
	if (!cgroup->work) {
		strbuf_append(into, "none");
		return;
	}
	strbuf_appendf(into, "%u x %s", cgroup->workers, cgroup->work);
#define KTSTR_WORK_PARAM(name, words) \
	if (cgroup->name)             \
		strbuf_appendf(into, ", %u ms %s", cgroup->name, words);
#include <ktstr/work_params.def>
#undef KTSTR_WORK_PARAM
}

static void add_cgroups(const struct page *page, const struct shown_test *shown)
{
	_cleanup_text_table_ struct text_table *table = TEXT_TABLE("cgroup", "declared", "CPUs",
								   "~work");

	for (size_t i = 0; i < shown->cgroups.n; i++) {
		const struct shown_cgroup *cgroup = &shown->cgroups.at[i];
		_cleanup_strbuf_ struct strbuf word = STRBUF_INIT, cpus = STRBUF_INIT;
		_cleanup_strbuf_ struct strbuf work = STRBUF_INIT;

		append_cpus_word(&word, &cgroup->declared->cpus);
		if (cgroup->exists)
			topo_cpuset_format(&cgroup->cpus, &cpus);
		else
			strbuf_append(&cpus, "not on this machine");
		append_work(&work, cgroup->declared);
		text_table_add_row(table, cgroup->declared->name, strbuf_str(&word),
				   strbuf_str(&cpus), strbuf_str(&work));
	}
	if (shown->cgroups.n)
		add_table(page, table);
}

static void add_checks(const struct page *page, const struct shown_test *shown)
{
	const struct exchange_declared_test *test = shown->test;
	_cleanup_text_table_ struct text_table *table = TEXT_TABLE("check", "wanted", "by");

	for (size_t i = 0; i < checks_n_rows; i++) {
		_cleanup_strbuf_ struct strbuf wanted = STRBUF_INIT;

		checks_format(&checks_rows[i], &test->checks, &wanted);
		text_table_add_row(table, checks_rows[i].name, strbuf_str(&wanted),
				   shown_check_source(test, checks_rows[i].name));
	}
	add_table(page, table);
}

static void add_files(const struct page *page, const struct shown_test *shown)
{
	_cleanup_text_table_ struct text_table *table = TEXT_TABLE("file", ">size", "~found");
	_cleanup_free_ char *place = xasprintf("%s:%d: %s: ", shown->test->file, shown->test->line,
					       shown->test->name);
	const char *at, *end;

	for (size_t i = 0; i < shown->files.n; i++) {
		const struct harness_test_file *file = &shown->files.at[i];

		text_table_add(table, file->name);
		text_table_add_bytes(table, file->bytes);
		text_table_add(table, file->path);
	}
	add_table(page, table);
	for (at = strbuf_str(&shown->missing); *at; at = end + (*end == '\n')) {
		/* The location of the test is printed above. */
		if (strncmp(at, place, strlen(place)) == 0)
			at += strlen(place);
		end = strchrnul(at, '\n');
		add_rowf(page, "not found", "%.*s", (int)(end - at), at);
	}
}

void shown_test_format(const struct shown_test *shown, const struct text_look *look,
		       struct strbuf *into)
{
	const struct exchange_declared_test *test = shown->test;
	const struct page page = { into, look };

	strbuf_append(into, look->colour ? TEXT_BOLD : "");
	text_escape(into, shown->suite->name);
	strbuf_appendf(into, ":%s%s", test->name, look->colour ? TEXT_RESET : "");
	strbuf_append_repeated(into, ' ', 2);
	text_escape(into, test->file);
	strbuf_appendf(into, ":%d\n", test->line);
	if (*test->description) {
		_cleanup_strbuf_ struct strbuf safe = STRBUF_INIT;

		text_escape(&safe, test->description);
		strbuf_append_repeated(into, ' ', INDENT);
		text_wrap(into, strbuf_str(&safe), INDENT, columns_of(&page));
		strbuf_append_char(into, '\n');
	}
	strbuf_append_char(into, '\n');
	add_machine(&page, shown);
	add_clock(&page, shown);
	add_scheduler(&page, shown);
	add_needs(&page, shown);
	add_course(&page, shown);
	add_cgroups(&page, shown);
	add_checks(&page, shown);
	add_files(&page, shown);
}
