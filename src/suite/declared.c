// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/declared.h"

#include <string.h>

#include "checks/check.h"
#include "exchange/codecs.h"
#include "work/work.h"

static unsigned int or_default(unsigned int value, unsigned int otherwise)
{
	return value ? value : otherwise;
}

struct topo suite_declared_topology(const struct ktstr_test *test)
{
	struct topo t = TOPO_DEFAULT;

	t.nodes = or_default(test->topology.nodes, t.nodes);
	t.llcs = or_default(test->topology.llcs, t.llcs);
	t.cores = or_default(test->topology.cores, t.cores);
	t.threads = or_default(test->topology.threads, t.threads);
	return t;
}

unsigned int suite_declared_duration_s(const struct ktstr_test *test)
{
	return or_default(test->duration_s, SUITE_DEFAULT_DURATION_S);
}

/* A worker in any cgroup. */
static bool has_work(const struct ktstr_test *test)
{
	for (size_t i = 0; i < suite_declared_cgroup_count(test); i++)
		if (test->cgroups[i].work.kind != KTSTR_WORK_NONE)
			return true;
	return false;
}

bool suite_declared_is_timed(const struct ktstr_test *test)
{
	return !test->run || has_work(test);
}

bool suite_declared_has_scheduler(const struct ktstr_test *test)
{
	return test->scheduler.argv[0] != NULL;
}

const char *suite_declared_scheduler_name(const struct ktstr_test *test)
{
	const char *program = test->scheduler.argv[0], *slash;

	if (!program)
		return NULL;
	if (test->scheduler.name)
		return test->scheduler.name;
	slash = strrchr(program, '/');
	return slash && slash[1] ? slash + 1 : program;
}

unsigned int suite_declared_workers(const struct ktstr_work *work)
{
	return work->kind == KTSTR_WORK_NONE ? 0 : or_default(work->workers, SUITE_DEFAULT_WORKERS);
}

struct checks_scene suite_declared_scene(const struct ktstr_test *test)
{
	struct checks_scene scene = { .has_scheduler = suite_declared_has_scheduler(test) };

	for (size_t i = 0; i < suite_declared_cgroup_count(test); i++)
		if (suite_declared_workers(&test->cgroups[i].work) > scene.most_workers)
			scene.most_workers = suite_declared_workers(&test->cgroups[i].work);
	return scene;
}

struct ktstr_checks suite_declared_checks(const struct ktstr_test *test)
{
	struct checks_scene scene = suite_declared_scene(test);

	return checks_resolve(&test->checks, &scene);
}

size_t suite_declared_count(const char *const *texts, size_t limit)
{
	size_t n = 0;

	while (n <= limit && texts[n])
		n++;
	return n;
}

size_t suite_declared_cgroup_count(const struct ktstr_test *test)
{
	size_t n = 0;

	while (n <= KTSTR_MAX_CGROUPS && test->cgroups[n].name)
		n++;
	return n;
}

struct ktstr_work suite_declared_work(const struct ktstr_work *work)
{
	struct ktstr_work ret = work_resolve(work);

	ret.workers = suite_declared_workers(work);
	return ret;
}

/* Weak: a program without tests has no such section, and shall be able to say so. */
extern const struct ktstr_entry *const __start_ktstr_entries[] __attribute__((weak));
extern const struct ktstr_entry *const __stop_ktstr_entries[] __attribute__((weak));

static int compare(const void *a, const void *b)
{
	const struct ktstr_entry *left = *(const struct ktstr_entry *const *)a;
	const struct ktstr_entry *right = *(const struct ktstr_entry *const *)b;
	int order = strcmp(left->name, right->name);

	if (order == 0)
		order = strcmp(left->file, right->file);
	return order ? order : left->line - right->line;
}

void suite_entries_collect(const struct ktstr_entry *const *first,
			   const struct ktstr_entry *const *end, struct suite_entry_list *ret)
{
	struct suite_entry_list list = { 0 };

	for (; first < end; first++)
		if (*first)
			vec_push(&list.rows, *first);
	if (list.rows.n)
		qsort(list.rows.at, list.rows.n, sizeof(*list.rows.at), compare);
	*ret = list;
}

void suite_entries_of_program(struct suite_entry_list *ret)
{
	suite_entries_collect(__start_ktstr_entries, __stop_ktstr_entries, ret);
}

void suite_entry_list_deinit(struct suite_entry_list *list)
{
	vec_deinit(&list->rows);
}

const struct ktstr_entry *suite_entries_find(const struct suite_entry_list *list, const char *name)
{
	for (size_t i = 0; i < list->rows.n; i++)
		if (strcmp(list->rows.at[i]->name, name) == 0)
			return list->rows.at[i];
	return NULL;
}

const char *suite_reason_name(enum ktstr_reason reason)
{
	/* An author can write any number, and an enum of positive values may be unsigned. */
	return (unsigned int)reason < KTSTR_N_REASONS ? exchange_reason_names[reason] : NULL;
}

bool suite_reason_is_expectable(enum ktstr_reason reason)
{
	if ((unsigned int)reason >= KTSTR_N_REASONS)
		return false;
	/* These two describe an expectation, so they cannot be expected. */
	return exchange_reason_verdicts[reason] == KTSTR_FAIL &&
	       reason != KTSTR_REASON_DID_NOT_FAIL && reason != KTSTR_REASON_OTHER_FAILURE;
}
