// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <ktstr/ktstr.h>
#include <sys/stat.h>

#include "shell_program.h"
#include "suite/payload.h"
#include "suite/run_body.h"

/* In the place of the cgroup of any name; NULL: there is none. */
static const char *cgroup_dir;

struct error *__wrap_suite_ctx_open_cgroup(const struct ktstr_ctx *ctx, const char *name,
					   int *ret_fd);
struct error *__wrap_suite_ctx_open_cgroup(const struct ktstr_ctx *ctx UNUSED, const char *name,
					   int *ret_fd)
{
	if (name && !cgroup_dir)
		return base_error(BASE_ABSENT, 0, "this system has no cgroups");
	*ret_fd = name ? open(cgroup_dir, O_PATH | O_CLOEXEC) : -1;
	return NULL;
}

/* ---- programs that cannot be started ---- */

static char script[] = "/tmp/ktstr-test-payload-XXXXXX";

static void start_absent(struct ktstr_ctx *ctx)
{
	ktstr_run(ctx, "no-such-program", "argument");
	ktstr_note(ctx, "went on");
}

static void start_script(struct ktstr_ctx *ctx)
{
	ktstr_run(ctx, script);
	ktstr_note(ctx, "went on");
}

static void a_program_that_is_missing_breaks_the_test(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(start_absent);

	assert_one_part(&r, "files", "payload no-such-program cannot be started: there is no");
	assert_contains(string_member(find_line(&r, "part", 0), "text"), ".files");
	assert_int_equal(count_lines(&r, "note"), 0);
	assert_int_equal(count_lines(&r, "started"), 0);
	assert_int_equal(r.status, 0);
}

static void a_script_breaks_the_test_with_what_it_lacks(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report plain = { 0 }, executable = { 0 };
	int fd = mkstemp(script);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "#!/no/such/interpreter\n", 23), 23);
	close(fd);
	plain = run_body(start_script);
	assert_int_equal(chmod(script, 0700), 0);
	executable = run_body(start_script);
	unlink(script);
	assert_one_part(&plain, "setup", "Permission denied");
	assert_one_part(&executable, "files", "its interpreter /no/such/interpreter is not here");
}

/* ---- cgroups ---- */

static void start_in_cgroup(struct ktstr_ctx *ctx)
{
	_cleanup_free_ char *procs = xasprintf("%s/cgroup.procs", cgroup_dir ?: "");
	struct ktstr_metrics *m = ktstr_run_program(
		ctx, &(struct ktstr_program){
			     .argv = (const char *const[]){ "head", "-c8", procs, NULL },
			     .cgroup = "left" });

	KTSTR_EXPECT(ctx, strcmp(ktstr_stdout(m), "0") == 0, "it saw %s", ktstr_stdout(m));
	ktstr_note(ctx, "went on");
}

static void a_program_is_in_its_cgroup_before_it_runs(void **state UNUSED)
{
	char dir[] = "/tmp/ktstr-test-payload-XXXXXX";
	_cleanup_body_report_ struct body_report entered = { 0 }, refused = { 0 }, empty = { 0 };
	_cleanup_free_ char *procs = NULL;

	assert_non_null(mkdtemp(dir));
	cgroup_dir = dir;
	empty = run_body(start_in_cgroup);
	procs = xasprintf("%s/cgroup.procs", dir);
	assert_success(io_replace_file(procs, "", 0));
	entered = run_body(start_in_cgroup);
	unlink(procs);
	assert_int_equal(symlink("/dev/full", procs), 0);
	refused = run_body(start_in_cgroup);
	unlink(procs);
	rmdir(dir);
	cgroup_dir = NULL;
	assert_int_equal(count_lines(&entered, "part"), 0);
	assert_int_equal(count_lines(&entered, "note"), 1);
	assert_one_part(&empty, "setup", "cgroup.procs of left");
	assert_one_part(&refused, "setup", "into its cgroup");
	assert_int_equal(count_lines(&refused, "note"), 0);
}

static void no_cgroups_at_all_breaks_the_test(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(start_in_cgroup);

	assert_one_part(&r, "setup", "this system has no cgroups");
}

/* ---- what a program is given ---- */

