// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdicts of docs/VERDICTS.md, by hand: what was seen, and what must come of it. */
#include "harness/judge.h"

#include "report_lines.h"
#include "told.h"

#define WORKED			BEGIN STAGE("setup") STAGE("work")
#define WHOLE			WORKED STAGE("cleanup") END("0")
#define OOM_LINE		"Out of memory: Killed process 77 (hog)"
#define OUTSIDE(cpus)		",\"outside\":\"" cpus "\",\"outside_had\":\"0-1\",\"outside_at_ns\":1"
#define LEFT			CGROUP("left", "0-2") WORKER("left", "50", "finished", OUTSIDE(""))
#define WHOLE_WITH(more, parts) WORKED more STAGE("cleanup") END(parts)

/* How the test binary ended; in the order of `ends`. */
enum { UNSEEN, FINE, EXIT_3, SEGV, KILLED, KILLED_OOM, FINE_OOM, NO_START };
static const struct vm_end ends[] = {
	[FINE] = { .how = WIRE_END_EXITED },
	[EXIT_3] = { .how = WIRE_END_EXITED, .value = 3 },
	[SEGV] = { .how = WIRE_END_SIGNALLED, .value = 11 },
	[KILLED] = { .how = WIRE_END_SIGNALLED, .value = 9 },
	[KILLED_OOM] = { .how = WIRE_END_SIGNALLED,
			 .value = 9,
			 .oom = OOM_LINE,
			 .oom_pids = { 77 },
			 .n_oom_pids = 1 },
	[FINE_OOM] = { .how = WIRE_END_EXITED,
		       .oom = OOM_LINE,
		       .oom_pids = { 70, 77 },
		       .n_oom_pids = 2 },
	[NO_START] = { .how = WIRE_END_NOT_STARTED, .value = ENOENT },
};

struct seen {
	const char *report;
	enum harness_run_end end;
	int exit;
	int vm_error; /* kind of the domain vm plus one; 0: none */
	enum ktstr_verdict verdict;
	enum ktstr_reason reason;
	const char *why;
	const char *note; /* NULL: not looked for */
};

#define VM(kind) .end = HARNESS_RUN_VM_ERROR, .vm_error = (kind) + 1
#define IS(verdict_, reason_, why_) \
	.verdict = KTSTR_##verdict_, .reason = KTSTR_REASON_##reason_, .why = why_

static void judge_case(struct told *t, const struct seen *seen)
{
	_cleanup_error_ struct error *err =
		seen->vm_error ? vm_error((enum vm_error_kind)(seen->vm_error - 1), 0, "it said so")
			       : NULL;
	struct harness_guest_run run = {
		.test = &t->test,
		.how = seen->end,
		.error = err,
		.has_exit = seen->exit,
		.exit = ends[seen->exit],
		.disturbance = t->disturbance,
		.limit_ns = 61000000000,
		.quiet_ns = 41500000000,
	};

	assert_success(take_text(&t->report, seen->report));
	run.report = t->report;
	harness_judge(&run, &t->outcome);
	if (t->outcome.verdict != seen->verdict || t->outcome.reason != seen->reason)
		fail_msg("%s (%s) instead of %s (%s)\nwhy: %s\nreport:\n%s",
			 result_verdict_name(t->outcome.verdict),
			 result_reason_name(t->outcome.reason), result_verdict_name(seen->verdict),
			 result_reason_name(seen->reason), t->outcome.why, seen->report);
	assert_contains(t->outcome.why, seen->why);
	if (seen->note && !has_note(t, seen->note))
		fail_msg("no note has \"%s\"", seen->note);
}

static void judge_all(const struct seen *seen, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_told_ struct told t;

		told_init(&t);
		judge_case(&t, &seen[i]);
	}
}

