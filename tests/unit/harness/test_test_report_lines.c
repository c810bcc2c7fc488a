// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/test_report.h"

#include "report_lines.h"

static void a_payload_is_started_and_ends(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };
	const struct exchange_payload *p;

	assert_success(take_text(
		&r, BEGIN STARTED("probe", "7") STARTED("worker", "8")
			    PAYLOAD_WITH("probe", "7", "-9",
					 ",\"stream\":\"stderr\",\"metrics\":[{\"name\":\"a.0.b\","
					 "\"value\":18446744073709551616.50}]")));
	assert_int_equal(r.payloads.n, 2);
	p = &r.payloads.at[0];
	assert_string_equal(p->name, "probe");
	assert_true(p->ended);
	assert_true(p->by_cleanup);
	assert_false(p->timed_out);
	assert_int_equal(p->exit_code, -9);
	assert_int_equal(p->wall_ms, 7);
	assert_int_equal(p->stdout_bytes, 1);
	assert_int_equal(p->stderr_bytes, 2);
	assert_int_equal(p->dropped_bytes, 3);
	assert_string_equal(p->stream, "stderr");
	assert_int_equal(p->metrics.n, 1);
	assert_string_equal(p->metrics.at[0].name, "a.0.b");
	/* Not a digit is lost. */
	assert_string_equal(p->metrics.at[0].number, "18446744073709551616.50");
	assert_false(r.payloads.at[1].ended);
	assert_null(r.payloads.at[1].stream);
}

static void a_payload_ends_once_and_only_if_it_was_started(void **state UNUSED)
{
	assert_refused(BEGIN, PAYLOAD("p", "7", "0"), "parse", "never started");
	assert_refused(BEGIN STARTED("p", "7"), PAYLOAD("p", "8", "0"), "parse", "never started");
	assert_refused(BEGIN STARTED("p", "7"), PAYLOAD("q", "7", "0"), "parse", "never started");
	assert_refused(BEGIN STARTED("p", "7") PAYLOAD("p", "7", "0"), PAYLOAD("p", "7", "0"),
		       "parse", "has ended before");
}

static void a_pid_may_be_reused_by_a_second_payload(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };

	assert_success(take_text(&r, BEGIN STARTED("p", "7") PAYLOAD("p", "7", "1")
					     STARTED("p", "7") PAYLOAD("p", "7", "2")));
	assert_int_equal(r.payloads.n, 2);
	assert_int_equal(r.payloads.at[0].exit_code, 1);
	assert_int_equal(r.payloads.at[1].exit_code, 2);
}

static void exit_codes_are_codes_or_signals(void **state UNUSED)
{
	assert_refused(BEGIN STARTED("p", "7"), PAYLOAD("p", "7", "256"), "parse", "exit_code");
	assert_refused(BEGIN STARTED("p", "7"), PAYLOAD("p", "7", "-65"), "parse", "exit_code");
	assert_refused(BEGIN STARTED("p", "7"), PAYLOAD("p", "7", "-2147483647"), "parse",
		       "exit_code");
	assert_refused(BEGIN STARTED("p", "7"), PAYLOAD("p", "7", "-2147483649"), "parse",
		       "exit_code");
}

static void an_exit_code_may_be_unknown(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };

	assert_success(take_text(&r, BEGIN STARTED("p", "7") PAYLOAD("p", "7", "-2147483648")));
	assert_int_equal(r.payloads.at[0].exit_code, INT32_MIN);
}

static void metrics_that_did_not_fit_are_noted(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };

	assert_success(take_text(
		&r, BEGIN STARTED("p", "7") STARTED("q", "8") PAYLOAD_WITH(
			    "p", "7", "0", ",\"metrics\":[],\"metrics_dropped\":12")
			    PAYLOAD_WITH("q", "8", "0", ",\"metrics\":[],\"metrics_dropped\":0")));
	assert_int_equal(r.notes.n, 1);
	assert_string_equal(r.notes.at[0], "payload p: 12 metrics more than a line can hold");
}

