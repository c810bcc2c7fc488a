// SPDX-License-Identifier: LGPL-2.1-or-later
#include "checks/check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void checks_note(struct checks_findings *findings, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vec_push(&findings->notes, xvasprintf(fmt, args));
	va_end(args);
}

void checks_part(struct checks_findings *findings, enum ktstr_reason reason, const char *fmt, ...)
{
	struct checks_part part = { .reason = reason };
	va_list args;

	if (findings->added_++ >= CHECKS_LIMIT_PARTS)
		return;
	va_start(args, fmt);
	part.text = xvasprintf(fmt, args);
	va_end(args);
	vec_push(&findings->parts, part);
}

/* The check is over: notes how many parts were only counted. */
static void end_check(struct checks_findings *findings, const char *check, const char *cgroup)
{
	if (findings->added_ > CHECKS_LIMIT_PARTS)
		checks_note(findings, "%s %s: %zu more like this", check, cgroup,
			    findings->added_ - CHECKS_LIMIT_PARTS);
	findings->added_ = 0;
}

void checks_findings_deinit(struct checks_findings *findings)
{
	for (size_t i = 0; i < findings->parts.n; i++)
		free(findings->parts.at[i].text);
	for (size_t i = 0; i < findings->notes.n; i++)
		free(findings->notes.at[i]);
	vec_deinit(&findings->parts);
	vec_deinit(&findings->notes);
	*findings = (struct checks_findings){ 0 };
}

/* Every declared worker has one report, and each of them was started. */
static bool check_reports(struct checks_subject *s)
{
	const char *name = s->cgroup->name;

	for (size_t i = 0; i < s->workers.n; i++)
		if (exchange_worker_never_started(s->workers.at[i]))
			checks_part(s->into, KTSTR_REASON_SETUP,
				    "worker %u (%s) of %s never started", s->workers.at[i]->pid,
				    s->workers.at[i]->kind, name);
	end_check(s->into, "workers", name);
	if (s->workers.n == s->cgroup->workers)
		return true;
	checks_part(s->into, KTSTR_REASON_NO_EVIDENCE, "%s was given %u workers, %zu reported",
		    name, s->cgroup->workers, s->workers.n);
	end_check(s->into, "workers", name);
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
			end_check(s->into, check->word, name);
		}
	}
	for (size_t i = 0; i < checks_n_rows; i++) {
		const struct checks_row *row = &checks_rows[i];
		const struct checks_check *check = row->check;

		if (check->of_cgroup && checks_is_asked(row, asked)) {
			check->of_cgroup(s, row->form == CHECKS_DEMAND
						    ? 0
						    : checks_limit(row, asked)->value);
			end_check(s->into, check->word ? check->word : row->name, name);
		}
		if (check->always_of_cgroup) {
			check->always_of_cgroup(s);
			end_check(s->into, "stop", name);
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
