// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <ktstr/ktstr.h>
#include <signal.h>

#include "shell_program.h"
#include "suite/payload.h"
#include "suite/run_body.h"

static void wait_again(struct ktstr_ctx *ctx)
{
	struct ktstr_payload *p = ktstr_spawn(ctx, "sh", "-c", "echo out; exit 5");
	struct ktstr_metrics *first = ktstr_wait(p);

	KTSTR_REQUIRE(ctx, ktstr_exit_code(first) == 5, "%d", ktstr_exit_code(first));
	KTSTR_EXPECT(ctx, strcmp(ktstr_stdout(first), "out\n") == 0, "%s", ktstr_stdout(first));
	KTSTR_EXPECT(ctx, ktstr_wait(p) == first, "another result of wait");
	KTSTR_EXPECT(ctx, ktstr_kill(p) == first, "another result of kill");
	KTSTR_EXPECT(ctx, ktstr_try_wait(p) == first, "another result of try_wait");
	KTSTR_EXPECT(ctx, ktstr_pid(p) > 1 && atoi(ktstr_pid_str(p)) == ktstr_pid(p), "%s",
		     ktstr_pid_str(p));
}

static void there_is_one_result_and_an_exit_code_that_was_asked_for_fails_nothing(
	void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(wait_again);
	const struct json_value *line;
	int64_t pid;

	assert_int_equal(r.status, 0);
	assert_int_equal(count_lines(&r, "part"), 0);
	assert_int_equal(count_lines(&r, "started"), 1);
	assert_int_equal(count_lines(&r, "payload"), 1);
	pid = number_member(find_line(&r, "started", 0), "pid");
	line = find_line(&r, "payload", 0);
	assert_string_equal(string_member(line, "name"), "sh");
	assert_int_equal(number_member(line, "pid"), pid);
	assert_int_equal(number_member(line, "exit_code"), 5);
	assert_false(bool_member(line, "by_cleanup"));
	assert_false(bool_member(line, "timed_out"));
}

static void look_away(struct ktstr_ctx *ctx)
{
	ktstr_run(ctx, "sh", "-c", "echo why >&2; exit 7");
	ktstr_run(ctx, "true");
	ktstr_kill(ktstr_spawn(ctx, "sleep", "1000"));
	ktstr_spawn(ctx, "sleep", "1000");
}

static void an_unchecked_payload_failure_fails_the_test(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(look_away);

	assert_int_equal(r.status, 0);
	assert_int_equal(count_lines(&r, "part"), 1);
	assert_string_equal(string_member(find_line(&r, "part", 0), "text"),
			    "sh: exit code 7, and the test did not check it; stderr: why");
}

static void fail_exit_code(struct ktstr_ctx *ctx)
{
	ktstr_run_program(ctx, &(struct ktstr_program){
				       SHELL("echo it is broken >&2; exit 3"), .name = "breaker",
				       .output = KTSTR_OUTPUT_JSON,
				       .checks = { KTSTR_EXISTS("x"), KTSTR_EXIT_CODE(0) } });
	ktstr_note(ctx, "went on");
}

static void a_wrong_exit_code_is_a_part_and_the_test_goes_on(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(fail_exit_code);

	assert_one_part(&r, "payload", "breaker: exit code 3, not 0; stderr: it is broken");
	assert_int_equal(count_lines(&r, "note"), 1);
}

static void die_by_signal(struct ktstr_ctx *ctx)
{
	struct ktstr_metrics *m = ktstr_run(ctx, "sh", "-c", "kill -SEGV $$");

	KTSTR_EXPECT(ctx, ktstr_exit_code(m) == -SIGSEGV, "%d", ktstr_exit_code(m));
}

static void a_payload_killed_by_a_signal_has_a_negative_exit_code(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(die_by_signal);

	assert_int_equal(count_lines(&r, "part"), 0);
	assert_int_equal(number_member(find_line(&r, "payload", 0), "exit_code"), -SIGSEGV);
}

