// SPDX-License-Identifier: LGPL-2.1-or-later
/* Mistakes in .cgroups and in what is asked of their work. */
#include <string.h>

#include "suite/declared.h"
#include "suite/limits.h"
#include "work/work.h"

static void check_name(struct suite_mistakes *m, const struct ktstr_test *test, size_t i)
{
	const char *name = test->cgroups[i].name;

	/* Without dots: the kernel's own files in a cgroup all have one. */
	if (!*name || name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789_-")])
		suite_mistake(
			m,
			"cgroups[%zu]: \"%s\" is not a name for a cgroup: letters, digits, _ and - "
			"are allowed",
			i, name);
	else if (strlen(name) > SUITE_LIMIT_NAME)
		suite_mistake(m, "cgroups[%zu]: the name is longer than %d bytes", i,
			      SUITE_LIMIT_NAME);
	for (size_t j = 0; j < i; j++)
		if (strcmp(test->cgroups[j].name, name) == 0) {
			suite_mistake(m, "cgroups[%zu]: the name \"%s\" is taken by cgroups[%zu]",
				      i, name, j);
			break;
		}
}

static void check_cpus(struct suite_mistakes *m, const struct ktstr_test *test, size_t i)
{
	const struct ktstr_cpus *cpus = &test->cgroups[i].cpus;
	const char *name = test->cgroups[i].name;
	struct topo t = suite_declared_topology(test);
	struct error *impossible = topo_check(&t);

	if (impossible) {
		/* Said already; of such a machine nothing else can be said. */
		error_free(impossible);
		return;
	}
	switch (cpus->kind) {
	case KTSTR_CPUS_ALL:
		break;
	case KTSTR_CPUS_LLC:
		if (cpus->first >= t.llcs)
			suite_mistake(m, "cgroup %s: LLC %u, but the machine's last one is %u",
				      name, cpus->first, t.llcs - 1);
		break;
	case KTSTR_CPUS_NODE:
		if (cpus->first >= t.nodes)
			suite_mistake(m, "cgroup %s: node %u, but the machine's last one is %u",
				      name, cpus->first, t.nodes - 1);
		break;
	case KTSTR_CPUS_RANGE:
		if (cpus->first > cpus->last)
			suite_mistake(m, "cgroup %s: the range of CPUs %u to %u is empty", name,
				      cpus->first, cpus->last);
		else if (cpus->last >= topo_cpus(&t))
			suite_mistake(m, "cgroup %s: CPU %u, but the machine's last one is %u",
				      name, cpus->last, topo_cpus(&t) - 1);
		break;
	default:
		suite_mistake(m, "cgroup %s: %d is not a kind of CPUs", name, (int)cpus->kind);
	}
}

static void check_work(struct suite_mistakes *m, const char *name, struct ktstr_work work)
{
	const struct work_kind_info *info = work_kind_info(work.kind);
	struct ktstr_work normal = info ? info->normal : (struct ktstr_work){ 0 };

	if (work.kind != KTSTR_WORK_NONE && !info) {
		suite_mistake(m, "cgroup %s: %d is not a kind of work", name, (int)work.kind);
		return;
	}
	if (!info && work.workers)
		suite_mistake(m, "cgroup %s: work without its kind", name);
	for (size_t i = 0; i < work_n_params; i++) {
		const char *what = work_params[i].name;
		unsigned int ms = *work_param_of(&work, &work_params[i]);

		if (ms && !info)
			suite_mistake(m, "cgroup %s: %s without a kind of work", name, what);
		else if (ms && !*work_param_of(&normal, &work_params[i]))
			suite_mistake(m, "cgroup %s: %s has no effect on the work \"%s\"", name,
				      what, info->name);
		else if (ms > SUITE_LIMIT_WORK_MS)
			suite_mistake(m, "cgroup %s: %s is %u, at most %d is possible", name, what,
				      ms, SUITE_LIMIT_WORK_MS);
	}
}

void suite_validate_cgroups(struct suite_mistakes *m, const struct ktstr_test *test)
{
	size_t n = suite_declared_cgroup_count(test);
	uint64_t workers = 0;

	if (n > KTSTR_MAX_CGROUPS) {
		suite_mistake(m, "cgroups: too many rows, at most %d are possible",
			      KTSTR_MAX_CGROUPS);
		return;
	}
	for (size_t i = n; i <= KTSTR_MAX_CGROUPS; i++)
		if (test->cgroups[i].name || test->cgroups[i].work.kind ||
		    test->cgroups[i].cpus.kind) {
			suite_mistake(
				m, "cgroups[%zu] has no name, or comes after a row without one", i);
			break;
		}
	for (size_t i = 0; i < n; i++) {
		check_name(m, test, i);
		check_cpus(m, test, i);
		check_work(m, test->cgroups[i].name, test->cgroups[i].work);
		workers += suite_declared_workers(&test->cgroups[i].work);
	}
	if (workers > SUITE_LIMIT_WORKERS)
		suite_mistake(m, "%llu workers, at most %d are possible",
			      (unsigned long long)workers, SUITE_LIMIT_WORKERS);
}

void suite_validate_checks(struct suite_mistakes *m, const struct ktstr_test *test)
{
	struct checks_scene scene = suite_declared_scene(test);

	for (size_t i = 0; i < checks_n_rows; i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
		char *rest = NULL, *line;

		checks_validate(&checks_rows[i], &test->checks, &scene, &text);
		for (line = text.n ? strtok_r(text.at, "\n", &rest) : NULL; line;
		     line = strtok_r(NULL, "\n", &rest))
			suite_mistake(m, "%s", line);
	}
}