static void metrics_are_names_and_numbers(void **state UNUSED)
{
	static const struct {
		const char *line, *why;
	} cases[] = {
		{ PAYLOAD_WITH("p", "7", "0", ""), "metrics is missing" },
		{ PAYLOAD_WITH("p", "7", "0", ",\"metrics\":{}"), "metrics is not a list" },
		{ PAYLOAD_WITH("p", "7", "0", ",\"metrics\":[1]"), "metrics[0] is not an object" },
		{ PAYLOAD_WITH("p", "7", "0", ",\"metrics\":[{\"name\":\"a\",\"value\":\"1\"}]"),
		  "value: it is not a number" },
		{ PAYLOAD_WITH("p", "7", "0", ",\"stream\":\"stdin\",\"metrics\":[]"),
		  "neither stdout nor stderr" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_refused(BEGIN STARTED("p", "7"), cases[i].line, "parse", cases[i].why);
}

static void a_refused_line_leaves_the_report_as_it_was(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };

	assert_success(take_text(&r, BEGIN STARTED("p", "7")));
	assert_error_tag(
		take_text(&r, PAYLOAD_WITH("p", "7", "0",
					   ",\"metrics\":[{\"name\":\"a\",\"value\":1},2]")),
		"parse");
	assert_false(r.payloads.at[0].ended);
	assert_int_equal(r.payloads.at[0].metrics.n, 0);
}

static void a_worker_line_carries_its_measurements(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };
	const struct exchange_worker *w;

	assert_success(take_text(&r, BEGIN WORKER("left", "9", "exited 3", ",\"run_delay_ns\":77")
					     WORKER("left", "0", "never-started", "")));
	w = &r.workers.at[0];
	assert_string_equal(w->cgroup, "left");
	assert_string_equal(w->kind, "spin");
	assert_string_equal(w->end, "exited 3");
	assert_int_equal(w->pid, 9);
	assert_int_equal(w->iterations, 5);
	assert_int_equal(w->cpu_ns, 1000);
	assert_int_equal(w->wall_ns, 2000);
	assert_int_equal(w->sleep_ns, 1);
	assert_true(w->has_run_delay);
	assert_int_equal(w->run_delay_ns, 77);
	assert_int_equal(w->migrations, 3);
	assert_int_equal(w->samples, 4);
	assert_int_equal(w->max_gap_ns, 6);
	assert_int_equal(w->gap_at_ns, 8);
	assert_true(w->has_gap_cpu);
	assert_int_equal(w->gap_cpu, 1);
	assert_int_equal(w->units, 55);
	assert_int_equal(w->stall_ns, 9);
	assert_false(w->has_outside);
	assert_int_equal(topo_cpuset_count(&w->cpus), 2);
	assert_true(topo_cpuset_has(&w->cpus, 2));
	assert_false(r.workers.at[1].has_run_delay);
}

#define WORKER_WITHOUT_CPU                                                                          \
	"{\"report\":\"worker\",\"cgroup\":\"l\",\"kind\":\"spin\",\"pid\":9,\"end\":\"finished\"," \
	"\"iterations\":5,\"units\":6,\"cpu_ns\":1,\"wall_ns\":2,\"sleep_ns\":1,\"migrations\":3,"  \
	"\"samples\":4,\"max_gap_ns\":6,\"gap_at_ns\":8,\"stall_ns\":7,\"cpus\":\"0\""

static void a_worker_line_may_lack_the_gap_cpu(void **state UNUSED)
{
	static const char *const cpus[] = { "-1", "4294967295", "null", "\"0\"" };
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };

	assert_success(take_text(&r, BEGIN));
	assert_success(take_text(&r, WORKER_WITHOUT_CPU "}\n"));
	assert_false(r.workers.at[0].has_gap_cpu);
	/* Absent is the only way to say so. */
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
		_cleanup_free_ char *line = xasprintf(WORKER_WITHOUT_CPU ",\"gap_cpu\":%s}\n",
						      cpus[i]);

		assert_refused(BEGIN, line, "parse", "gap_cpu");
	}
}

