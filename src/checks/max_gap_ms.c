// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/clock.h"
#include "checks/check.h"

/* A worker that had to be killed has no checkpoint after a gap that lasted until then. */
static bool gap_lasted(const struct exchange_worker *w)
{
	return exchange_worker_was_killed(w) && w->gap_at_ns == w->wall_ns;
}

/* The time is that of the gap's end. The CPU is the next one, or the last if the gap lasted. */
static char *describe_gap(const struct exchange_worker *w, const char *cgroup)
{
	double at_s = (double)w->gap_at_ns / (double)NS_PER_SEC;
	_cleanup_free_ char *cpu = w->has_gap_cpu ? xasprintf(" on CPU %u", w->gap_cpu)
						  : xstrdup("");

	if (gap_lasted(w))
		return xasprintf("worker %u (%s) of %s%s%s: until the end, %.1f s into its work, "
				 "it could not run for",
				 w->pid, w->kind, cgroup, w->has_gap_cpu ? " was last" : "", cpu,
				 at_s);
	return xasprintf("worker %u (%s) of %s ran again %.1f s into its work%s; before that it "
			 "could not run for",
			 w->pid, w->kind, cgroup, at_s, cpu);
}

static void evaluate(struct checks_subject *s, double limit)
{
	struct checks_error_bar bar = checks_error_bar_for(CHECKS_ERROR_BAR_WAIT, s->facts);
	const struct exchange_worker *worst = NULL;
	_cleanup_free_ char *what = NULL;

	for (size_t i = 0; i < s->workers.n; i++) {
		const struct exchange_worker *w = s->workers.at[i];

		if (exchange_worker_never_started(w))
			continue;
		if (w->samples == 0)
			checks_part(s->into, KTSTR_REASON_NO_EVIDENCE,
				    "gap of %s: worker %u (%s) took no time sample",
				    s->cgroup->name, w->pid, w->kind);
		if (!worst || w->max_gap_ns > worst->max_gap_ns)
			worst = w;
	}
	if (!worst)
		return;
	what = describe_gap(worst, s->cgroup->name);
	checks_error_bar_judge(&bar, s, "gap", what, (double)worst->max_gap_ns / (double)NS_PER_MS,
			       limit, "ms");
}

static const char *refused(double limit)
{
	return limit > 0 && limit < 1e9 ? NULL : "a possible time";
}

const struct checks_check checks_max_gap_ms = {
	.word = "gap",
	.judges_time = true,
	.impossible = checks_no_work,
	.refused = refused,
	.of_cgroup = evaluate,
};
