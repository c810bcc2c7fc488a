// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "suite/payload.h"

static struct suite_payload_process *start_with(struct suite_payload_process_request request)
{
	struct suite_payload_process *process = NULL;

	if (!request.capture_bytes)
		request.capture_bytes = SUITE_PAYLOAD_CAPTURE_BYTES;
	assert_success(suite_payload_process_start(&request, &process));
	return process;
}

static struct suite_payload_process *start_shell(const char *script)
{
	const char *const argv[] = { "sh", "-c", script, NULL };

	return start_with((struct suite_payload_process_request){ .argv = argv });
}

static struct suite_payload_end *wait_for_end(struct suite_payload_process *process)
{
	assert_true(suite_payload_process_wait(process, SUITE_PAYLOAD_WAIT_FOREVER));
	return suite_payload_process_end(process);
}

/* Nobody, or a zombie whose new parent has not looked yet. */
static bool is_gone(pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/stat", pid);
	_cleanup_strbuf_ struct strbuf stat = STRBUF_INIT;
	_cleanup_error_ struct error *err = io_read_file(path, 4096, &stat);
	const char *state = err ? NULL : strrchr(strbuf_str(&stat), ')');

	return !state || state[2] == 'Z';
}

static void wait_until_gone(pid_t pid)
{
	/* Half a minute, so that a bug is a failure and not a test that hangs. */
	for (int i = 0; !is_gone(pid); i++) {
		if (i == 30000) {
			kill(pid, SIGKILL);
			fail_msg("process %d is still there", pid);
		}
		usleep(1000);
	}
}

static void output_and_exit_code_come_back(void **state UNUSED)
{
	struct suite_payload_process *process = start_shell("echo out; echo err >&2; exit 7");
	struct suite_payload_end *end = wait_for_end(process);

	assert_true(end->known);
	assert_int_equal(end->exit_code, 7);
	assert_string_equal(suite_capture_str(&end->out), "out\n");
	assert_string_equal(suite_capture_str(&end->err), "err\n");
	assert_false(end->timed_out);
	assert_false(end->killed);
	suite_payload_process_free(process);
}

static void the_exit_code_of_a_killed_process_is_minus_the_signal(void **state UNUSED)
{
	struct suite_payload_process *process = start_shell("kill -USR1 $$");

	assert_int_equal(wait_for_end(process)->exit_code, -SIGUSR1);
	suite_payload_process_free(process);
}

static void a_program_that_writes_much_never_waits_for_a_reader(void **state UNUSED)
{
	struct suite_payload_process *process = start_shell(
		"head -c 5000000 /dev/zero; head -c 3000000 /dev/zero >&2");

	/* Nobody asks for anything until it is gone. */
	wait_until_gone(suite_payload_process_pid(process));
	struct suite_payload_end *end = wait_for_end(process);

	assert_int_equal(end->exit_code, 0);
	assert_int_equal(end->out.n, 5000000);
	assert_int_equal(end->err.n, 3000000);
	assert_int_equal(suite_capture_dropped(&end->out), 0);
	suite_payload_process_free(process);
}

static void past_its_cap_output_is_counted_and_dropped(void **state UNUSED)
{
	const char *const argv[] = { "sh", "-c", "echo begin; head -c 2000000 /dev/zero; echo end",
				     NULL };
	struct suite_payload_process *process = start_with(
		(struct suite_payload_process_request){ .argv = argv, .capture_bytes = 1000 });
	struct suite_payload_end *end = wait_for_end(process);
	_cleanup_strbuf_ struct strbuf tail = STRBUF_INIT;

	assert_int_equal(end->exit_code, 0);
	assert_int_equal(end->out.n, 1000);
	assert_int_equal(end->out.total, 2000010);
	assert_memory_equal(suite_capture_str(&end->out), "begin\n", 6);
	suite_capture_tail(&end->out, &tail);
	assert_memory_equal(tail.at + tail.n - 4, "end\n", 4);
	suite_payload_process_free(process);
}

static void a_payload_past_its_timeout_is_killed_without_a_wait(void **state UNUSED)
{
	const char *const argv[] = { "sleep", "1000", NULL };
	struct suite_payload_process *process = start_with(
		(struct suite_payload_process_request){ .argv = argv, .timeout_ms = 100 });

	wait_until_gone(suite_payload_process_pid(process));
	struct suite_payload_end *end = wait_for_end(process);

	assert_true(end->timed_out);
	assert_false(end->killed);
	assert_int_equal(end->exit_code, -SIGKILL);
	suite_payload_process_free(process);
}