static void a_complete_report_decides_the_verdict(void **state UNUSED)
{
	static const struct seen seen[] = {
		{ WHOLE, .exit = FINE, IS(PASS, NONE, "") },
		{ WHOLE_WITH(PART("expectation", "7 is not 8"), "1"), .exit = FINE,
		  IS(FAIL, EXPECTATION, "7 is not 8") },
		{ WHOLE_WITH(PART("need", "no PSI"), "1"), .exit = FINE, IS(SKIP, NEED, "no PSI") },
		{ WHOLE_WITH(PART("setup", "no cgroup") PART("payload", "bad"), "2"), .exit = FINE,
		  IS(FAIL, PAYLOAD, "bad") },
		{ WHOLE_WITH(PART("check", "one") PART("payload", "two"), "2"), .exit = FINE,
		  IS(FAIL, CHECK, "one") },
		{ WHOLE_WITH(NOTE("remember"), "0"), .exit = FINE, IS(PASS, NONE, ""),
		  .note = "remember" },
		/* One whose end nobody saw was not one that ended well. */
		{ WHOLE_WITH(STARTED("probe", "66"), "0"), .exit = FINE,
		  IS(INCONCLUSIVE, NO_EVIDENCE,
		     "payload probe (pid 66) was started, but its end was not reported") },
		{ WHOLE_WITH(STARTED("probe", "66") PART("check", "one"), "1"), .exit = FINE,
		  IS(FAIL, CHECK, "one"),
		  .note = "payload probe (pid 66) was started, but its end was not reported" },
	};

	judge_all(seen, ARRAY_SIZE(seen));
}

static void an_incomplete_report_is_a_broken_test(void **state UNUSED)
{
	static const struct seen seen[] = {
		{ WORKED, .exit = SEGV, IS(BROKEN, TEST_CRASHED, "signal 11 in stage work") },
		{ WORKED, .exit = KILLED, IS(BROKEN, TEST_CRASHED, "signal 9 in stage work") },
		{ BEGIN, .exit = EXIT_3,
		  IS(BROKEN, TEST_CRASHED, "exited with 3 before its first") },
		{ "", .exit = EXIT_3, IS(BROKEN, TEST_CRASHED, "before the test began") },
		{ WORKED, .exit = FINE,
		  IS(BROKEN, REPORT, "in stage work, and its report has no end") },
		{ "", .exit = FINE, IS(BROKEN, REPORT, "before the test began") },
		{ WORKED, .exit = UNSEEN,
		  IS(BROKEN, REPORT, "the end of the test binary was not reported") },
		{ "", .exit = NO_START, IS(BROKEN, SETUP, "No such file") },
		/* Anybody can say that it is the end. */
		{ WHOLE, .exit = EXIT_3,
		  IS(BROKEN, TEST_CRASHED, "exited with 3 after the test's last report") },
		{ WHOLE, .exit = SEGV,
		  IS(BROKEN, TEST_CRASHED, "signal 11 after the test's last report") },
		{ WHOLE, .exit = UNSEEN,
		  IS(BROKEN, REPORT, "the end of the test binary was not reported") },
		/* What was seen before it died stays. */
		{ WORKED PART("check", "late"), .exit = SEGV, IS(FAIL, CHECK, "late") },
		{ WORKED PART("need", "no PSI"), .exit = SEGV, IS(BROKEN, TEST_CRASHED, "signal") },
		/* A report that is not this test's. */
		{ "{\"report\":\"begin\",\"test\":\"other\",\"api\":1,\"pid\":41}\n" END("0"),
		  .exit = FINE, IS(BROKEN, REPORT, "fair was started, but other reports") },
	};

	judge_all(seen, ARRAY_SIZE(seen));
}

static void vm_errors_before_the_test_begins_are_broken(void **state UNUSED)
{
	static const struct seen seen[] = {
		{ "", VM(VM_QEMU_MISSING), IS(BROKEN, QEMU, "it said so") },
		{ "", VM(VM_QEMU_FAILED), IS(BROKEN, QEMU, "it said so") },
		{ "", VM(VM_QEMU_KILLED), IS(BROKEN, QEMU, "it said so") },
		{ "", VM(VM_QMP), IS(BROKEN, QEMU, "it said so") },
		{ "", VM(VM_BOOT_TIMEOUT), IS(BROKEN, BOOT, "it said so") },
		{ "", VM(VM_PANIC), IS(BROKEN, BOOT, "before the test began") },
		{ "", VM(VM_OOM), IS(BROKEN, BOOT, "") },
		{ "", VM(VM_TRIPLE_FAULT), IS(BROKEN, BOOT, "") },
		{ "", VM(VM_POWERED_OFF), IS(BROKEN, BOOT, "") },
		{ "", VM(VM_REBOOTED), IS(BROKEN, BOOT, "") },
		{ "", VM(VM_HANG), IS(BROKEN, BOOT, "") },
		{ "", VM(VM_BUSY), IS(BROKEN, GUEST_BUSY, "before the test began: it said so") },
		{ "", VM(VM_AGENT), IS(BROKEN, AGENT_LOST, "") },
		{ "", VM(VM_TOPOLOGY), IS(BROKEN, BOOT, "") },
		{ "", VM(VM_TEMPLATE), IS(BROKEN, BOOT, "") },
		{ "", VM(VM_CLONE), IS(BROKEN, BOOT, "") },
		{ "", VM(VM_CACHE_FULL), IS(BROKEN, HOST, "") },
		{ "", VM(VM_HOST_LIMIT), IS(BROKEN, HOST, "") },
		{ "", VM(VM_MIPS), IS(BROKEN, BOOT, "") },
	};

	assert_int_equal(ARRAY_SIZE(seen), VM_N_ERROR_KINDS);
	judge_all(seen, ARRAY_SIZE(seen));
}

