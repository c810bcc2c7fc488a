// SPDX-License-Identifier: LGPL-2.1-or-later
#include "checks/check.h"

#include <string.h>

/* Every declared worker has one report, and each of them was started. */
static bool check_reports(struct checks_subject *s)
{
	const char *name = s->cgroup->name;

	for (size_t i = 0; i < s->workers.n; i++)
		if (exchange_worker_never_started(s->workers.at[i]))
			checks_part(s->into, KTSTR_REASON_SETUP,
				    "worker %u (%s) of %s never started", s->workers.at[i]->pid,
				    s->workers.at[i]->kind, name);
	checks_end(s->into, "workers", name);
	if (s->workers.n == s->cgroup->workers)
		return true;
	checks_part(s->into, KTSTR_REASON_NO_EVIDENCE, "%s was given %u workers, %zu reported",
		    name, s->cgroup->workers, s->workers.n);
	checks_end(s->into, "workers", name);
	/* What did report counts all the same. */
	return s->workers.n > 0;
}

static void check_cgroup(struct checks_subject *s, struct ktstr_checks *asked)
{
	const char *name = s->cgroup->name;

	for (size_t i = 0; i < checks_n_rows; i++) {
		const struct checks_check *check = checks_rows[i].check;

		if (check->first_of_cgroup && checks_is_asked(&checks_rows[i], asked)) {
			check->first_of_cgroup(s);
			checks_end(s->into, check->word, name);
		}
	}
	for (size_t i = 0; i < checks_n_rows; i++) {
		const struct checks_row *row = &checks_rows[i];
		const struct checks_check *check = row->check;

		if (check->of_cgroup && checks_is_asked(row, asked)) {
			check->of_cgroup(s, row->form == CHECKS_DEMAND
						    ? 0
						    : checks_limit(row, asked)->value);
			checks_end(s->into, check->word ? check->word : row->name, name);
		}
		if (check->always_of_cgroup) {
			check->always_of_cgroup(s);
			checks_end(s->into, "stop", name);
		}
	}
}

static bool check_test(const struct checks_facts *facts, const struct ktstr_checks *asked,
		       struct checks_findings *into)
{
	for (size_t i = 0; i < checks_n_rows; i++) {
		const struct checks_check *check = checks_rows[i].check;

		if (check->of_test && checks_is_asked(&checks_rows[i], asked) &&
		    !check->of_test(facts, into))
			return false;
	}
	into->added_ = 0;
	return true;
}

static struct checks_scene scene_of(const struct checks_facts *facts)
{
	struct checks_scene scene = { .has_scheduler = facts->has_scheduler };

	for (size_t i = 0; i < facts->n_cgroups; i++)
		if (facts->cgroups[i].workers > scene.most_workers)
			scene.most_workers = facts->cgroups[i].workers;
	return scene;
}

void checks_evaluate(const struct checks_facts *facts, struct checks_findings *into)
{
	struct checks_scene scene = scene_of(facts);
	struct ktstr_checks asked = checks_resolve(&facts->asked, &scene);

	if (!check_test(facts, &asked, into))
		return;
	for (size_t i = 0; i < facts->n_cgroups; i++) {
		struct checks_subject s = {
			.facts = facts,
			.cgroup = &facts->cgroups[i],
			.into = into,
		};

		for (size_t j = 0; j < facts->n_workers; j++)
			if (strcmp(facts->workers[j].cgroup, s.cgroup->name) == 0)
				vec_push(&s.workers, &facts->workers[j]);
		if (check_reports(&s))
			check_cgroup(&s, &asked);
		vec_deinit(&s.workers);
	}
	for (size_t i = 0; i < checks_n_rows; i++)
		if (checks_rows[i].check->last && checks_is_asked(&checks_rows[i], &asked))
			checks_rows[i].check->last(facts, into);
}