/* Names and list are gone when the checks are judged. */
static void judge_numbers(struct ktstr_ctx *ctx)
{
	struct ktstr_payload *payload;
	char name[] = "lat.p99";

	{
		struct ktstr_program program = {
			SHELL("echo '{\"lat\":{\"p99\":120}}'"), .name = "bench",
			.output = KTSTR_OUTPUT_JSON,
			.checks = { KTSTR_MAX(name, 100), KTSTR_MIN(name, 100), KTSTR_EXIT_CODE(0) }
		};
		payload = ktstr_start(ctx, &program);
		memset(&program, 0x5a, sizeof(program));
	}
	memset(name, 'x', sizeof(name) - 1);
	ktstr_wait(payload);
}

static void metric_checks_are_copied_from_the_caller(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(judge_numbers);
	const struct json_value *line;

	assert_one_part(&r, "payload", "bench: metric lat.p99 is 120, more than 100");
	line = find_line(&r, "payload", 0);
	assert_string_equal(string_member(line, "stream"), "stdout");
	assert_int_equal(json_length(json_find(line, "metrics")), 1);
}

static void be_late(struct ktstr_ctx *ctx)
{
	struct ktstr_metrics *m = ktstr_run_program(
		ctx,
		&(struct ktstr_program){ .argv = (const char *const[]){ "sleep", "1000", NULL },
					 .timeout_ms = 50,
					 .checks = { KTSTR_EXIT_CODE(0) } });

	KTSTR_EXPECT(ctx, ktstr_timed_out(m), "not late");
}

static void a_payload_past_its_timeout_is_killed_and_fails(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(be_late);

	assert_one_part(&r, "payload", "sleep: did not end within 50 ms and was killed");
	assert_true(bool_member(find_line(&r, "payload", 0), "timed_out"));
	assert_int_equal(number_member(find_line(&r, "payload", 0), "exit_code"), -SIGKILL);
}

static void be_slow(struct ktstr_ctx *ctx)
{
	ktstr_run_program(ctx, &(struct ktstr_program){ SHELL("sleep 0.3"), .timeout_ms = 100 });
}

static void slow_machines_get_more_time(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body_in(be_slow, 1000, -1);

	assert_int_equal(count_lines(&r, "part"), 0);
	assert_false(bool_member(find_line(&r, "payload", 0), "timed_out"));
}

/* What it says before the marker is in the pipe when the marker is seen. */
#define READY "echo ready >/tmp/ktstr-worker-ready-$$; "

static void wait_ready(struct ktstr_payload *payload)
{
	ktstr_wait_ready(payload, 60000);
	unlink(payload->ready_path);
}

static void leave_running(struct ktstr_ctx *ctx)
{
	struct ktstr_payload *p = ktstr_start(
		ctx, &(struct ktstr_program){ SHELL("echo '{\"x\":1}'; " READY "exec sleep 1000"),
					      .name = "background", .output = KTSTR_OUTPUT_JSON,
					      .checks = { KTSTR_EXIT_CODE(0), KTSTR_EXISTS("x"),
							  KTSTR_MIN("x", 2) } });

	ktstr_spawn(ctx, "sleep", "1000");
	wait_ready(p);
	KTSTR_EXPECT(ctx, ktstr_try_wait(p) == NULL, "ended");
}

static void payloads_running_at_the_end_are_killed_and_judged_by_metrics(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(leave_running);

	assert_int_equal(r.status, 0);
	assert_int_equal(count_lines(&r, "payload"), 2);
	for (size_t i = 0; i < 2; i++) {
		assert_true(bool_member(find_line(&r, "payload", i), "by_cleanup"));
		assert_int_equal(number_member(find_line(&r, "payload", i), "exit_code"), -SIGKILL);
	}
	assert_one_part(&r, "payload", "background: metric x is 1, less than 2");
}

static void never_ask(struct ktstr_ctx *ctx)
{
	struct ktstr_payload *p = ktstr_start(
		ctx, &(struct ktstr_program){ SHELL("exit 3"), .checks = { KTSTR_EXIT_CODE(0) } });

	suite_payload_process_wait(p->process, SUITE_PAYLOAD_WAIT_FOREVER);
}

static void a_payload_that_was_never_waited_for_is_judged_fully(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(never_ask);

	assert_one_part(&r, "payload", "sh: exit code 3, not 0");
	assert_false(bool_member(find_line(&r, "payload", 0), "by_cleanup"));
}