static void vm_errors_after_the_test_began_are_failures(void **state UNUSED)
{
	static const struct seen seen[] = {
		{ WORKED, VM(VM_PANIC), IS(FAIL, GUEST_PANIC, "in stage work: it said so") },
		{ WORKED, VM(VM_TRIPLE_FAULT), IS(FAIL, GUEST_PANIC, "in stage work") },
		{ BEGIN, VM(VM_OOM), IS(FAIL, GUEST_OOM, "before its first stage") },
		{ BEGIN STAGE("scheduler"), VM(VM_HANG),
		  IS(FAIL, GUEST_HANG, "in stage scheduler") },
		{ BEGIN STAGE("setup"), VM(VM_POWERED_OFF),
		  IS(BROKEN, AGENT_LOST, "in stage setup") },
		{ WORKED STAGE("cleanup"), VM(VM_AGENT),
		  IS(BROKEN, AGENT_LOST, "in stage cleanup") },
		{ WORKED, VM(VM_QEMU_KILLED), IS(BROKEN, QEMU, "in stage work") },
		{ WHOLE, VM(VM_PANIC), IS(FAIL, GUEST_PANIC, "after the test's last report") },
		/* The death explains what the test said last, so it leads. */
		{ WORKED PART("check", "late"), VM(VM_PANIC), IS(FAIL, GUEST_PANIC, "it said so") },
		{ WORKED PART("check", "late"), VM(VM_AGENT), IS(FAIL, CHECK, "late") },
		{ WORKED, .end = HARNESS_RUN_VM_ERROR, IS(BROKEN, HOST, "for an unknown reason") },
	};

	judge_all(seen, ARRAY_SIZE(seen));
}

static void lack_of_memory_fails_when_it_hit_the_test(void **state UNUSED)
{
#define DIED(pid) STARTED("hog", pid) PAYLOAD_WITH("hog", pid, "-9", ",\"metrics\":[]")
#define UNDER(pid)                            \
	SCHEDULER("started", ",\"pid\":" pid) \
	SCHEDULER("ended", ",\"end\":\"signalled 9\"")
	static const struct seen seen[] = {
		{ WORKED, .exit = KILLED_OOM, IS(FAIL, GUEST_OOM, OOM_LINE), .note = "signal 9" },
		{ WHOLE, .exit = FINE_OOM, IS(PASS, NONE, ""), .note = OOM_LINE },
		/* The number decides, not how it ended: the suite kills as well. */
		{ WHOLE_WITH(DIED("78"), "0"), .exit = FINE_OOM, IS(PASS, NONE, ""),
		  .note = "killed something else" },
		{ WHOLE_WITH(DIED("77"), "0"), .exit = FINE_OOM, IS(FAIL, GUEST_OOM, OOM_LINE) },
		{ WHOLE_WITH(WORKER("left", "70", "signalled 9", ""), "0"), .exit = FINE_OOM,
		  IS(FAIL, GUEST_OOM, OOM_LINE) },
		{ WHOLE_WITH(WORKER("left", "71", "signalled 9", ""), "0"), .exit = FINE_OOM,
		  IS(PASS, NONE, ""), .note = "killed something else" },
		{ WHOLE_WITH(PART("test-crashed", "signal 9"), "1"), .exit = FINE_OOM,
		  IS(FAIL, GUEST_OOM, OOM_LINE) },
		{ WHOLE_WITH(UNDER("77"), "0"), .exit = FINE_OOM, IS(FAIL, GUEST_OOM, OOM_LINE) },
		{ WHOLE_WITH(UNDER("9"), "0"), .exit = FINE_OOM, IS(PASS, NONE, ""),
		  .note = "killed something else" },
		{ WHOLE_WITH(WORKER("left", "50", "signalled 9", ""), "0"), .exit = FINE,
		  IS(PASS, NONE, "") },
	};
#undef DIED
#undef UNDER

	judge_all(seen, ARRAY_SIZE(seen));
}