static void a_worker_line_carries_the_cpus_outside_its_set(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };
	const struct exchange_worker *w;

	assert_success(take_text(&r, BEGIN));
	assert_success(take_text(&r,
				 WORKER_WITHOUT_CPU ",\"outside\":\"1,3\",\"outside_had\":\"0\","
						    "\"outside_at_ns\":77}\n"));
	w = &r.workers.at[0];
	assert_true(w->has_outside);
	assert_int_equal(topo_cpuset_count(&w->outside), 2);
	assert_true(topo_cpuset_has(&w->outside, 3) && topo_cpuset_has(&w->outside_had, 0));
	assert_int_equal(w->outside_at_ns, 77);
	assert_refused(BEGIN, WORKER_WITHOUT_CPU ",\"outside\":\"1\"}\n", "parse", "outside_had");
}

static void a_workers_end_is_a_name_with_an_optional_number(void **state UNUSED)
{
	static const char *const lines[] = {
		WORKER("l", "9", "", ""),	   WORKER("l", "9", "exited ", ""),
		WORKER("l", "9", "exited 3 ", ""), WORKER("l", "9", "Exited", ""),
		WORKER("l", "9", "exited -3", ""), WORKER("l", "9", "exited 3000", ""),
		WORKER("l", "9", "3", ""),
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_refused(BEGIN, lines[i], "parse", "is not a way to end");
}

static void a_cgroup_has_the_cpus_the_kernel_gave_it(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };

	assert_success(take_text(&r, BEGIN CGROUP("left", "0-1") CGROUP("right", "")));
	assert_int_equal(r.cgroups.n, 2);
	assert_string_equal(r.cgroups.at[0].name, "left");
	assert_int_equal(topo_cpuset_count(&r.cgroups.at[0].cpus), 2);
	assert_int_equal(topo_cpuset_count(&r.cgroups.at[1].cpus), 0);
	assert_refused(BEGIN CGROUP("left", "0"), CGROUP("left", "1"), "parse", "reported before");
	assert_refused(BEGIN, CGROUP("left", "1-0"), "parse", "runs backwards");
}

static void a_scheduler_starts_attaches_and_ends(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };
	const struct exchange_scheduler *s = &r.scheduler;

	assert_success(take_text(&r, BEGIN SCHEDULER("started", ",\"pid\":50")));
	assert_true(s->started && !s->attached && !s->ended);
	assert_int_equal(s->pid, 50);
	assert_success(
		take_text(&r, SCHEDULER("attached", ",\"ops\":\"ktfifo\",\"attach_ms\":40")));
	assert_true(s->attached);
	assert_string_equal(s->ops, "ktfifo");
	assert_int_equal(s->attach_ms, 40);
	assert_success(
		take_text(&r, SCHEDULER("ended", ",\"end\":\"exited 1\",\"kernel_reason\":"
						 "\"runtime error\",\"events\":\"a 1\\n\"")));
	assert_true(s->ended);
	assert_string_equal(s->end, "exited 1");
	assert_string_equal(s->kernel_reason, "runtime error");
	assert_string_equal(s->events, "a 1\n");
	assert_string_equal(s->ops, "ktfifo");
}

static void a_scheduler_that_failed_may_end_later(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };

	assert_success(take_text(&r, BEGIN SCHEDULER("started", ",\"pid\":50") SCHEDULER(
					     "failed", ",\"kernel_reason\":\"verifier\"")));
	assert_false(r.scheduler.ended);
	assert_success(take_text(&r, SCHEDULER("ended", ",\"end\":\"stopped\"")));
	assert_true(r.scheduler.ended);
	assert_string_equal(r.scheduler.kernel_reason, "verifier");
}

static void scheduler_states_must_come_in_order(void **state UNUSED)
{
	const char *started = BEGIN SCHEDULER("started", ",\"pid\":50");
	const char *ended = BEGIN SCHEDULER("started", ",\"pid\":50")
		SCHEDULER("ended", ",\"end\":\"stopped\"");

	assert_refused(BEGIN, SCHEDULER("attached", ",\"ops\":\"x\""), "parse", "cannot follow");
	assert_refused(started, SCHEDULER("started", ",\"pid\":50"), "parse", "cannot follow");
	assert_refused(ended, SCHEDULER("ended", ",\"end\":\"stopped\""), "parse", "cannot follow");
	assert_refused(ended, SCHEDULER("attached", ",\"ops\":\"x\""), "parse", "cannot follow");
	assert_refused(started, SCHEDULER("ended", ""), "parse", "ended without an end");
	assert_refused(started, SCHEDULER("attached", ""), "parse", "attached without its ops");
	assert_refused(BEGIN, SCHEDULER("started", ""), "parse", "started without a pid");
	assert_refused(BEGIN, SCHEDULER("away", ""), "parse", "is none of");
}

