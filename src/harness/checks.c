// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/checks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "harness/error_bar.h"
#include "harness/limits.h"
#include "harness/progress.h"
#include "harness/spread.h"

/* One cgroup of the declaration and everything that is known about it. */
struct subject {
	const struct declared_test *test;
	const struct test_report *report;
	const struct declared_cgroup *cgroup;
	const struct exchange_cgroup *made; /* NULL: nobody told */
	const struct checks_disturbance *disturbance;
	VEC(const struct exchange_worker *) workers;
	struct outcome *into;
	size_t parts; /* that the check at hand has added */
};

static void note(struct outcome *into, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void note(struct outcome *into, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		abort();
	va_end(args);
	outcome_add_note(into, text);
}

static void part(struct subject *s, enum ktstr_reason reason, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
static void part(struct subject *s, enum ktstr_reason reason, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	if (s->parts++ >= CHECKS_PARTS_LIMIT)
		return;
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		abort();
	va_end(args);
	outcome_add_part(s->into, reason, NULL, 0, text);
}

static void end_check(struct subject *s, const char *check)
{
	if (s->parts > CHECKS_PARTS_LIMIT)
		note(s->into, "%s %s: %zu more like this", check, s->cgroup->name,
		     s->parts - CHECKS_PARTS_LIMIT);
	s->parts = 0;
}

static bool never_started(const struct exchange_worker *w)
{
	return strcmp(w->end, "never-started") == 0;
}

static bool had_to_be_killed(const struct exchange_worker *w)
{
	return strcmp(w->end, "killed") == 0 || strcmp(w->end, "stuck") == 0;
}

/* Whether it stopped or not: it worked until it was asked to. */
static bool worked_to_the_end(const struct exchange_worker *w)
{
	return strcmp(w->end, "finished") == 0 || had_to_be_killed(w);
}

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static void tell_early_end(struct subject *s, const struct exchange_worker *w)
{
	const char *name = s->cgroup->name;

	if (starts_with(w->end, "signalled "))
		part(s, KTSTR_REASON_CHECK, "worker %u (%s) of %s was ended by signal %s", w->pid,
		     w->kind, name, w->end + strlen("signalled "));
	else if (starts_with(w->end, "exited"))
		part(s, KTSTR_REASON_CHECK, "worker %u (%s) of %s ended by itself (%s)", w->pid,
		     w->kind, name, w->end);
	else
		part(s, KTSTR_REASON_CHECK, "worker %u (%s) of %s was lost (%s)", w->pid, w->kind,
		     name, w->end);
}

/*
 * Whether it wanted a CPU and had none when the work was over, for longer than that can be without
 * fault. One that got something done and is not stalled makes progress, whole iterations or not.
 */
static bool makes_progress(struct subject *s, const struct exchange_worker *w)
{
	double measured = (double)w->stall_ns / (double)NS_PER_MS;
	double limit = progress_limit_ms(s->report, s->made);
	struct error_bar bar = error_bar_of_stall(s->disturbance);
	_cleanup_free_ char *text = NULL;
	_cleanup_free_ char *what = xasprintf(
		"worker %u (%s) of %s %s: it could not run for", w->pid, w->kind, s->cgroup->name,
		w->units ? "made no progress at the end" : "got nothing done");
	enum ktstr_reason reason = error_bar_decide(&bar, what, measured, limit, "ms", &text);

	if (reason != KTSTR_REASON_NONE)
		part(s, reason, "%s", text);
	else if (w->units == 0)
		part(s, KTSTR_REASON_NO_EVIDENCE,
		     "%s %.0f ms, and a worker may wait %.0f ms here: let the work last longer",
		     what, measured, limit);
	else
		return true;
	return false;
}

static void check_progress(struct subject *s)
{
	size_t fine = 0;

	for (size_t i = 0; i < s->workers.n; i++) {
		const struct exchange_worker *w = s->workers.at[i];

		if (never_started(w))
			continue;
		if (!worked_to_the_end(w))
			tell_early_end(s, w);
		else
			fine += makes_progress(s, w);
	}
	note(s->into, "progress %s: %zu of %zu workers", s->cgroup->name, fine, s->workers.n);
	end_check(s, "progress");
}

static void tell_outside(struct subject *s, const struct exchange_worker *w)
{
	_cleanup_strbuf_ struct strbuf outside = STRBUF_INIT, had = STRBUF_INIT;

	cpuset_format(&w->outside, &outside);
	cpuset_format(&w->outside_had, &had);
	part(s, KTSTR_REASON_CHECK,
	     "worker %u (%s) ran on CPU %s, %.1f s into its work; its cgroup %s had %s then",
	     w->pid, w->kind, strbuf_str(&outside), (double)w->outside_at_ns / (double)NS_PER_SEC,
	     s->cgroup->name, strbuf_str(&had));
}

static void check_isolation(struct subject *s)
{
	const char *name = s->cgroup->name;
	size_t at_home = 0;

	for (size_t i = 0; i < s->workers.n; i++) {
		const struct exchange_worker *w = s->workers.at[i];

		if (never_started(w))
			continue;
		if (cpuset_count(&w->outside))
			tell_outside(s, w);
		else if (!w->has_outside)
			part(s, KTSTR_REASON_NO_EVIDENCE,
			     "isolation of %s: the CPUs of worker %u (%s) were not compared with "
			     "those of its cgroup",
			     name, w->pid, w->kind);
		else
			at_home++;
	}
	note(s->into, "isolation %s: %zu of %zu workers seen on CPUs of their cgroup only", name,
	     at_home, s->workers.n);
	end_check(s, "isolation");
}

/* False when the cgroup has nothing to compare. */
static bool check_spread(struct subject *s)
{
	const struct ktstr_limit *limit = &s->test->checks.max_spread_pct;
	struct error_bar bar = error_bar_of_share(s->disturbance);
	struct spread spread = spread_of(s->report, s->cgroup->name);

	if (spread.workers < 2)
		return false;
	if (!spread.known) {
		part(s, KTSTR_REASON_NO_EVIDENCE, "spread of %s: no worker had any CPU time",
		     s->cgroup->name);
	} else {
		_cleanup_free_ char *what = xasprintf("spread of %s is", s->cgroup->name);
		_cleanup_free_ char *line = error_bar_format(&bar, "spread", s->cgroup->name,
							     spread.pct, limit->value, "%");
		_cleanup_free_ char *text = NULL;
		enum ktstr_reason reason = error_bar_decide(&bar, what, spread.pct, limit->value,
							    "%", &text);

		outcome_add_note(s->into, line);
		if (reason != KTSTR_REASON_NONE)
			part(s, reason, "%s", text);
	}
	end_check(s, "spread");
	return true;
}

static char *describe_gap(const struct exchange_worker *w, const char *cgroup)
{
	double at_s = (double)w->gap_at_ns / (double)NS_PER_SEC;

	if (!w->has_gap_cpu)
		return xasprintf("worker %u (%s) of %s, %.1f s into its work, could not run for",
				 w->pid, w->kind, cgroup, at_s);
	return xasprintf("worker %u (%s) of %s, %.1f s into its work and last on CPU %u, could not "
			 "run for",
			 w->pid, w->kind, cgroup, at_s, w->gap_cpu);
}

static void check_gap(struct subject *s)
{
	const struct ktstr_limit *limit = &s->test->checks.max_gap_ms;
	struct error_bar bar = error_bar_of_wait(s->disturbance);
	const struct exchange_worker *worst = NULL;

	for (size_t i = 0; i < s->workers.n; i++) {
		const struct exchange_worker *w = s->workers.at[i];

		if (never_started(w))
			continue;
		if (w->samples == 0)
			part(s, KTSTR_REASON_NO_EVIDENCE,
			     "gap of %s: worker %u (%s) never looked at the clock", s->cgroup->name,
			     w->pid, w->kind);
		if (!worst || w->max_gap_ns > worst->max_gap_ns)
			worst = w;
	}
	if (worst) {
		double measured = (double)worst->max_gap_ns / (double)NS_PER_MS;
		_cleanup_free_ char *what = describe_gap(worst, s->cgroup->name);
		_cleanup_free_ char *line = error_bar_format(&bar, "gap", s->cgroup->name, measured,
							     limit->value, "ms");
		_cleanup_free_ char *text = NULL;
		enum ktstr_reason reason = error_bar_decide(&bar, what, measured, limit->value,
							    "ms", &text);

		outcome_add_note(s->into, line);
		if (reason != KTSTR_REASON_NONE)
			part(s, reason, "%s", text);
	}
	end_check(s, "gap");
}

static bool is_asked_for(enum ktstr_demand demand, bool by_default)
{
	return demand == KTSTR_REQUIRED || (demand == KTSTR_BY_DEFAULT && by_default);
}

/* Asked to stop, a worker needs one moment on a CPU. Who gets none in seconds is starved. */
static void check_stopped(struct subject *s)
{
	for (size_t i = 0; i < s->workers.n; i++) {
		const struct exchange_worker *w = s->workers.at[i];

		if (had_to_be_killed(w))
			part(s, KTSTR_REASON_WORKER_KILLED,
			     "worker %u (%s) of %s did not stop when it was asked to%s", w->pid,
			     w->kind, s->cgroup->name,
			     strcmp(w->end, "stuck") == 0 ? ", and does not die of SIGKILL" : "");
	}
	end_check(s, "stop");
}

/* Parts of a hundred of its CPU time that a worker must have had under the scheduler. */
enum { UNDER_SCHEDULER_PCT = 95, UNDER_RESTARTING_PCT = 50 };

static void check_class_of(struct subject *s, const struct exchange_worker *w, unsigned int least)
{
	uint64_t known_ns = w->ext_ns + w->other_ns, samples = w->ext_samples + w->other_samples;
	/* One that hardly computes has no CPU time to speak of: then samples count. */
	double share = known_ns ? (double)w->ext_ns / (double)known_ns
				: (double)w->ext_samples / (double)samples;

	if (100 * share >= least)
		return;
	part(s, KTSTR_REASON_SCHED_UNUSED,
	     "worker %u (%s) of %s had %.0f %% of its CPU time under sched_ext (%llu of %llu "
	     "samples), at least %u %% are needed",
	     w->pid, w->kind, s->cgroup->name, 100 * share, (unsigned long long)w->ext_samples,
	     (unsigned long long)samples, least);
}

/* A scheduler that did not schedule the work was not tested. */
static void check_scheduled(struct subject *s)
{
	unsigned int least = s->test->scheduler.may_restart ? UNDER_RESTARTING_PCT
							    : UNDER_SCHEDULER_PCT;

	for (size_t i = 0; i < s->workers.n; i++) {
		const struct exchange_worker *w = s->workers.at[i];

		if (never_started(w) || !worked_to_the_end(w))
			continue;
		if (w->ext_samples || w->other_samples)
			check_class_of(s, w, least);
		else
			part(s, KTSTR_REASON_NO_EVIDENCE,
			     "the scheduling class of worker %u (%s) of %s could not be read",
			     w->pid, w->kind, s->cgroup->name);
	}
	end_check(s, "class");
}

/* Every declared worker has one report, and each of them was started. */
static bool check_reports(struct subject *s)
{
	for (size_t i = 0; i < s->workers.n; i++)
		if (never_started(s->workers.at[i]))
			part(s, KTSTR_REASON_SETUP, "worker %u (%s) of %s never started",
			     s->workers.at[i]->pid, s->workers.at[i]->kind, s->cgroup->name);
	end_check(s, "workers");
	if (s->workers.n == s->cgroup->workers)
		return true;
	part(s, KTSTR_REASON_NO_EVIDENCE, "%s was given %u workers, %zu reported", s->cgroup->name,
	     s->cgroup->workers, s->workers.n);
	end_check(s, "workers");
	/* What did report counts all the same. */
	return s->workers.n > 0;
}

static void find_evidence(const struct test_report *report, struct subject *s)
{
	for (size_t i = 0; i < report->cgroups.n; i++)
		if (strcmp(report->cgroups.at[i].name, s->cgroup->name) == 0)
			s->made = &report->cgroups.at[i];
	for (size_t i = 0; i < report->workers.n; i++) {
		const struct exchange_worker *w = &report->workers.at[i];

		if (strcmp(w->cgroup, s->cgroup->name) == 0)
			vec_push(&s->workers, w);
	}
}

/* True when its spread was looked at. */
static bool check_cgroup(struct subject *s)
{
	const struct ktstr_checks *c = &s->test->checks;
	bool compared = false;

	if (!check_reports(s))
		return true; /* told already */
	if (s->test->scheduler.argv.n && is_asked_for(c->scheduler_alive, true))
		check_scheduled(s);
	if (is_asked_for(c->progress, true))
		check_progress(s);
	check_stopped(s);
	if (is_asked_for(c->isolation, false))
		check_isolation(s);
	if (c->max_spread_pct.set)
		compared = check_spread(s);
	if (c->max_gap_ms.set)
		check_gap(s);
	return compared;
}

static bool has_reason(const struct outcome *outcome, enum ktstr_reason reason)
{
	for (size_t i = 0; i < outcome->parts.n; i++)
		if (outcome->parts.at[i].reason == reason)
			return true;
	return false;
}

/* The kernel's word counts, whatever the guest's side made of it. */
static void check_kernel_reason(const struct exchange_scheduler *s, struct outcome *into)
{
	_cleanup_free_ char *text = NULL;

	if (!s->kernel_reason || starts_with(s->kernel_reason, "unregistered") ||
	    has_reason(into, KTSTR_REASON_SCHED_EXIT) || has_reason(into, KTSTR_REASON_SCHED_STOP))
		return;
	text = xasprintf("the kernel ended the scheduler: %s", s->kernel_reason);
	outcome_add_part(into, KTSTR_REASON_SCHED_EXIT, NULL, 0, text);
}

/* False when it had ended before anybody stopped it. */
static bool check_scheduler(const struct exchange_scheduler *s, struct outcome *into)
{
	_cleanup_free_ char *text = NULL;

	if (!s->ended || !s->end) {
		outcome_add_part(into, KTSTR_REASON_NO_EVIDENCE, NULL, 0,
				 s->attached ? "nobody told whether the scheduler lived to the end"
					     : "nobody told whether the scheduler was attached");
		return true;
	}
	/* One that would not stop, or not cleanly, was alive. */
	if (s->asked || strcmp(s->end, "stopped") == 0 || strcmp(s->end, "killed") == 0 ||
	    strcmp(s->end, "stuck") == 0) {
		note(into, "scheduler %s: alive at the end (%s)", s->ops ? s->ops : "", s->end);
		check_kernel_reason(s, into);
		if (s->restarts)
			note(into, "scheduler %s: restarted %llu times", s->ops ? s->ops : "",
			     (unsigned long long)s->restarts);
		return true;
	}
	text = xasprintf("the scheduler had ended before it was stopped: %s%s%s", s->end,
			 s->kernel_reason ? "; the kernel says: " : "",
			 s->kernel_reason ? s->kernel_reason : "");
	if (!has_reason(into, KTSTR_REASON_SCHED_EXIT))
		outcome_add_part(into, KTSTR_REASON_SCHED_EXIT, NULL, 0, text);
	return false;
}

void checks_evaluate(const struct declared_test *test, const struct test_report *report,
		     const struct checks_disturbance *disturbance, struct outcome *into)
{
	bool compared = false, has_work = false;

	if (test->scheduler.argv.n && is_asked_for(test->checks.scheduler_alive, true) &&
	    !check_scheduler(&report->scheduler, into))
		return;
	for (size_t i = 0; i < test->cgroups.n; i++) {
		struct subject s = {
			.test = test,
			.report = report,
			.cgroup = &test->cgroups.at[i],
			.disturbance = disturbance,
			.into = into,
		};

		if (!s.cgroup->work)
			continue;
		has_work = true;
		find_evidence(report, &s);
		compared |= check_cgroup(&s);
		vec_deinit(&s.workers);
	}
	if (test->checks.max_spread_pct.set && has_work && !compared)
		outcome_add_part(into, KTSTR_REASON_NO_EVIDENCE, NULL, 0,
				 "spread: no cgroup has two workers that computed");
}