/* Of its own accord, and before the part that the test made of it. */
static void a_payload_killed_by_the_oom_killer_decides(void **state UNUSED)
{
	_cleanup_told_ struct told t;
	static const char died[] =
		"{\"report\":\"payload\",\"name\":\"hog\",\"pid\":77,\"exit_code\":-9,"
		"\"timed_out\":false,\"by_cleanup\":false,\"wall_ms\":7,\"stdout_bytes\":0,"
		"\"stderr_bytes\":0,\"dropped_bytes\":0,\"metrics\":[]}\n";
	struct seen seen = { END("1"), .exit = FINE_OOM, IS(FAIL, GUEST_OOM, OOM_LINE) };

	told_init(&t);
	assert_success(take_text(&t.report, WORKED STARTED("hog", "77")));
	assert_success(take_text(&t.report, died));
	assert_success(take_text(&t.report, PART("payload", "hog exited -9") STAGE("cleanup")));
	judge_case(&t, &seen);
	/* Not "after the test's last report": there it is only found. */
	assert_string_equal(t.outcome.why, OOM_LINE);
	assert_int_equal(t.outcome.parts.n, 2);
	assert_int_equal(t.outcome.parts.at[1].reason, KTSTR_REASON_PAYLOAD);
}

static void a_timeout_names_the_stage_and_the_last_report(void **state UNUSED)
{
	static const struct seen seen[] = {
		{ WORKED, .end = HARNESS_RUN_TIMED_OUT,
		  IS(FAIL, TIMEOUT,
		     "in stage work after 61 s; the last report of the test came 41.5 s before, the guest's "
		     "heartbeats came until the end") },
		{ WORKED STAGE("cleanup"), .end = HARNESS_RUN_TIMED_OUT,
		  IS(FAIL, TIMEOUT, "in stage cleanup") },
		{ "", .end = HARNESS_RUN_TIMED_OUT,
		  IS(FAIL, TIMEOUT, "without a report from the test") },
		{ WORKED PART("expectation", "7 is not 8"), .end = HARNESS_RUN_TIMED_OUT,
		  IS(FAIL, EXPECTATION, "7 is not 8") },
		{ WORKED PART("setup", "x"), .end = HARNESS_RUN_TIMED_OUT,
		  IS(FAIL, TIMEOUT, "in stage") },
	};

	judge_all(seen, ARRAY_SIZE(seen));
}

static void each_other_end_of_a_run_has_its_reason(void **state UNUSED)
{
	static const struct {
		enum harness_run_end end;
		enum ktstr_reason alone;
	} cases[] = {
		{ HARNESS_RUN_INTERRUPTED, KTSTR_REASON_INTERRUPTED },
		{ HARNESS_RUN_REPORT_ERROR, KTSTR_REASON_REPORT },
		{ HARNESS_RUN_FILES_ERROR, KTSTR_REASON_FILES },
		{ HARNESS_RUN_HOST_ERROR, KTSTR_REASON_HOST },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error *err = base_error(BASE_IO, ENOSPC, "write a file");
		_cleanup_told_ struct told t, failed;
		struct harness_guest_run run = { .how = cases[i].end, .error = err };

		told_init(&t);
		assert_success(take_text(&t.report, WORKED));
		run.test = &t.test;
		run.report = t.report;
		harness_judge(&run, &t.outcome);
		assert_string_equal(result_reason_name(t.outcome.reason),
				    result_reason_name(cases[i].alone));
		assert_contains(t.outcome.why, cases[i].end == HARNESS_RUN_INTERRUPTED
						       ? "interrupted in stage work"
						       : "No space left");
		/* What was seen before stays. */
		told_init(&failed);
		assert_success(take_text(&failed.report, WORKED PART("payload", "bad")));
		run.test = &failed.test;
		run.report = failed.report;
		harness_judge(&run, &failed.outcome);
		assert_string_equal(result_reason_name(failed.outcome.reason), "payload");
		assert_int_equal(failed.outcome.parts.n, 2);
		error_free(err);
	}
}