static void pieces_of_a_text_are_put_together(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };

	assert_success(take_text(&r, BEGIN TEXT("scheduler.stderr", "one\\n") TEXT("dmesg_1-x", "")
					     TEXT("scheduler.stderr", "t\\u0000o")));
	assert_int_equal(r.texts.n, 2);
	assert_string_equal(r.texts.at[0].name, "scheduler.stderr");
	assert_int_equal(r.texts.at[0].text.n, 7);
	assert_memory_equal(r.texts.at[0].text.at, "one\nt\0o", 7);
	assert_int_equal(r.texts.at[1].text.n, 0);
}

static void names_of_texts_cannot_leave_their_directory(void **state UNUSED)
{
	static const char *const lines[] = {
		TEXT("", "x"),	 TEXT("../x", "x"),	 TEXT("a/b", "x"),
		TEXT(".x", "x"), TEXT("..", "x"),	 TEXT("a b", "x"),
		TEXT("ä", "x"),	 TEXT("a\\u0000b", "x"), TEXT("a\\nb", "x"),
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_refused(BEGIN, lines[i], "parse", "text.name"); /* cannot name a file */
}

static void a_part_has_a_reason_a_text_and_perhaps_a_place(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };

	assert_success(take_text(
		&r,
		BEGIN PART(
			"payload",
			"it failed") "{\"report\":\"part\",\"reason\":\"expectation\",\"text\":\"t\","
				     "\"file\":\"a.c\",\"line\":12}\n"));
	assert_int_equal(r.parts.at[0].reason, KTSTR_REASON_PAYLOAD);
	assert_null(r.parts.at[0].file);
	assert_int_equal(r.parts.at[1].reason, KTSTR_REASON_EXPECTATION);
	assert_string_equal(r.parts.at[1].file, "a.c");
	assert_int_equal(r.parts.at[1].line, 12);
	assert_refused(BEGIN, PART("bad-luck", "x"), "parse", "part.reason is");
	assert_refused(BEGIN,
		       "{\"report\":\"part\",\"reason\":\"check\",\"text\":\"t\",\"file\":\"a.c\","
		       "\"line\":-1}\n",
		       "parse", "line is not between 0");
}

static void reasons_reserved_for_the_host_are_refused(void **state UNUSED)
{
	static const char *const words[] = {
		"none",		 "failed-as-expected",
		"did-not-fail",	 "failed-otherwise",
		"boot",		 "qemu",
		"agent-lost",	 "kernel-btf",
		"report",	 "host",
		"host-busy",	 "interrupted",
		"guest-panic",	 "guest-hang",
		"worker-killed", "scheduler-unused",
		"model-error",	 "guest-busy",
	};
	size_t refused = 0;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		_cleanup_free_ char *line = xasprintf(
			"{\"report\":\"part\",\"reason\":\"%s\",\"text\":\"x\"}\n", words[i]);

		assert_refused(BEGIN, line, "parse", "a test cannot know");
	}
	for (int reason = 0; reason < KTSTR_N_REASONS; reason++)
		refused += !harness_reason_allowed_from_guest((enum ktstr_reason)reason);
	assert_int_equal(refused, ARRAY_SIZE(words));
}

static void every_stage_is_known(void **state UNUSED)
{
	static const char *const lines[] = { STAGE("setup"), STAGE("scheduler"), STAGE("work"),
					     STAGE("cleanup") };
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };

	assert_success(take_text(&r, BEGIN));
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		assert_success(take_text(&r, lines[i]));
		assert_true(r.has_stage);
		assert_int_equal(r.stage, i);
	}
	assert_refused(BEGIN, STAGE("lunch"), "parse", "is none of");
}

