// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/clock.h"
#include "checks/check.h"

static void tell_outside(struct checks_subject *s, const struct exchange_worker *w)
{
	_cleanup_strbuf_ struct strbuf outside = STRBUF_INIT, had = STRBUF_INIT;

	topo_cpuset_format(&w->outside, &outside);
	topo_cpuset_format(&w->outside_had, &had);
	checks_part(s->into, KTSTR_REASON_CHECK,
		    "worker %u (%s) ran on CPU %s, %.1f s into its work; its cgroup %s had %s then",
		    w->pid, w->kind, strbuf_str(&outside),
		    (double)w->outside_at_ns / (double)NS_PER_SEC, s->cgroup->name,
		    strbuf_str(&had));
}

static void evaluate(struct checks_subject *s, double limit UNUSED)
{
	const char *name = s->cgroup->name;
	size_t at_home = 0;

	for (size_t i = 0; i < s->workers.n; i++) {
		const struct exchange_worker *w = s->workers.at[i];

		if (exchange_worker_never_started(w))
			continue;
		if (topo_cpuset_count(&w->outside))
			tell_outside(s, w);
		else if (!w->has_outside)
			checks_part(s->into, KTSTR_REASON_NO_EVIDENCE,
				    "isolation of %s: the CPUs of worker %u (%s) were not compared "
				    "with those of its cgroup",
				    name, w->pid, w->kind);
		else
			at_home++;
	}
	checks_note(s->into, "isolation %s: %zu of %zu workers seen on CPUs of their cgroup only",
		    name, at_home, s->workers.n);
}

const struct checks_check checks_isolation = {
	.impossible = checks_no_work,
	.of_cgroup = evaluate,
};