static void a_binary_that_dies_in_the_middle_of_a_line_crashed(void **state UNUSED)
{
	static const struct {
		int exit;
		enum ktstr_reason reason;
		size_t parts;
	} cases[] = {
		{ UNSEEN, KTSTR_REASON_REPORT, 1 },	   { FINE, KTSTR_REASON_REPORT, 1 },
		{ SEGV, KTSTR_REASON_TEST_CRASHED, 2 },	   { EXIT_3, KTSTR_REASON_TEST_CRASHED, 2 },
		{ KILLED_OOM, KTSTR_REASON_GUEST_OOM, 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_error_ struct error *err = NULL;
		_cleanup_told_ struct told t;
		struct harness_guest_run run = {
			.how = HARNESS_RUN_REPORT_ERROR,
			.has_exit = cases[i].exit,
			.exit = ends[cases[i].exit],
		};

		told_init(&t);
		assert_success(take_text(&t.report, WORKED "{\"report\":"));
		err = harness_test_report_finish(&t.report);
		run.error = err;
		run.test = &t.test;
		run.report = t.report;
		harness_judge(&run, &t.outcome);
		assert_string_equal(result_reason_name(t.outcome.reason),
				    result_reason_name(cases[i].reason));
		assert_int_equal(t.outcome.parts.n, cases[i].parts);
		assert_int_equal(count_parts(&t, KTSTR_REASON_REPORT), 1);
	}
}

static void errors_outside_the_vm_are_host_errors(void **state UNUSED)
{
	static const struct {
		enum base_error_kind kind;
		enum ktstr_reason reason;
	} cases[] = {
		{ BASE_IO, KTSTR_REASON_HOST },
		{ BASE_LIMIT, KTSTR_REASON_HOST },
		{ BASE_CANCELLED, KTSTR_REASON_INTERRUPTED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_error_ struct error *err = base_error(cases[i].kind, 0, "so it is");
		_cleanup_told_ struct told t;
		struct harness_guest_run run = { .how = HARNESS_RUN_VM_ERROR, .error = err };

		told_init(&t);
		run.test = &t.test;
		run.report = t.report;
		harness_judge(&run, &t.outcome);
		assert_string_equal(result_reason_name(t.outcome.reason),
				    result_reason_name(cases[i].reason));
	}
}

/* The worker of `left` ran on CPUs 0 and 2 and got something done. */
static void judge_work(struct told *t, const struct seen *seen, bool isolated)
{
	told_init(t);
	told_declare(t, "left", 1);
	t->test.checks.isolation = isolated ? KTSTR_REQUIRED : KTSTR_OFF;
	judge_case(t, seen);
}

static void checks_are_evaluated_only_for_complete_work(void **state UNUSED)
{
#define STRAYED CGROUP("left", "0-1") WORKER("left", "50", "finished", OUTSIDE("2"))
	static const struct seen seen[] = {
		{ WHOLE_WITH(LEFT, "0"), .exit = FINE, IS(PASS, NONE, ""),
		  .note = "progress left" },
		{ WHOLE_WITH(STRAYED, "0"), .exit = FINE, IS(FAIL, CHECK, "ran on CPU 2") },
		{ WHOLE, .exit = FINE, IS(INCONCLUSIVE, NO_EVIDENCE, "1 workers, 0 reported") },
		/* Not set up, not attached, not wanted, not begun, not ended: nothing to
		   harness_judge. */
		{ WHOLE_WITH(STRAYED PART("setup", "no"), "1"), .exit = FINE,
		  IS(BROKEN, SETUP, "no") },
		{ WHOLE_WITH(STRAYED PART("need", "no"), "1"), .exit = FINE, IS(SKIP, NEED, "no") },
		{ BEGIN STAGE("setup") END("0"), .exit = FINE,
		  IS(INCONCLUSIVE, NO_EVIDENCE, "never reached its work") },
		{ BEGIN END("0"), .exit = FINE,
		  IS(INCONCLUSIVE, NO_EVIDENCE, "never reached its work") },
		{ WORKED STRAYED, .exit = SEGV, IS(BROKEN, TEST_CRASHED, "signal") },
		{ WORKED STRAYED END("0"), .end = HARNESS_RUN_TIMED_OUT,
		  IS(FAIL, TIMEOUT, "last report") },
		/* A failed test's work counts. */
		{ WHOLE_WITH(STRAYED PART("payload", "bad"), "1"), .exit = FINE,
		  IS(FAIL, PAYLOAD, "bad") },
	};
	static const char *const scheduler[] = { PART("scheduler-load", "no"),
						 PART("scheduler-verifier", "no"),
						 PART("scheduler-attach", "no"),
						 PART("scheduler-exited", "no") };

	for (size_t i = 0; i < ARRAY_SIZE(seen); i++) {
		_cleanup_told_ struct told t;

		judge_work(&t, &seen[i], true);
		if (i + 1 == ARRAY_SIZE(seen))
			assert_int_equal(count_parts(&t, KTSTR_REASON_CHECK), 1);
	}
	for (size_t i = 0; i < ARRAY_SIZE(scheduler); i++) {
		_cleanup_told_ struct told t;
		struct seen last = { END("1"), .exit = FINE, IS(FAIL, SCHED_LOAD, "no") };

		told_init(&t);
		told_declare(&t, "left", 1);
		t.test.checks.isolation = KTSTR_REQUIRED;
		assert_success(take_text(&t.report, WORKED STRAYED));
		assert_success(take_text(&t.report, scheduler[i]));
		last.reason = t.report.parts.at[0].reason;
		judge_case(&t, &last);
		assert_int_equal(t.outcome.parts.n, 1);
	}
#undef STRAYED
}

static void an_unknown_host_takes_a_failed_time_back(void **state UNUSED)
{
	_cleanup_told_ struct told t;
	struct harness_guest_run run = { .has_exit = true, .exit = ends[FINE] };

	told_init(&t);
	told_declare(&t, "left", 1);
	t.test.checks.max_gap_ms = (struct ktstr_limit)KTSTR_AT_MOST(0);
	assert_success(take_text(&t.report, WHOLE_WITH(LEFT, "0")));
	run.test = &t.test;
	run.report = t.report;
	harness_judge(&run, &t.outcome);
	assert_string_equal(result_reason_name(t.outcome.reason), "no-evidence");
	assert_contains(t.outcome.why, "it was not measured");
}

static void a_declared_failure_decides_the_verdict(void **state UNUSED)
{
	static const struct {
		struct seen seen;
		enum ktstr_reason expect;
	} cases[] = {
		{ { WHOLE_WITH(PART("payload", "bad"), "1"), .exit = FINE,
		    IS(PASS, AS_EXPECTED, "payload: bad") },
		  KTSTR_REASON_PAYLOAD },
		{ { WHOLE_WITH(PART("payload", "bad"), "1"), .exit = FINE,
		    IS(FAIL, OTHER_FAILURE, "check was expected, but payload happened: bad") },
		  KTSTR_REASON_CHECK },
		{ { WHOLE, .exit = FINE, IS(FAIL, DID_NOT_FAIL, "check was expected") },
		  KTSTR_REASON_CHECK },
		{ { WORKED, VM(VM_PANIC), IS(PASS, AS_EXPECTED, "guest-panic: in stage work") },
		  KTSTR_REASON_GUEST_PANIC },
		{ { WORKED, VM(VM_HANG), IS(PASS, AS_EXPECTED, "guest-hang") },
		  KTSTR_REASON_GUEST_HANG },
		{ { WORKED, .exit = KILLED_OOM, IS(PASS, AS_EXPECTED, "guest-oom") },
		  KTSTR_REASON_GUEST_OOM },
		{ { WORKED, .end = HARNESS_RUN_TIMED_OUT,
		    IS(PASS, AS_EXPECTED, "timeout: in stage work") },
		  KTSTR_REASON_TIMEOUT },
		/* A failure that was not seen has not happened. */
		{ { "", VM(VM_PANIC), IS(BROKEN, BOOT, "") }, KTSTR_REASON_GUEST_PANIC },
		{ { "", VM(VM_QEMU_MISSING), IS(BROKEN, QEMU, "") }, KTSTR_REASON_CHECK },
		{ { WHOLE_WITH(PART("need", "x"), "1"), .exit = FINE, IS(SKIP, NEED, "x") },
		  KTSTR_REASON_CHECK },
		{ { WORKED, .end = HARNESS_RUN_INTERRUPTED, IS(INCONCLUSIVE, INTERRUPTED, "") },
		  KTSTR_REASON_TIMEOUT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_told_ struct told t;

		told_init(&t);
		t.test.expect = cases[i].expect;
		judge_case(&t, &cases[i].seen);
	}
}

static void judging_keeps_parts_known_before(void **state UNUSED)
{
	_cleanup_told_ struct told t;
	struct seen seen = { WHOLE, .exit = FINE, IS(BROKEN, KERNEL_BTF, "known before") };

	told_init(&t);
	result_outcome_add_part(&t.outcome, KTSTR_REASON_KERNEL_BTF, NULL, 0, "known before");
	judge_case(&t, &seen);
}

static void evaluate(struct told *t)
{
	harness_check(&t->test, &t->report, &t->disturbance, &t->clock, &t->outcome);
}

static void parts_and_notes_reach_the_outcome(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 2);
	t.report.workers.at[1].units = 0;
	t.report.workers.at[1].stall_ns = 5000000000;
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_CHECK, "worker 51 (spin) of left did no work");
	assert_true(has_note(&t, "progress left: 1 of 2 workers"));
}

/* Two turns on two CPUs: 1.1 s are no stall, on one CPU 1.2 s. */
static void the_cpus_of_a_cgroup_are_those_that_were_reported(void **state UNUSED)
{
	_cleanup_told_ struct told two, one;

	told_prepare(&two, 2);
	two.report.workers.at[0].stall_ns = 1150000000;
	evaluate(&two);
	assert_one_part(&two, KTSTR_REASON_CHECK, "limit 1100 ms");

	told_init(&one);
	told_declare(&one, "left", 2);
	told_worker(&one, "left");
	told_worker(&one, "left")->stall_ns = 1150000000;
	evaluate(&one);
	assert_int_equal(one.outcome.parts.n, 0);
}

static void a_cgroup_without_work_is_not_checked(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_init(&t);
	told_declare(&t, "left", 0);
	t.test.checks.max_spread_pct = (struct ktstr_limit)KTSTR_AT_MOST(15);
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, 0);
}