static void payload_that_ends_in_time_is_not_timed_out(void **state UNUSED)
{
	const char *const argv[] = { "true", NULL };
	struct suite_payload_process *process = start_with(
		(struct suite_payload_process_request){ .argv = argv, .timeout_ms = 60000 });
	struct suite_payload_end *end = wait_for_end(process);

	assert_false(end->timed_out);
	assert_int_equal(end->exit_code, 0);
	suite_payload_process_free(process);
}

/* The descendant tells its number first, so that it can be looked for afterwards. */
static pid_t told_pid(struct suite_payload_process *process)
{
	struct suite_payload_end *end = wait_for_end(process);
	int pid = atoi(suite_capture_str(&end->out));

	assert_true(pid > 1);
	return pid;
}

static void a_kill_takes_the_whole_group(void **state UNUSED)
{
	struct suite_payload_process *process;
	char path[] = "/tmp/ktstr-test-process-XXXXXX";
	_cleanup_close_ int fd = mkstemp(path);
	_cleanup_free_ char *script = xasprintf("sleep 1000 & echo $!; echo x >%s; wait", path);
	struct stat seen = { 0 };
	pid_t descendant;

	assert_true(fd >= 0);
	process = start_shell(script);
	while (fstat(fd, &seen) == 0 && seen.st_size == 0)
		usleep(1000);
	assert_false(suite_payload_process_wait(process, 0));
	suite_payload_process_kill(process);
	descendant = told_pid(process);
	assert_int_equal(suite_payload_process_end(process)->exit_code, -SIGKILL);
	assert_true(suite_payload_process_end(process)->killed);
	wait_until_gone(descendant);
	suite_payload_process_free(process);
	unlink(path);
}

static void a_descendant_that_holds_the_pipes_is_not_waited_for(void **state UNUSED)
{
	struct suite_payload_process *process = start_shell("sleep 1000 & echo $!; echo err >&2");
	pid_t descendant = told_pid(process);

	assert_int_equal(suite_payload_process_end(process)->exit_code, 0);
	assert_string_equal(suite_capture_str(&suite_payload_process_end(process)->err), "err\n");
	assert_false(is_gone(descendant));
	kill(descendant, SIGKILL);
	suite_payload_process_free(process);
}

static void a_kill_takes_what_an_ended_leader_left_behind(void **state UNUSED)
{
	struct suite_payload_process *process = start_shell("sleep 1000 & echo $!; exit 6");
	pid_t descendant;

	assert_true(suite_payload_process_wait(process, SUITE_PAYLOAD_WAIT_FOREVER));
	suite_payload_process_kill(process);
	descendant = told_pid(process);
	wait_until_gone(descendant);
	assert_int_equal(suite_payload_process_end(process)->exit_code, 6);
	assert_false(suite_payload_process_end(process)->killed);
	suite_payload_process_free(process);
}

static void a_descendant_that_writes_on_is_not_read_for_ever(void **state UNUSED)
{
	struct suite_payload_process *process = start_shell("yes & echo $! >&2; exit 3");
	struct suite_payload_end *end = wait_for_end(process);
	int descendant = atoi(suite_capture_str(&end->err));

	assert_int_equal(end->exit_code, 3);
	assert_true(descendant > 1);
	/* Nobody reads its pipe any more. */
	wait_until_gone(descendant);
	suite_payload_process_free(process);
}

static void a_program_that_cannot_run_is_an_error_with_errno(void **state UNUSED)
{
	char path[] = "/tmp/ktstr-test-process-XXXXXX";
	const char *const plain[] = { path, NULL }, *const absent[] = { "/no/such/program", NULL };
	struct suite_payload_process *process = NULL;
	struct error *err;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "#!/no/such/interpreter\n", 23), 23);
	close(fd);
	err = suite_payload_process_start(&(struct suite_payload_process_request){ .argv = plain },
					  &process);
	assert_int_equal(error_errno(err), EACCES);
	error_free(err);
	assert_int_equal(chmod(path, 0700), 0);
	err = suite_payload_process_start(&(struct suite_payload_process_request){ .argv = plain },
					  &process);
	assert_int_equal(error_errno(err), ENOENT);
	error_free(err);
	err = suite_payload_process_start(&(struct suite_payload_process_request){ .argv = absent },
					  &process);
	assert_int_equal(error_errno(err), ENOENT);
	error_free(err);
	assert_null(process);
	unlink(path);
}

