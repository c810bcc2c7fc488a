// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "checks/check.h"

static bool computes(const struct exchange_worker *worker)
{
	static const struct {
		const char *name;
		bool computes;
	} kinds[] = {
#define KTSTR_WORK_KIND(id, name, meaning, iteration, computes, ...) { #name, computes },
#include <ktstr/work_kinds.def>
#undef KTSTR_WORK_KIND
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(worker->kind, kinds[i].name) == 0 && !kinds[i].computes)
			return false;
	return !exchange_worker_never_started(worker);
}

struct checks_spread checks_spread_of(const struct exchange_worker *workers, size_t n,
				      const char *cgroup)
{
	uint64_t least = UINT64_MAX, most = 0;
	struct checks_spread spread = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (strcmp(workers[i].cgroup, cgroup) != 0 || !computes(&workers[i]))
			continue;
		spread.workers++;
		least = workers[i].cpu_ns < least ? workers[i].cpu_ns : least;
		most = workers[i].cpu_ns > most ? workers[i].cpu_ns : most;
	}
	spread.known = spread.workers >= 2 && most > 0;
	if (spread.known)
		spread.pct = 100 * (double)(most - least) / (double)most;
	return spread;
}

static struct checks_spread spread_in(const struct checks_facts *facts, const char *cgroup)
{
	return checks_spread_of(facts->workers, facts->n_workers, cgroup);
}

static void evaluate(struct checks_subject *s, double limit)
{
	struct checks_error_bar bar = checks_error_bar_for(CHECKS_ERROR_BAR_SHARE, s->facts);
	struct checks_spread spread = spread_in(s->facts, s->cgroup->name);
	_cleanup_free_ char *what = NULL;

	if (spread.workers < 2)
		return;
	if (!spread.known) {
		checks_part(s->into, KTSTR_REASON_NO_EVIDENCE,
			    "spread of %s: no worker had any CPU time", s->cgroup->name);
		return;
	}
	what = xasprintf("spread of %s is", s->cgroup->name);
	checks_error_bar_judge(&bar, s, "spread", what, spread.pct, limit, "%");
}

/* A cgroup without any worker report already has a part of its own. */
static bool was_compared(const struct checks_facts *facts, const char *cgroup)
{
	bool reported = false;

	for (size_t i = 0; i < facts->n_workers; i++)
		reported |= strcmp(facts->workers[i].cgroup, cgroup) == 0;
	return !reported || spread_in(facts, cgroup).workers >= 2;
}

static void tell_if_none_was_compared(const struct checks_facts *facts,
				      struct checks_findings *into)
{
	for (size_t i = 0; i < facts->n_cgroups; i++)
		if (was_compared(facts, facts->cgroups[i].name))
			return;
	if (facts->n_cgroups)
		checks_part(into, KTSTR_REASON_NO_EVIDENCE,
			    "spread: no cgroup has two workers that computed");
}

static const char *nothing_to_compare(const struct checks_scene *scene)
{
	return scene->most_workers < 2 ? "no cgroup has two workers to compare" : NULL;
}

/* Written so that what is not a number is refused, too. */
static const char *refused(double limit)
{
	return limit >= 0 && limit <= 100 ? NULL : "a percentage";
}

const struct checks_check checks_max_spread_pct = {
	.word = "spread",
	.judges_time = true,
	.impossible = nothing_to_compare,
	.refused = refused,
	.of_cgroup = evaluate,
	.last = tell_if_none_was_compared,
};