static void give_environment(struct ktstr_ctx *ctx)
{
	struct ktstr_metrics *m = ktstr_run_program(
		ctx, &(struct ktstr_program){
			     SHELL("echo \"$ADDED $HOME\""),
			     .env = (const char *const[]){ "ADDED=1", "HOME=/h", NULL } });

	KTSTR_EXPECT(ctx, strcmp(ktstr_stdout(m), "1 /h\n") == 0, "%s", ktstr_stdout(m));
	m = ktstr_run_program(ctx, &(struct ktstr_program){ SHELL("echo long text; echo err >&2"),
							    .capture_bytes = 4 });
	KTSTR_EXPECT(ctx, strcmp(ktstr_stdout(m), "long") == 0, "%s", ktstr_stdout(m));
	KTSTR_EXPECT(ctx, strcmp(ktstr_stderr(m), "err\n") == 0, "%s", ktstr_stderr(m));
}

static void a_payload_has_its_own_environment_and_output_cap(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(give_environment);
	const struct json_value *line;

	assert_int_equal(count_lines(&r, "part"), 0);
	line = find_line(&r, "payload", 1);
	assert_int_equal(number_member(line, "stdout_bytes"), 10);
	assert_int_equal(number_member(line, "stderr_bytes"), 4);
	assert_int_equal(number_member(line, "dropped_bytes"), 6);
}

static void start_without_argv(struct ktstr_ctx *ctx)
{
	ktstr_start(ctx, &(struct ktstr_program){ 0 });
}

static void start_with_bad_env(struct ktstr_ctx *ctx)
{
	ktstr_start(ctx, &(struct ktstr_program){ SHELL("true"),
						  .env = (const char *const[]){ "ADDED", NULL } });
}

static void start_with_bad_check(struct ktstr_ctx *ctx)
{
	ktstr_start(ctx,
		    &(struct ktstr_program){ SHELL("true"), .checks = { KTSTR_EXISTS(NULL) } });
}

static void mistakes_of_the_author_break_the_test(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report argv = run_body(start_without_argv);
	_cleanup_body_report_ struct body_report env = run_body(start_with_bad_env);
	_cleanup_body_report_ struct body_report check = run_body(start_with_bad_check);

	assert_one_part(&argv, "setup", "without argv[0]");
	assert_one_part(&env, "setup", "not NAME=value");
	assert_one_part(&check, "setup", "names no metric");
}

/* Directory of the markers of a test; in the environment of the payloads. */
static char dir[64];
static char marker_setting[256];
static char marker[96];

static int make_dir(void **state UNUSED)
{
	snprintf(dir, sizeof(dir), "/tmp/ktstr-test-ready-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(marker, sizeof(marker), "%s/marker", dir);
	snprintf(marker_setting, sizeof(marker_setting), "%s=%s", READY_MARKER_OVERRIDE_ENV,
		 marker);
	return 0;
}

static int remove_dir(void **state UNUSED)
{
	unlink(marker);
	return rmdir(dir);
}

static struct ktstr_payload *start(struct ktstr_ctx *ctx, const char *commands)
{
	return ktstr_start(ctx, &(struct ktstr_program){
					.argv = (const char *const[]){ "sh", "-c", commands, NULL },
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

static void a_payload_that_ends_before_it_is_ready_fails_with_its_legend(void **state UNUSED)
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

static void a_payload_that_dies_after_its_marker_is_not_ready(void **state UNUSED)
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

static void slow_machines_get_more_time_to_be_ready(void **state UNUSED)
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

static void a_marker_path_that_is_too_long_breaks_the_test(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = run_body(have_a_long_path);

	assert_one_part(&r, "setup", "is too long");
}

#define ready_test(f) cmocka_unit_test_setup_teardown(f, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_that_is_missing_breaks_the_test),
		cmocka_unit_test(a_script_breaks_the_test_with_what_it_lacks),
		cmocka_unit_test(a_program_is_in_its_cgroup_before_it_runs),
		cmocka_unit_test(no_cgroups_at_all_breaks_the_test),
		cmocka_unit_test(a_payload_has_its_own_environment_and_output_cap),
		cmocka_unit_test(mistakes_of_the_author_break_the_test),
		ready_test(the_marker_in_the_payloads_environment_is_waited_for),
		ready_test(without_an_override_the_marker_has_the_pid_in_its_name),
		ready_test(a_payload_that_ends_before_it_is_ready_fails_with_its_legend),
		ready_test(a_payload_that_dies_after_its_marker_is_not_ready),
		ready_test(payload_not_ready_in_time_ends_the_test),
		ready_test(slow_machines_get_more_time_to_be_ready),
		ready_test(a_marker_path_that_is_too_long_breaks_the_test),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