/* libc keeps two signals for itself and lets nobody set them; whoever started us may ignore one. */
static void reset_signals_of_libc(void)
{
	const struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} by_default = { .handler = SIG_DFL };

	syscall(SYS_rt_sigaction, 32, &by_default, NULL, sizeof(by_default.mask));
	syscall(SYS_rt_sigaction, 33, &by_default, NULL, sizeof(by_default.mask));
}

static void a_payload_starts_with_default_signals_and_its_own_group(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf expected = STRBUF_INIT;
	struct suite_payload_process *process;
	sigset_t term, old;

	reset_signals_of_libc();
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &term, &old);
	signal(SIGCHLD, SIG_IGN);
	/* cut and grep are of the shell's group, and inherit its signals. */
	process = start_shell("cut -d' ' -f5 /proc/self/stat; grep -E '^Sig(Blk|Ign)' "
			      "/proc/self/status; cat; readlink /proc/self/fd/0");
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	strbuf_appendf(&expected,
		       "%d\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n/dev/null\n",
		       suite_payload_process_pid(process));
	assert_string_equal(suite_capture_str(&wait_for_end(process)->out), strbuf_str(&expected));
	suite_payload_process_free(process);
	signal(SIGCHLD, SIG_DFL);
}

static void an_end_reaped_by_others_is_unknown(void **state UNUSED)
{
	const char *const argv[] = { "sleep", "1000", NULL };
	struct suite_payload_process *process = start_with(
		(struct suite_payload_process_request){ .argv = argv });

	/* The kernel reaps children whose ends are ignored. */
	signal(SIGCHLD, SIG_IGN);
	kill(suite_payload_process_pid(process), SIGKILL);
	assert_false(wait_for_end(process)->known);
	assert_int_equal(suite_payload_process_end(process)->exit_code, INT32_MIN);
	signal(SIGCHLD, SIG_DFL);
	suite_payload_process_free(process);
}

static void a_kill_after_the_end_changes_nothing(void **state UNUSED)
{
	struct suite_payload_process *process = start_shell("exit 4");

	wait_for_end(process);
	suite_payload_process_kill(process);
	assert_int_equal(wait_for_end(process)->exit_code, 4);
	assert_false(suite_payload_process_end(process)->killed);
	suite_payload_process_free(process);
}

static void freeing_a_running_payload_kills_it(void **state UNUSED)
{
	struct suite_payload_process *process = start_shell("exec sleep 1000");
	pid_t pid = suite_payload_process_pid(process);

	assert_false(suite_payload_process_wait(process, 1));
	suite_payload_process_free(process);
	assert_int_equal(kill(pid, 0), -1);
	suite_payload_process_free(NULL);
}

static void a_closed_stream_does_not_end_the_other(void **state UNUSED)
{
	struct suite_payload_process *process = start_shell(
		"exec >&-; sleep 0.05; echo late >&2; exit 2");
	struct suite_payload_end *end = wait_for_end(process);

	assert_int_equal(end->exit_code, 2);
	assert_string_equal(suite_capture_str(&end->err), "late\n");
	suite_payload_process_free(process);
}

static char *const ours[] = { (char *)"A=1", (char *)"AB=2", (char *)"EMPTY=", NULL };

static void a_payload_inherits_the_environment(void **state UNUSED)
{
	_cleanup_suite_payload_env_ struct suite_payload_env env;

	suite_payload_env_init(&env, ours, NULL);
	assert_int_equal(env.all.n, 4);
	assert_string_equal(env.all.at[0], "A=1");
	assert_string_equal(env.all.at[2], "EMPTY=");
	assert_null(env.all.at[3]);
}

static void additions_replace_and_the_last_counts(void **state UNUSED)
{
	const char *const added[] = { "B=3", "A=4", "B=5", "A=6", NULL };
	_cleanup_suite_payload_env_ struct suite_payload_env env;

	suite_payload_env_init(&env, ours, added);
	assert_int_equal(env.all.n, 5);
	assert_string_equal(suite_payload_env_find(&env, "A"), "6");
	assert_string_equal(suite_payload_env_find(&env, "AB"), "2");
	assert_string_equal(suite_payload_env_find(&env, "B"), "5");
	assert_string_equal(suite_payload_env_find(&env, "EMPTY"), "");
	assert_null(suite_payload_env_find(&env, "C"));
}

