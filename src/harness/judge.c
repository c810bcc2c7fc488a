// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/judge.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

static void add(struct result_outcome *into, enum ktstr_reason reason, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
static void add(struct result_outcome *into, enum ktstr_reason reason, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, fmt);
	text = xvasprintf(fmt, args);
	va_end(args);
	result_outcome_add_part(into, reason, NULL, 0, text);
}

/* How far the test came, for a sentence. */
static const char *place(const struct harness_test_report *report)
{
	if (!report->begun)
		return "before the test began";
	if (report->ended)
		return "after the test's last report";
	if (!report->has_stage)
		return "before its first stage";
	switch (report->stage) {
	case WIRE_STAGE_SETUP:
		return "in stage setup";
	case WIRE_STAGE_SCHEDULER:
		return "in stage scheduler";
	case WIRE_STAGE_WORK:
		return "in stage work";
	default:
		return "in stage cleanup";
	}
}

static bool reached_work(const struct harness_test_report *report)
{
	return report->has_stage && report->stage >= WIRE_STAGE_WORK;
}

static enum ktstr_reason reason_of_vm_error(const struct error *err, bool begun)
{
	if (error_domain_of(err) != &vm_error_domain) {
		if (error_is(err, &base_error_domain, BASE_CANCELLED))
			return KTSTR_REASON_INTERRUPTED;
		return error_domain_of(err) == &base_error_domain ? KTSTR_REASON_HOST
								  : KTSTR_REASON_BOOT;
	}
	switch ((enum vm_error_kind)error_kind_of(err)) {
	case VM_QEMU_MISSING:
	case VM_QEMU_FAILED:
	case VM_QEMU_KILLED:
	case VM_QMP:
		return KTSTR_REASON_QEMU;
	case VM_PANIC:
	case VM_TRIPLE_FAULT:
		return begun ? KTSTR_REASON_GUEST_PANIC : KTSTR_REASON_BOOT;
	case VM_OOM:
		return begun ? KTSTR_REASON_GUEST_OOM : KTSTR_REASON_BOOT;
	case VM_HANG:
		return begun ? KTSTR_REASON_GUEST_HANG : KTSTR_REASON_BOOT;
	case VM_POWERED_OFF:
	case VM_REBOOTED:
		return begun ? KTSTR_REASON_AGENT_LOST : KTSTR_REASON_BOOT;
	case VM_BUSY:
		return KTSTR_REASON_GUEST_BUSY;
	case VM_AGENT:
		return KTSTR_REASON_AGENT_LOST;
	case VM_CACHE_FULL:
	case VM_HOST_LIMIT:
		return KTSTR_REASON_HOST;
	default:
		return KTSTR_REASON_BOOT;
	}
}

static const char *message_of(const struct error *err)
{
	return err ? error_message(err) : "no reason was reported";
}

/* The test's own process has no number in the report; that it died is all that is known. */
static bool body_was_killed(const struct harness_test_report *r)
{
	for (size_t i = 0; i < r->parts.n; i++)
		if (r->parts.at[i].reason == KTSTR_REASON_TEST_CRASHED)
			return true;
	return false;
}

static bool is_of_the_test(const struct harness_test_report *r, uint32_t pid)
{
	if (pid == r->pid || (r->scheduler.started && pid == r->scheduler.pid))
		return true;
	for (size_t i = 0; i < r->payloads.n; i++)
		if (pid == r->payloads.at[i].pid)
			return true;
	for (size_t i = 0; i < r->workers.n; i++)
		if (pid == r->workers.at[i].pid)
			return true;
	return body_was_killed(r);
}

/* Whether the guest's kernel killed something of the test, and not something else in the guest. */
static bool lost_to_oom(const struct harness_guest_run *in)
{
	if (!in->has_exit || !in->exit.oom[0])
		return false;
	/* The test binary died: a worker of it may have died first, which never reported. */
	if (in->exit.how == WIRE_END_SIGNALLED && in->exit.value == SIGKILL)
		return true;
	for (size_t i = 0; i < in->exit.n_oom_pids; i++)
		if (is_of_the_test(&in->report, in->exit.oom_pids[i]))
			return true;
	return false;
}

/* The end of the guest explains the test's last reports, so it comes first. */
static void judge_death(const struct harness_guest_run *in, struct result_outcome *into)
{
	if (in->how == HARNESS_RUN_VM_ERROR && in->error) {
		enum ktstr_reason reason = reason_of_vm_error(in->error, in->report.begun);

		add(into, reason, "%s: %s", place(&in->report), error_message(in->error));
	} else if (lost_to_oom(in)) {
		/* The test ran to its end, so the stage of the kill is unknown. */
		if (in->report.ended)
			result_outcome_add_part(into, KTSTR_REASON_GUEST_OOM, NULL, 0,
						in->exit.oom);
		else
			add(into, KTSTR_REASON_GUEST_OOM, "%s: %s", place(&in->report),
			    in->exit.oom);
	} else if (in->has_exit && in->exit.oom[0]) {
		_cleanup_free_ char *text = xasprintf(
			"the guest's kernel killed something else: %s", in->exit.oom);

		result_outcome_add_note(into, text);
	}
}