static void kill_one(struct ktstr_ctx *ctx)
{
	struct ktstr_payload *p = ktstr_spawn(ctx, "sleep", "1000");

	KTSTR_EXPECT(ctx, ktstr_try_wait(p) == NULL, "ended");
	KTSTR_EXPECT(ctx, ktstr_exit_code(ktstr_kill(p)) == -SIGKILL, "not killed");
	KTSTR_EXPECT(ctx, kill(ktstr_pid(p), 0) < 0, "still there");
}

static void a_payload_killed_by_the_test_is_not_marked_as_cleanup(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(kill_one);

	assert_int_equal(count_lines(&r, "part"), 0);
	assert_false(bool_member(find_line(&r, "payload", 0), "by_cleanup"));
	assert_false(bool_member(find_line(&r, "payload", 0), "timed_out"));
}

static void wait_oneself(struct ktstr_ctx *ctx)
{
	struct ktstr_payload *p = ktstr_start(
		ctx,
		&(struct ktstr_program){ .argv = (const char *const[]){ "sleep", "1000", NULL },
					 .name = "",
					 .checks = { KTSTR_EXIT_CODE(0) } });

	/* As a test that wants no zombies: the kernel reaps them. */
	signal(SIGCHLD, SIG_IGN);
	kill(ktstr_pid(p), SIGKILL);
	ktstr_wait(p);
}

static void a_test_that_reaps_a_payload_itself_is_broken(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(wait_oneself);

	assert_one_part(&r, "setup", "sleep: its exit status is unknown");
	assert_int_equal(count_lines(&r, "payload"), 0);
}

static void end_by_require(struct ktstr_ctx *ctx)
{
	ktstr_spawn(ctx, "sleep", "1000");
	KTSTR_REQUIRE(ctx, false, "enough");
}

static void a_test_that_ends_early_leaves_no_payload(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(end_by_require);

	assert_one_part(&r, "expectation", "enough");
	assert_true(bool_member(find_line(&r, "payload", 0), "by_cleanup"));
	assert_int_equal(kill((pid_t)number_member(find_line(&r, "payload", 0), "pid"), 0), -1);
}

/* Last, since it starts threads: what is left when it ends is a leak. */
static void everything_is_released_at_the_end(void **state UNUSED)
{
	int fd = memfd_create("report", MFD_CLOEXEC);
	struct ktstr_ctx ctx = { .pid = getpid(), .slowness = 1, .cgroups_fd = -1 };
	struct ktstr_metrics *m;

	suite_report_writer_init(&ctx.report, fd, 0);
	m = ktstr_run_json(&ctx, "echo", "{\"a\":1,\"a\":2}");
	assert_string_equal(ktstr_metrics_dump(m), "a=1");
	ktstr_start(&ctx,
		    &(struct ktstr_program){ SHELL("exec sleep 1000"), .output = KTSTR_OUTPUT_JSON,
					     .checks = { KTSTR_EXISTS("x") } });
	assert_non_null(ctx.payloads);
	assert_true(ctx.end_payloads == suite_payload_end_all);
	suite_payload_end_all(&ctx);
	assert_null(ctx.payloads);
	assert_null(ctx.end_payloads);
	suite_payload_end_all(&ctx);
	suite_report_writer_deinit(&ctx.report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			there_is_one_result_and_an_exit_code_that_was_asked_for_fails_nothing),
		cmocka_unit_test(an_unchecked_payload_failure_fails_the_test),
		cmocka_unit_test(a_wrong_exit_code_is_a_part_and_the_test_goes_on),
		cmocka_unit_test(a_payload_killed_by_a_signal_has_a_negative_exit_code),
		cmocka_unit_test(metric_checks_are_copied_from_the_caller),
		cmocka_unit_test(a_payload_past_its_timeout_is_killed_and_fails),
		cmocka_unit_test(slow_machines_get_more_time),
		cmocka_unit_test(payloads_running_at_the_end_are_killed_and_judged_by_metrics),
		cmocka_unit_test(a_payload_that_was_never_waited_for_is_judged_fully),
		cmocka_unit_test(a_payload_killed_by_the_test_is_not_marked_as_cleanup),
		cmocka_unit_test(a_test_that_reaps_a_payload_itself_is_broken),
		cmocka_unit_test(a_test_that_ends_early_leaves_no_payload),
		cmocka_unit_test(everything_is_released_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
