// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "base/str.h"
#include "checks/check.h"

/* Parts of a hundred of its CPU time that a worker must have had under the scheduler. */
enum { UNDER_SCHEDULER_PCT = 95, UNDER_RESTARTING_PCT = 50 };

static void check_class_of(struct checks_subject *s, const struct exchange_worker *w,
			   unsigned int least)
{
	uint64_t known_ns = w->ext_ns + w->other_ns, samples = w->ext_samples + w->other_samples;
	/* One that hardly computes has no CPU time to speak of: then samples count. */
	double share = known_ns ? (double)w->ext_ns / (double)known_ns
				: (double)w->ext_samples / (double)samples;

	if (100 * share >= least)
		return;
	checks_part(s->into, KTSTR_REASON_SCHED_UNUSED,
		    "worker %u (%s) of %s had %.0f %% of its CPU time under sched_ext (%llu of "
		    "%llu samples), at least %u %% are needed",
		    w->pid, w->kind, s->cgroup->name, 100 * share,
		    (unsigned long long)w->ext_samples, (unsigned long long)samples, least);
}

/* A scheduler that did not schedule the work was not tested. */
static void check_scheduled(struct checks_subject *s)
{
	unsigned int least = s->facts->may_restart ? UNDER_RESTARTING_PCT : UNDER_SCHEDULER_PCT;

	if (!s->facts->has_scheduler)
		return;
	for (size_t i = 0; i < s->workers.n; i++) {
		const struct exchange_worker *w = s->workers.at[i];

		if (!exchange_worker_worked_to_the_end(w))
			continue;
		if (w->ext_samples || w->other_samples)
			check_class_of(s, w, least);
		else
			checks_part(
				s->into, KTSTR_REASON_NO_EVIDENCE,
				"the scheduling class of worker %u (%s) of %s could not be read",
				w->pid, w->kind, s->cgroup->name);
	}
}

/* The kernel's word counts, whatever the guest's side made of it. */
static void check_kernel_reason(const struct checks_facts *facts, struct checks_findings *into)
{
	const char *reason = facts->scheduler->kernel_reason;

	if (reason && !str_starts_with(reason, "unregistered") && !facts->exit_reported &&
	    !facts->stop_reported)
		checks_part(into, KTSTR_REASON_SCHED_EXIT, "the kernel ended the scheduler: %s",
			    reason);
}

/* One that would not stop, or not cleanly, was alive. */
static bool was_alive(const struct exchange_scheduler *s)
{
	return s->asked || strcmp(s->end, "stopped") == 0 || strcmp(s->end, "killed") == 0 ||
	       strcmp(s->end, "stuck") == 0;
}

/* False when it had ended before anybody stopped it. */
static bool check_scheduler(const struct checks_facts *facts, struct checks_findings *into)
{
	const struct exchange_scheduler *s = facts->scheduler;
	const char *name = s->ops ? s->ops : "";

	if (!facts->has_scheduler)
		return true;
	if (!s->ended || !s->end) {
		checks_part(into, KTSTR_REASON_NO_EVIDENCE,
			    "it was not reported whether the scheduler %s",
			    s->attached ? "lived to the end" : "was attached");
		return true;
	}
	if (was_alive(s)) {
		checks_note(into, "scheduler %s: alive at the end (%s)", name, s->end);
		check_kernel_reason(facts, into);
		if (s->restarts)
			checks_note(into, "scheduler %s: restarted %llu times", name,
				    (unsigned long long)s->restarts);
		return true;
	}
	if (!facts->exit_reported)
		checks_part(into, KTSTR_REASON_SCHED_EXIT,
			    "the scheduler had ended before it was stopped: %s%s%s", s->end,
			    s->kernel_reason ? "; the kernel says: " : "",
			    s->kernel_reason ? s->kernel_reason : "");
	return false;
}

static bool has_scheduler(const struct checks_scene *scene)
{
	return scene->has_scheduler;
}

static const char *no_scheduler(const struct checks_scene *scene)
{
	return scene->has_scheduler ? NULL : "there is no scheduler to be checked";
}

const struct checks_check checks_scheduler_alive = {
	.word = "class",
	.by_default = has_scheduler,
	.impossible = no_scheduler,
	.of_test = check_scheduler,
	.first_of_cgroup = check_scheduled,
};