static void copy_report(const struct harness_test_report *report, struct result_outcome *into)
{
	for (size_t i = 0; i < report->parts.n; i++) {
		const struct exchange_part *p = &report->parts.at[i];

		result_outcome_add_part(into, p->reason, p->file, p->line, p->text);
	}
	for (size_t i = 0; i < report->notes.n; i++)
		result_outcome_add_note(into, report->notes.at[i]);
}

static void judge_timeout(const struct harness_guest_run *in, struct result_outcome *into)
{
	double limit_s = (double)in->limit_ns / (double)NS_PER_SEC;
	double quiet_s = (double)in->quiet_ns / (double)NS_PER_SEC;

	if (!in->report.begun)
		add(into, KTSTR_REASON_TIMEOUT,
		    "%.0f s passed without a report from the test; the guest's heartbeats came "
		    "until the end",
		    limit_s);
	else
		add(into, KTSTR_REASON_TIMEOUT,
		    "%s after %.0f s; the last report of the test came %.1f s before, the guest's "
		    "heartbeats came until the end",
		    place(&in->report), limit_s, quiet_s);
}

static bool exited_well(const struct vm_end *exit)
{
	return exit->how == WIRE_END_EXITED && exit->value == 0;
}

static void judge_exit(const struct harness_guest_run *in, struct result_outcome *into)
{
	const struct vm_end *exit = in->has_exit ? &in->exit : NULL;
	bool fine = exit && exited_well(exit);
	_cleanup_free_ char *how = NULL;

	if (!exit)
		how = xstrdup("the end of the test binary was not reported");
	else if (exit->how == WIRE_END_NOT_STARTED)
		how = xasprintf("the test binary could not be started: %s",
				strerror((int)exit->value));
	else if (exit->how == WIRE_END_SIGNALLED)
		how = xasprintf("the test binary was ended by signal %u", exit->value);
	else
		how = xasprintf("the test binary exited with %u", exit->value);
	if (exit && exit->how == WIRE_END_NOT_STARTED) {
		result_outcome_add_part(into, KTSTR_REASON_SETUP, NULL, 0, how);
	} else if (in->report.ended && fine) {
		return;
	} else if (lost_to_oom(in)) {
		result_outcome_add_note(into, how);
	} else if (!exit || fine) {
		add(into, KTSTR_REASON_REPORT, "%s %s%s", how, place(&in->report),
		    in->report.ended ? "" : ", and its report has no end");
	} else {
		add(into, KTSTR_REASON_TEST_CRASHED, "%s %s", how, place(&in->report));
	}
}

/* What came was not what was asked for. */
static void judge_name(const struct harness_guest_run *in, struct result_outcome *into)
{
	if (in->report.begun && strcmp(in->report.test, in->test->name) != 0)
		add(into, KTSTR_REASON_REPORT, "%s was started, but %s reports", in->test->name,
		    in->report.test);
}

static void judge_end(const struct harness_guest_run *in, struct result_outcome *into)
{
	switch (in->how) {
	case HARNESS_RUN_COMPLETED:
		judge_exit(in, into);
		break;
	case HARNESS_RUN_TIMED_OUT:
		judge_timeout(in, into);
		break;
	case HARNESS_RUN_VM_ERROR:
		if (!in->error)
			add(into, KTSTR_REASON_HOST, "the guest was lost for an unknown reason");
		break;
	case HARNESS_RUN_INTERRUPTED:
		add(into, KTSTR_REASON_INTERRUPTED, "interrupted %s", place(&in->report));
		break;
	case HARNESS_RUN_REPORT_ERROR:
		/* A binary that dies leaves half a line; that it died is the cause. */
		if (in->has_exit && !exited_well(&in->exit))
			judge_exit(in, into);
		add(into, KTSTR_REASON_REPORT, "%s", message_of(in->error));
		break;
	case HARNESS_RUN_FILES_ERROR:
		add(into, KTSTR_REASON_FILES, "%s", message_of(in->error));
		break;
	case HARNESS_RUN_HOST_ERROR:
		add(into, KTSTR_REASON_HOST, "%s", message_of(in->error));
		break;
	}
}