static void a_scheduler_exit_is_reported_only_once(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1);
	told_scheduler(&t);
	t.report.scheduler = (struct exchange_scheduler){
		.started = true,
		.attached = true,
		.ended = true,
		.end = xstrdup("exited 1"),
	};
	result_outcome_add_part(&t.outcome, KTSTR_REASON_SCHED_EXIT, NULL, 0, "the test knew");
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_SCHED_EXIT, "the test knew");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_complete_report_decides_the_verdict),
		cmocka_unit_test(an_incomplete_report_is_a_broken_test),
		cmocka_unit_test(vm_errors_before_the_test_begins_are_broken),
		cmocka_unit_test(vm_errors_after_the_test_began_are_failures),
		cmocka_unit_test(lack_of_memory_fails_when_it_hit_the_test),
		cmocka_unit_test(a_payload_killed_by_the_oom_killer_decides),
		cmocka_unit_test(a_timeout_names_the_stage_and_the_last_report),
		cmocka_unit_test(each_other_end_of_a_run_has_its_reason),
		cmocka_unit_test(a_binary_that_dies_in_the_middle_of_a_line_crashed),
		cmocka_unit_test(errors_outside_the_vm_are_host_errors),
		cmocka_unit_test(checks_are_evaluated_only_for_complete_work),
		cmocka_unit_test(an_unknown_host_takes_a_failed_time_back),
		cmocka_unit_test(a_declared_failure_decides_the_verdict),
		cmocka_unit_test(judging_keeps_parts_known_before),
		cmocka_unit_test(parts_and_notes_reach_the_outcome),
		cmocka_unit_test(the_cpus_of_a_cgroup_are_those_that_were_reported),
		cmocka_unit_test(a_cgroup_without_work_is_not_checked),
		cmocka_unit_test(a_scheduler_exit_is_reported_only_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
