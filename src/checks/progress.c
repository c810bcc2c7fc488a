// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "checks/check.h"

double checks_stall_limit_ms(size_t workers, const struct checks_cgroup *cgroup)
{
	size_t cpus = topo_cpuset_count(&cgroup->cpus);
	size_t turns;

	if (cpus == 0)
		cpus = 1;
	turns = workers / cpus + (workers % cpus != 0);
	return CHECKS_STALL_LEAST_MS + (double)turns * CHECKS_STALL_TURN_MS;
}

static void tell_early_end(struct checks_subject *s, const struct exchange_worker *w)
{
	const char *name = s->cgroup->name;

	if (str_starts_with(w->end, "signalled "))
		checks_part(s->into, KTSTR_REASON_CHECK,
			    "worker %u (%s) of %s was ended by signal %s", w->pid, w->kind, name,
			    w->end + strlen("signalled "));
	else if (str_starts_with(w->end, "exited"))
		checks_part(s->into, KTSTR_REASON_CHECK,
			    "worker %u (%s) of %s ended by itself (%s)", w->pid, w->kind, name,
			    w->end);
	else
		checks_part(s->into, KTSTR_REASON_CHECK, "worker %u (%s) of %s was lost (%s)",
			    w->pid, w->kind, name, w->end);
}

/*
 * Whether it wanted a CPU and had none when the work was over, for longer than that can be without
 * fault. One that got something done and is not stalled makes progress, whole iterations or not.
 */
static bool makes_progress(struct checks_subject *s, const struct exchange_worker *w)
{
	double measured = (double)w->stall_ns / (double)NS_PER_MS;
	double limit = checks_stall_limit_ms(s->facts->n_workers, s->cgroup);
	struct checks_error_bar bar = checks_error_bar_for(CHECKS_ERROR_BAR_STALL, s->facts);
	_cleanup_free_ char *text = NULL;
	_cleanup_free_ char *what = xasprintf(
		"worker %u (%s) of %s %s: it could not run for", w->pid, w->kind, s->cgroup->name,
		w->units ? "made no progress at the end" : "did no work");
	enum ktstr_reason reason = checks_error_bar_decide(&bar, what, measured, limit, "ms",
							   &text);

	if (reason != KTSTR_REASON_NONE)
		checks_part(s->into, reason, "%s", text);
	else if (w->units == 0)
		checks_part(
			s->into, KTSTR_REASON_NO_EVIDENCE,
			"%s %.0f ms, and a worker may wait up to %.0f ms here: run the work longer",
			what, measured, limit);
	else
		return true;
	return false;
}

static void evaluate(struct checks_subject *s, double limit UNUSED)
{
	size_t fine = 0;

	for (size_t i = 0; i < s->workers.n; i++) {
		const struct exchange_worker *w = s->workers.at[i];

		if (exchange_worker_never_started(w))
			continue;
		if (!exchange_worker_worked_to_the_end(w))
			tell_early_end(s, w);
		else
			fine += makes_progress(s, w);
	}
	checks_note(s->into, "progress %s: %zu of %zu workers", s->cgroup->name, fine,
		    s->workers.n);
}

/* To stop, a worker needs a CPU once. One that gets none for seconds is starved. */
static void check_stopped(struct checks_subject *s)
{
	for (size_t i = 0; i < s->workers.n; i++) {
		const struct exchange_worker *w = s->workers.at[i];

		if (exchange_worker_was_killed(w))
			checks_part(s->into, KTSTR_REASON_WORKER_KILLED,
				    "worker %u (%s) of %s did not stop when it was asked to%s",
				    w->pid, w->kind, s->cgroup->name,
				    strcmp(w->end, "stuck") == 0 ? ", and SIGKILL did not end it"
								 : "");
	}
}

const struct checks_check checks_progress = {
	.by_default = checks_has_work,
	.impossible = checks_no_work,
	.of_cgroup = evaluate,
	.always_of_cgroup = check_stopped,
};