static void a_report_begins_once_and_ends_once(void **state UNUSED)
{
	assert_refused("", NOTE("x"), "parse", "before the begin");
	assert_refused("", END("0"), "parse", "before the begin");
	assert_refused(BEGIN, BEGIN, "parse", "given twice");
	assert_refused(BEGIN END("0"), END("0"), "parse", "after the end");
	assert_refused(BEGIN END("0"), NOTE("x"), "parse", "after the end");
	assert_refused(BEGIN, END("1"), "parse", "1 parts announced, 0 received");
	assert_refused(BEGIN PART("check", "x"), END("0"), "parse",
		       "0 parts announced, 1 received");
}

static void a_test_of_another_api_is_refused(void **state UNUSED)
{
	assert_refused("", "{\"report\":\"begin\",\"test\":\"t\",\"api\":2,\"pid\":1}\n", "parse",
		       "another version");
}

static void malformed_report_lines_are_refused(void **state UNUSED)
{
	static const struct {
		const char *line, *why;
	} cases[] = {
		{ "[]\n", "not an object" },
		{ "{}\n", "\"report\" is not" },
		{ "{\"report\":1}\n", "\"report\" is not" },
		{ "{\"report\":\"gossip\"}\n", "not the kind of a line" },
		{ "{\"report\":\"note\"}\n", "text is missing" },
		{ "{\"report\":\"note\",\"text\":\"a\\u0000b\"}\n", "holds a NUL" },
		{ "{\"report\":\"note\",\"text\":\"x\"} {}\n", "JSON" },
		{ "{\"report\":\"started\",\"name\":\"p\",\"pid\":1,\"argv\":[]}\n", "argv" },
		{ "{\"report\":\"started\",\"name\":\"p\",\"pid\":1,\"argv\":[1]}\n", "argv" },
		{ "{\"report\":\"started\",\"name\":\"p\",\"pid\":1}\n", "argv" },
		{ "{\"report\":\"end\",\"parts\":-0}\n", "whole number" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_refused(BEGIN, cases[i].line, "parse", cases[i].why);
}

static void unknown_members_of_a_report_line_are_ignored(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };

	assert_success(take_text(&r, BEGIN "{\"new\":[{}],\"report\":\"note\",\"text\":\"x\"}\n"));
	assert_int_equal(r.notes.n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_payload_is_started_and_ends),
		cmocka_unit_test(a_payload_ends_once_and_only_if_it_was_started),
		cmocka_unit_test(a_pid_may_be_reused_by_a_second_payload),
		cmocka_unit_test(exit_codes_are_codes_or_signals),
		cmocka_unit_test(an_exit_code_may_be_unknown),
		cmocka_unit_test(metrics_that_did_not_fit_are_noted),
		cmocka_unit_test(metrics_are_names_and_numbers),
		cmocka_unit_test(a_refused_line_leaves_the_report_as_it_was),
		cmocka_unit_test(a_worker_line_carries_its_measurements),
		cmocka_unit_test(a_worker_line_may_lack_the_gap_cpu),
		cmocka_unit_test(a_worker_line_carries_the_cpus_outside_its_set),
		cmocka_unit_test(a_workers_end_is_a_name_with_an_optional_number),
		cmocka_unit_test(a_cgroup_has_the_cpus_the_kernel_gave_it),
		cmocka_unit_test(a_scheduler_starts_attaches_and_ends),
		cmocka_unit_test(a_scheduler_that_failed_may_end_later),
		cmocka_unit_test(scheduler_states_must_come_in_order),
		cmocka_unit_test(pieces_of_a_text_are_put_together),
		cmocka_unit_test(names_of_texts_cannot_leave_their_directory),
		cmocka_unit_test(a_part_has_a_reason_a_text_and_perhaps_a_place),
		cmocka_unit_test(reasons_reserved_for_the_host_are_refused),
		cmocka_unit_test(every_stage_is_known),
		cmocka_unit_test(a_report_begins_once_and_ends_once),
		cmocka_unit_test(a_test_of_another_api_is_refused),
		cmocka_unit_test(malformed_report_lines_are_refused),
		cmocka_unit_test(unknown_members_of_a_report_line_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
