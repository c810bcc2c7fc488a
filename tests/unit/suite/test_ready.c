// SPDX-License-Identifier: GPL-2.0-or-later
#include <ktstr/ktstr.h>

#include <signal.h>

#include "suite/run_body.h"
#include "unit.h"

/* Folder of the markers of a test; in the environment of the payloads. */
static char folder[64];
static char marker_setting[256];
static char marker[96];

static int make_folder(void **state UNUSED)
{
	snprintf(folder, sizeof(folder), "/tmp/ktstr-test-ready-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(marker, sizeof(marker), "%s/marker", folder);
	snprintf(marker_setting, sizeof(marker_setting), "%s=%s", READY_MARKER_OVERRIDE_ENV,
		 marker);
	return 0;
}

static int remove_folder(void **state UNUSED)
{
	unlink(marker);
	return rmdir(folder);
}

static struct ktstr_payload *start(struct ktstr_ctx *ctx, const char *script)
{
	return ktstr_start(ctx, &(struct ktstr_program){
					.argv = (const char *const[]){ "sh", "-c", script, NULL },
					.env = (const char *const[]){ marker_setting, NULL },
					.name = "worker" });
}

static void become_ready(struct ktstr_ctx *ctx)
{
	struct ktstr_payload *p = start(
		ctx, "sleep 0.05; echo ready >$KTSTR_WORKER_READY_MARKER_OVERRIDE; "
		     "exec sleep 1000");

	ktstr_wait_ready(p, 60000);
	KTSTR_EXPECT(ctx, access(marker, F_OK) == 0, "no marker");
	KTSTR_EXPECT(ctx, ktstr_try_wait(p) == NULL, "it ended");
	ktstr_note(ctx, "went on");
}

static void the_marker_in_the_payloads_environment_is_waited_for(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(become_ready);

	assert_int_equal(count_lines(&r, "part"), 0);
	assert_int_equal(count_lines(&r, "note"), 1);
}

static void become_ready_by_pid(struct ktstr_ctx *ctx)
{
	struct ktstr_payload *p = ktstr_spawn(
		ctx, "sh", "-c", "echo ready >/tmp/ktstr-worker-ready-$$; exec sleep 1000");

	ktstr_wait_ready(p, 60000);
	unlink(p->ready_path);
	ktstr_note(ctx, "%s", p->ready_path);
}

static void without_an_override_the_marker_has_the_pid_in_its_name(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(become_ready_by_pid);
	_cleanup_free_ char *expected = NULL;

	assert_int_equal(count_lines(&r, "part"), 0);
	expected = xasprintf("/tmp/ktstr-worker-ready-%d",
			     (int)number_member(find_line(&r, "started", 0), "pid"));
	assert_string_equal(string_member(find_line(&r, "note", 0), "text"), expected);
}

static void end_first(struct ktstr_ctx *ctx)
{
	ktstr_wait_ready_with(start(ctx, "echo no memory >&2; exit 3"), 60000,
			      "2=no bytes, 3=threads");
	ktstr_note(ctx, "went on");
}

static void who_ends_first_ends_the_test_with_its_exit_code_and_legend(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(end_first);

	assert_one_part(&r, "payload", "worker (pid ");
	assert_contains(string_member(find_line(&r, "part", 0), "text"),
			"ended before it was ready: exit code 3 (2=no bytes, 3=threads); "
			"stderr: no memory");
	assert_int_equal(count_lines(&r, "note"), 0);
	assert_int_equal(count_lines(&r, "payload"), 1);
	assert_false(bool_member(find_line(&r, "payload", 0), "by_cleanup"));
	assert_int_equal(r.status, 0);
}

static void mark_and_die(struct ktstr_ctx *ctx)
{
	struct ktstr_payload *p = start(
		ctx, "echo ready >$KTSTR_WORKER_READY_MARKER_OVERRIDE; kill -ABRT $$");

	/* Both have happened when the wait begins. */
	suite_payload_process_wait(p->process, SUITE_PAYLOAD_WAIT_FOREVER);
	ktstr_wait_ready(p, 60000);
	ktstr_note(ctx, "went on");
}

static void who_marks_itself_and_dies_is_not_ready(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(mark_and_die);

	assert_one_part(&r, "payload", "killed by signal 6 (SIGABRT)");
	assert_int_equal(count_lines(&r, "note"), 0);
}

static void never_become_ready(struct ktstr_ctx *ctx)
{
	ktstr_wait_ready(start(ctx, "exec sleep 1000"), 30);
	ktstr_note(ctx, "went on");
}

static void payload_not_ready_in_time_ends_the_test(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body_in(never_become_ready, 2, -1);

	assert_one_part(&r, "payload", "was not ready within 30 ms (60 ms on this machine)");
	assert_contains(string_member(find_line(&r, "part", 0), "text"), marker);
	assert_int_equal(count_lines(&r, "note"), 0);
	assert_true(bool_member(find_line(&r, "payload", 0), "by_cleanup"));
}

static void become_ready_slowly(struct ktstr_ctx *ctx)
{
	ktstr_wait_ready(start(ctx, "sleep 0.3; echo >$KTSTR_WORKER_READY_MARKER_OVERRIDE; "
				    "exec sleep 1000"),
			 100);
}

static void slow_machines_get_more_time(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body_in(become_ready_slowly, 1000, -1);

	assert_int_equal(count_lines(&r, "part"), 0);
}

static void have_a_long_path(struct ktstr_ctx *ctx)
{
	_cleanup_strbuf_ struct strbuf setting = STRBUF_INIT;

	strbuf_append(&setting, READY_MARKER_OVERRIDE_ENV "=/");
	strbuf_append_repeated(&setting, 'x', 5000);
	ktstr_wait_ready(
		ktstr_start(ctx,
			    &(struct ktstr_program){
				    .argv = (const char *const[]){ "sleep", "1000", NULL },
				    .env = (const char *const[]){ strbuf_str(&setting), NULL } }),
		60000);
}

static void a_marker_that_cannot_be_breaks_the_test(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(have_a_long_path);

	assert_one_part(&r, "setup", "is too long");
}

#define ready_test(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ready_test(the_marker_in_the_payloads_environment_is_waited_for),
		ready_test(without_an_override_the_marker_has_the_pid_in_its_name),
		ready_test(who_ends_first_ends_the_test_with_its_exit_code_and_legend),
		ready_test(who_marks_itself_and_dies_is_not_ready),
		ready_test(payload_not_ready_in_time_ends_the_test),
		ready_test(slow_machines_get_more_time),
		ready_test(a_marker_that_cannot_be_breaks_the_test),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