/* The result of every payload counts: a missing one is not a success. */
static void judge_running_payloads(const struct harness_guest_run *in, struct result_outcome *into)
{
	const struct harness_test_report *report = &in->report;
	bool whole = in->how == HARNESS_RUN_COMPLETED && report->ended && into->parts.n == 0;

	for (size_t i = 0; i < report->payloads.n; i++) {
		const struct exchange_payload *p = &report->payloads.at[i];
		_cleanup_free_ char *text = NULL;

		if (p->ended)
			continue;
		text = xasprintf("payload %s (pid %u) was started, but its end was not reported",
				 p->name, p->pid);
		if (whole)
			result_outcome_add_part(into, KTSTR_REASON_NO_EVIDENCE, NULL, 0, text);
		else
			result_outcome_add_note(into, text);
	}
}

/* The test never reached its work, without a reason: that is not a pass. */
static void judge_idle(const struct harness_guest_run *in, struct result_outcome *into)
{
	if (in->how == HARNESS_RUN_COMPLETED && in->report.ended && !reached_work(&in->report) &&
	    into->parts.n == 0)
		add(into, KTSTR_REASON_NO_EVIDENCE,
		    "the report is complete, but the test never reached its work");
}

/* Work that was not set up, or ran under another scheduler, or was not wanted, proves nothing. */
static bool work_counts(const struct harness_guest_run *in, const struct result_outcome *outcome)
{
	if (in->how != HARNESS_RUN_COMPLETED || !in->report.ended || !reached_work(&in->report))
		return false;
	for (size_t i = 0; i < outcome->parts.n; i++) {
		enum ktstr_reason reason = outcome->parts.at[i].reason;
		enum ktstr_verdict verdict = result_reason_verdict(reason);

		if (verdict == KTSTR_BROKEN || verdict == KTSTR_SKIP ||
		    reason == KTSTR_REASON_SCHED_LOAD || reason == KTSTR_REASON_SCHED_VERIFIER ||
		    reason == KTSTR_REASON_SCHED_ATTACH || reason == KTSTR_REASON_SCHED_EXIT)
			return false;
	}
	return true;
}

void harness_judge(const struct harness_guest_run *in, struct result_outcome *into)
{
	judge_death(in, into);
	copy_report(&in->report, into);
	judge_name(in, into);
	judge_end(in, into);
	judge_idle(in, into);
	judge_running_payloads(in, into);
	if (work_counts(in, into))
		harness_check(in->test, &in->report, &in->disturbance, &in->clock, into);
	result_outcome_settle(into);
	harness_expect_apply(in->test->expect, into);
}

static bool has_reason(const struct result_outcome *outcome, enum ktstr_reason reason)
{
	for (size_t i = 0; i < outcome->parts.n; i++)
		if (outcome->parts.at[i].reason == reason)
			return true;
	return false;
}

static struct topo_cpuset reported_cpus(const struct harness_test_report *report,
					const char *cgroup)
{
	for (size_t i = 0; i < report->cgroups.n; i++)
		if (strcmp(report->cgroups.at[i].name, cgroup) == 0)
			return report->cgroups.at[i].cpus;
	return (struct topo_cpuset){ 0 };
}

void harness_check(const struct exchange_declared_test *test,
		   const struct harness_test_report *report,
		   const struct checks_disturbance *disturbance, const struct checks_clock *clock,
		   struct result_outcome *into)
{
	_cleanup_checks_findings_ struct checks_findings findings = { 0 };
	VEC(struct checks_cgroup) cgroups = { 0 };
	struct checks_facts facts = {
		.asked = test->checks,
		.has_scheduler = test->scheduler.argv.n > 0,
		.may_restart = test->scheduler.may_restart,
		.workers = report->workers.at,
		.n_workers = report->workers.n,
		.scheduler = &report->scheduler,
		.exit_reported = has_reason(into, KTSTR_REASON_SCHED_EXIT),
		.stop_reported = has_reason(into, KTSTR_REASON_SCHED_STOP),
		.disturbance = disturbance,
		.clock = *clock,
	};

	for (size_t i = 0; i < test->cgroups.n; i++) {
		const struct exchange_declared_cgroup *declared = &test->cgroups.at[i];
		struct checks_cgroup cgroup = {
			.name = declared->name,
			.workers = declared->workers,
			.cpus = reported_cpus(report, declared->name),
		};

		if (declared->work)
			vec_push(&cgroups, cgroup);
	}
	facts.cgroups = cgroups.at;
	facts.n_cgroups = cgroups.n;
	checks_evaluate(&facts, &findings);
	for (size_t i = 0; i < findings.parts.n; i++)
		result_outcome_add_part(into, findings.parts.at[i].reason, NULL, 0,
					findings.parts.at[i].text);
	for (size_t i = 0; i < findings.notes.n; i++)
		result_outcome_add_note(into, findings.notes.at[i]);
	vec_deinit(&cgroups);
}