static void an_empty_environment_is_one(void **state UNUSED)
{
	_cleanup_suite_payload_env_ struct suite_payload_env env;

	suite_payload_env_init(&env, NULL, NULL);
	assert_int_equal(env.all.n, 1);
	assert_null(suite_payload_env_find(&env, "A"));
}

static void a_setting_has_a_name_and_an_equals_sign(void **state UNUSED)
{
	assert_true(suite_payload_env_is_setting("A=1"));
	assert_true(suite_payload_env_is_setting("A="));
	assert_false(suite_payload_env_is_setting("A"));
	assert_false(suite_payload_env_is_setting("=1"));
	assert_false(suite_payload_env_is_setting(""));
}

#define assert_explained(program, path, needle)                       \
	do {                                                          \
		_cleanup_strbuf_ struct strbuf text_ = STRBUF_INIT;   \
		suite_payload_missing_explain(program, path, &text_); \
		assert_contains(strbuf_str(&text_), needle);          \
	} while (0)

static void a_missing_program_suggests_dot_files(void **state UNUSED)
{
	assert_explained("no-such-program", "/bin:/usr/bin",
			 "there is no program no-such-program here: name it in .files");
	assert_explained("/no/such/program", "/bin", "there is no program /no/such/program");
	assert_explained("no-such-program", NULL, "there is no program no-such-program");
	assert_explained("no-such-program", "", "there is no program no-such-program");
}

static void a_script_that_cannot_start_names_its_interpreter(void **state UNUSED)
{
	static const struct {
		const char *text, *needle;
	} rows[] = {
		{ "#!/no/such/interpreter\necho hi\n", "its interpreter /no/such/interpreter is" },
		{ "#! \t/no/python3 -u\n", "its interpreter /no/python3 is" },
		{ "#!/no/where", "its interpreter /no/where is" },
		{ "#!/bin/sh\r\necho hi\r\n", "first line ends with a carriage return" },
		{ "\177ELF and so on", "the loader it asks for is not" },
		{ "", "the loader it asks for is not" },
		{ "#", "the loader it asks for is not" },
	};
	char dir[] = "/tmp/ktstr-test-missing-XXXXXX";
	_cleanup_free_ char *file = NULL, *path = NULL;

	assert_non_null(mkdtemp(dir));
	file = xasprintf("%s/tool", dir);
	path = xasprintf("/no/where:%s:/bin", dir);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_success(io_replace_file(file, rows[i].text, strlen(rows[i].text)));
		assert_explained(file, NULL, rows[i].needle);
		assert_explained("tool", path, rows[i].needle);
		assert_explained("tool", path, file);
	}
	unlink(file);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_and_exit_code_come_back),
		cmocka_unit_test(the_exit_code_of_a_killed_process_is_minus_the_signal),
		cmocka_unit_test(a_program_that_writes_much_never_waits_for_a_reader),
		cmocka_unit_test(past_its_cap_output_is_counted_and_dropped),
		cmocka_unit_test(a_payload_past_its_timeout_is_killed_without_a_wait),
		cmocka_unit_test(payload_that_ends_in_time_is_not_timed_out),
		cmocka_unit_test(a_kill_takes_the_whole_group),
		cmocka_unit_test(a_descendant_that_holds_the_pipes_is_not_waited_for),
		cmocka_unit_test(a_kill_takes_what_an_ended_leader_left_behind),
		cmocka_unit_test(a_descendant_that_writes_on_is_not_read_for_ever),
		cmocka_unit_test(a_program_that_cannot_run_is_an_error_with_errno),
		cmocka_unit_test(a_payload_starts_with_default_signals_and_its_own_group),
		cmocka_unit_test(an_end_reaped_by_others_is_unknown),
		cmocka_unit_test(a_kill_after_the_end_changes_nothing),
		cmocka_unit_test(freeing_a_running_payload_kills_it),
		cmocka_unit_test(a_closed_stream_does_not_end_the_other),
		cmocka_unit_test(a_payload_inherits_the_environment),
		cmocka_unit_test(additions_replace_and_the_last_counts),
		cmocka_unit_test(an_empty_environment_is_one),
		cmocka_unit_test(a_setting_has_a_name_and_an_equals_sign),
		cmocka_unit_test(a_missing_program_suggests_dot_files),
		cmocka_unit_test(a_script_that_cannot_start_names_its_interpreter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
