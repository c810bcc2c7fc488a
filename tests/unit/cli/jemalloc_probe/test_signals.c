// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "unit.h"

static struct cancel cancel;

enum { NOT_CANCELLED = 10, CANCELLED = 11, CHILD_TIMEOUT_MS = 5000 };

/* A child that hangs would hang the test. What it writes is far less than a pipe holds. */
static void kill_if_it_hangs(pid_t pid, int pipe_fd)
{
	struct pollfd closed = { .fd = pipe_fd, .events = 0 };

	if (poll(&closed, 1, CHILD_TIMEOUT_MS) == 0)
		kill(pid, SIGKILL);
}

/* Runs `body` in a child, with its standard error in *ret_err; the value is the wait status. */
static int in_child(int (*body)(void), char **ret_err)
{
	struct strbuf text = STRBUF_INIT;
	int pipe_fds[2], status;
	pid_t pid;

	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		dup2(pipe_fds[1], STDERR_FILENO);
		_exit(body());
	}
	close(pipe_fds[1]);
	kill_if_it_hangs(pid, pipe_fds[0]);
	assert_success(io_read_fd(pipe_fds[0], "child", 1 << 16, &text));
	close(pipe_fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	*ret_err = strbuf_take(&text);
	return status;
}

static int verdict(void)
{
	return cancel_requested(&cancel) ? CANCELLED : NOT_CANCELLED;
}

static int install(uint64_t abort_after_ms)
{
	struct error *err = signals_install(&cancel, abort_after_ms);

	error_free(err);
	return err ? 1 : 0;
}

static int nothing_happens(void)
{
	return install(0) ? 1 : verdict();
}

static int interrupted_by_sigint(void)
{
	if (install(0))
		return 1;
	raise(SIGINT);
	return verdict();
}

static int interrupted_by_sigterm(void)
{
	if (install(0))
		return 1;
	raise(SIGTERM);
	return verdict();
}

static int interrupted_twice(void)
{
	if (install(0))
		return 1;
	raise(SIGINT);
	raise(SIGINT);
	return verdict();
}

/* Without SA_RESTART a read that would wait for ever comes back. */
static int deadline_during_a_blocking_read(void)
{
	int fds[2];
	char byte;

	/* Long enough to be inside the call by then, also on a busy machine. */
	if (pipe(fds) < 0 || install(400))
		return 1;
	if (read(fds[0], &byte, 1) >= 0 || errno != EINTR)
		return 2;
	signals_report_deadline();
	signals_report_deadline();
	return verdict();
}

/* The clock is past the deadline, the timer's signal is held back. */
static int deadline_seen_by_the_clock_first(void)
{
	sigset_t alarm;

	if (install(20))
		return 1;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarm, NULL);
	usleep(40 * 1000);
	if (!cancel_requested(&cancel))
		return 2;
	signals_report_deadline();
	sigprocmask(SIG_UNBLOCK, &alarm, NULL);
	return verdict();
}

static int sigpipe_after_being_ignored(void)
{
	signal(SIGPIPE, SIG_IGN);
	if (install(0))
		return 1;
	raise(SIGPIPE);
	return verdict();
}

static int blocked_signals_from_the_parent(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	if (install(0))
		return 1;
	raise(SIGTERM);
	return verdict();
}

static int long_deadline(void)
{
	if (install(3600000))
		return 1;
	signals_report_deadline();
	return verdict();
}

static void assert_exits(int (*body)(void), int code, const char *err)
{
	_cleanup_free_ char *text = NULL;
	int status = in_child(body, &text);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), code);
	assert_string_equal(text, err);
}

static void assert_killed(int (*body)(void), int signum)
{
	_cleanup_free_ char *text = NULL;
	int status = in_child(body, &text);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), signum);
}

static void installing_requests_nothing(void **state UNUSED)
{
	assert_exits(nothing_happens, NOT_CANCELLED, "");
	assert_exits(long_deadline, NOT_CANCELLED, "");
}

static void sigint_and_sigterm_request_the_end(void **state UNUSED)
{
	assert_exits(interrupted_by_sigint, CANCELLED, "");
	assert_exits(interrupted_by_sigterm, CANCELLED, "");
	assert_exits(blocked_signals_from_the_parent, CANCELLED, "");
}

static void a_second_signal_kills(void **state UNUSED)
{
	assert_killed(interrupted_twice, SIGINT);
}

static void the_deadline_wakes_a_blocking_call_and_speaks_once(void **state UNUSED)
{
	assert_exits(deadline_during_a_blocking_read, CANCELLED,
		     "ktstr-probe-deadline: abort after 400ms\n");
}

static void the_deadline_speaks_once_when_the_clock_is_first(void **state UNUSED)
{
	assert_exits(deadline_seen_by_the_clock_first, CANCELLED,
		     "ktstr-probe-deadline: abort after 20ms\n");
}

static void sigpipe_kills_though_the_parent_ignored_it(void **state UNUSED)
{
	assert_killed(sigpipe_after_being_ignored, SIGPIPE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(installing_requests_nothing),
		cmocka_unit_test(sigint_and_sigterm_request_the_end),
		cmocka_unit_test(a_second_signal_kills),
		cmocka_unit_test(the_deadline_wakes_a_blocking_call_and_speaks_once),
		cmocka_unit_test(the_deadline_speaks_once_when_the_clock_is_first),
		cmocka_unit_test(sigpipe_kills_though_the_parent_ignored_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
