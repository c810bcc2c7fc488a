// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "heard.h"

#define ARGV(...)                 \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}

static struct agent_command *start(const char *script, uint32_t flags)
{
	struct wire_run run = {
		.argv = ARGV("sh", "-c", script),
		.cwd = "",
		.cgroup = "",
		.flags = flags,
		.cols = 80,
		.rows = 25,
	};
	struct agent_launch_place place = { .cgroup_root = "/nowhere" };
	struct agent_command *c = NULL;

	assert_success(agent_command_new(6, &run, &place, &c));
	return c;
}

/* Moves what can be moved until the condition holds. */
#define move_until(c, heard, condition)      \
	do {                                 \
		while (!(condition))         \
			move_once(c, heard); \
	} while (0)

static void move_once(struct agent_command *c, struct heard *heard)
{
	struct pollfd fds[AGENT_COMMAND_N_STREAMS];
	enum agent_command_stream which[AGENT_COMMAND_N_STREAMS];
	nfds_t n = 0;

	for (enum agent_command_stream s = 0; s < AGENT_COMMAND_N_STREAMS; s++)
		if (agent_command_wants(c, s, false, &fds[n]))
			which[n++] = s;
	assert_true(poll(fds, n, 10) >= 0);
	for (nfds_t i = 0; i < n; i++)
		if (fds[i].revents)
			agent_command_handle(c, which[i], &heard->out);
	heard_listen(heard);
}

static void wait_for_end(struct agent_command *c, struct heard *heard)
{
	struct rusage usage;
	int status;

	while (wait4(c->pid, &status, WNOHANG, &usage) == 0)
		move_once(c, heard);
	agent_command_reaped(c, status, &usage);
	assert_true(agent_command_finish(c, &heard->out));
	heard_listen(heard);
	agent_command_free(c);
}

static void output_and_status_become_frames_in_order(void **state UNUSED)
{
	struct heard heard;

	heard_begin(&heard);
	wait_for_end(start("printf one; printf two >&2; exit 9", 0), &heard);
	assert_int_equal(heard.types[0], WIRE_STARTED);
	assert_string_equal(strbuf_str(&heard.stdout_bytes), "one");
	assert_string_equal(strbuf_str(&heard.stderr_bytes), "two");
	assert_int_equal(heard.stdout_ends, 1);
	assert_int_equal(heard.stderr_ends, 1);
	assert_int_equal(heard.types[heard.n - 1], WIRE_EXITED);
	assert_int_equal(heard.exited.how, WIRE_END_EXITED);
	assert_int_equal(heard.exited.value, 9);
	assert_true(heard.exited.maxrss_kb > 0);
	assert_int_equal(heard.windows, 0);
	heard_end(&heard);
}

static void a_signal_ends_the_whole_group(void **state UNUSED)
{
	struct agent_command *c;
	struct heard heard;
	struct pollfd ended = { .events = POLLIN };
	pid_t grandchild;

	heard_begin(&heard);
	/* Orphans come to us, so that their number cannot be another's. */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	c = start("sleep 1000 & echo $!; wait", 0);
	move_until(c, &heard, strchr(strbuf_str(&heard.stdout_bytes), '\n'));
	grandchild = atoi(strbuf_str(&heard.stdout_bytes));
	assert_int_equal(agent_command_signal(c, 12345), EINVAL);
	assert_int_equal(agent_command_signal(c, SIGTERM), 0);
	wait_for_end(c, &heard);
	assert_int_equal(heard.exited.how, WIRE_END_SIGNALLED);
	assert_int_equal(heard.exited.value, SIGTERM);
	ended.fd = (int)syscall(SYS_pidfd_open, grandchild, 0);
	assert_true(ended.fd >= 0);
	assert_int_equal(poll(&ended, 1, 20000), 1);
	close(ended.fd);
	assert_int_equal(waitpid(grandchild, NULL, 0), grandchild);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	heard_end(&heard);
}

static void background_writers_do_not_delay_the_exit_frame(void **state UNUSED)
{
	/* The writer fills the pipe again as fast as it is read, and leaves when we close it. */
	struct agent_command *c = start("(trap '' HUP; exec yes) & echo first", 0);
	struct heard heard;
	struct rusage usage;
	int status;

	heard_begin(&heard);
	while (wait4(c->pid, &status, WNOHANG, &usage) == 0)
		move_once(c, &heard);
	agent_command_reaped(c, status, &usage);
	/* A stream that was ready a moment ago is handled after the end is known. */
	for (int i = 0; i < 50; i++) {
		agent_command_handle(c, AGENT_COMMAND_OUT, &heard.out);
		usleep(100);
	}
	heard_listen(&heard);
	assert_true(agent_command_finish(c, &heard.out));
	heard_listen(&heard);
	agent_command_free(c);
	assert_int_equal(heard.exited.how, WIRE_END_EXITED);
	assert_int_equal(heard.stdout_ends, 1);
	heard_end(&heard);
}

static void output_written_after_the_exit_is_not_forwarded(void **state UNUSED)
{
	struct agent_command *c = start("sleep 100 & echo $!", 0);
	struct heard heard;
	struct rusage usage;
	char path[64];
	int status, pid, writer;

	heard_begin(&heard);
	while (wait4(c->pid, &status, WNOHANG, &usage) == 0)
		move_once(c, &heard);
	move_until(c, &heard, heard.stdout_bytes.n > 0);
	agent_command_reaped(c, status, &usage);
	/* Somebody who stayed writes into the same pipe, and the stream is handled once more. */
	pid = atoi(strbuf_str(&heard.stdout_bytes));
	snprintf(path, sizeof(path), "/proc/%d/fd/1", pid);
	writer = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(write(writer, "late", 4), 4);
	agent_command_handle(c, AGENT_COMMAND_OUT, &heard.out);
	assert_true(agent_command_finish(c, &heard.out));
	heard_listen(&heard);
	assert_null(strstr(strbuf_str(&heard.stdout_bytes), "late"));
	assert_int_equal(heard.stdout_ends, 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	close(writer);
	agent_command_free(c);
	heard_end(&heard);
}

static void output_left_in_the_pipe_at_exit_is_forwarded(void **state UNUSED)
{
	struct agent_command *c = start("head -c 60000 /dev/zero", 0);
	struct heard heard;
	struct rusage usage;
	int status;

	heard_begin(&heard);
	/* Nothing is read while it lives: all of it lies in the pipe. */
	assert_int_equal(wait4(c->pid, &status, 0, &usage), c->pid);
	agent_command_reaped(c, status, &usage);
	assert_true(agent_command_finish(c, &heard.out));
	heard_listen(&heard);
	assert_int_equal(heard.types[0], WIRE_STARTED);
	assert_int_equal(heard.stdout_bytes.n, 60000);
	assert_int_equal(heard.exited.value, 0);
	agent_command_free(c);
	heard_end(&heard);
}

static void the_exit_frame_waits_until_the_host_takes_the_output(void **state UNUSED)
{
	struct agent_command *c = start("echo last", 0);
	_cleanup_free_ char *data = xcalloc(1, WIRE_PAYLOAD_MAX);
	struct heard heard;
	struct rusage usage;
	int status;

	heard_begin(&heard);
	assert_int_equal(wait4(c->pid, &status, 0, &usage), c->pid);
	agent_command_reaped(c, status, &usage);
	for (size_t n = 0; n <= AGENT_OUTPUT_HIGH; n += WIRE_PAYLOAD_MAX)
		agent_output_send(&heard.out, WIRE_STDOUT, 6, data, WIRE_PAYLOAD_MAX);
	assert_false(agent_command_finish(c, &heard.out));
	heard_listen(&heard);
	assert_true(agent_command_finish(c, &heard.out));
	heard_listen(&heard);
	assert_int_equal(heard.types[heard.n - 1], WIRE_EXITED);
	agent_command_free(c);
	heard_end(&heard);
}

static void a_program_that_cannot_start_sends_a_log_and_an_exit_frame(void **state UNUSED)
{
	struct wire_run run = { .argv = ARGV("/no/program"), .cwd = "", .cgroup = "" };
	struct agent_launch_place place = { .cgroup_root = "/nowhere" };
	struct agent_command *c = NULL;
	struct heard heard;

	heard_begin(&heard);
	assert_success(agent_command_new(6, &run, &place, &c));
	wait_for_end(c, &heard);
	assert_int_equal(heard.n, 2);
	assert_int_equal(heard.types[0], WIRE_LOG);
	assert_int_equal(heard.types[1], WIRE_EXITED);
	assert_int_equal(heard.exited.how, WIRE_END_NOT_STARTED);
	assert_int_equal(heard.exited.value, ENOENT);
	heard_end(&heard);
}

static struct bytes some(const char *data, size_t n)
{
	return (struct bytes){ (const uint8_t *)data, n };
}

static void the_stdin_window_grows_as_input_is_consumed(void **state UNUSED)
{
	_cleanup_free_ char *data = xcalloc(1, WIRE_STDIN_WINDOW);
	struct agent_command *c = start("exec cat", WIRE_RUN_STDIN);
	size_t sent = 0, total = 5 * WIRE_STDIN_WINDOW;
	struct heard heard;

	heard_begin(&heard);
	memset(data, 'i', WIRE_STDIN_WINDOW);
	/* Before it runs nothing is granted. */
	assert_error_tag(agent_command_input(c, some(data, 1), &heard.out), "agent-window");
	agent_command_signal(c, SIGKILL);
	wait_for_end(c, &heard);
	heard_end(&heard);

	heard_begin(&heard);
	c = start("exec cat", WIRE_RUN_STDIN);
	move_until(c, &heard, heard.windows);
	assert_int_equal(heard.window_bytes, WIRE_STDIN_WINDOW);
	while (sent < total) {
		size_t n = heard.window_bytes - sent;

		if (n) {
			assert_success(agent_command_input(c, some(data, n), &heard.out));
			sent += n;
		}
		move_once(c, &heard);
		assert_true(heard.window_bytes <= sent + WIRE_STDIN_WINDOW);
	}
	agent_command_input_end(c);
	wait_for_end(c, &heard);
	assert_int_equal(heard.stdout_bytes.n, sent);
	assert_int_equal(heard.exited.value, 0);
	heard_end(&heard);
}

static void input_past_the_stdin_window_closes_stdin(void **state UNUSED)
{
	_cleanup_free_ char *data = xcalloc(1, WIRE_STDIN_WINDOW);
	struct agent_command *c = start("wc -c", WIRE_RUN_STDIN);
	struct heard heard;

	heard_begin(&heard);
	move_until(c, &heard, heard.windows);
	assert_success(agent_command_input(c, some(data, WIRE_STDIN_WINDOW), &heard.out));
	assert_error_tag(agent_command_input(c, some(data, 1), &heard.out), "agent-window");
	wait_for_end(c, &heard);
	assert_string_equal(strbuf_str(&heard.stdout_bytes), "262144\n");
	heard_end(&heard);
}

static void the_stdin_window_reopens_when_the_program_closed_stdin(void **state UNUSED)
{
	_cleanup_free_ char *data = xcalloc(1, WIRE_STDIN_WINDOW);
	struct agent_command *c = start("exec <&-; echo closed; sleep 1000", WIRE_RUN_STDIN);
	struct heard heard;

	heard_begin(&heard);
	move_until(c, &heard, heard.stdout_bytes.n);
	assert_success(agent_command_input(c, some(data, WIRE_STDIN_WINDOW), &heard.out));
	move_until(c, &heard, heard.window_bytes == 2 * WIRE_STDIN_WINDOW);
	assert_success(agent_command_input(c, some(data, WIRE_STDIN_WINDOW), &heard.out));
	heard_listen(&heard);
	assert_int_equal(heard.window_bytes, 3 * WIRE_STDIN_WINDOW);
	agent_command_signal(c, SIGKILL);
	wait_for_end(c, &heard);
	heard_end(&heard);
}

static void a_terminal_ends_its_input_and_changes_its_size(void **state UNUSED)
{
	struct agent_command *c = start(
		"trap 'stty size' WINCH; echo on; while read x; do :; done; echo off",
		WIRE_RUN_PTY);
	struct heard heard;

	heard_begin(&heard);
	move_until(c, &heard, strstr(strbuf_str(&heard.stdout_bytes), "on"));
	assert_int_equal(heard.window_bytes, WIRE_STDIN_WINDOW);
	agent_command_resize(c, 44, 22);
	assert_success(agent_command_input(c, some("line\r", 5), &heard.out));
	move_until(c, &heard, strstr(strbuf_str(&heard.stdout_bytes), "22 44"));
	agent_command_input_end(c);
	wait_for_end(c, &heard);
	assert_contains(strbuf_str(&heard.stdout_bytes), "off\r\n");
	assert_int_equal(heard.stdout_ends, 1);
	assert_int_equal(heard.stderr_ends, 0);
	heard_end(&heard);
}

static void terminal_output_before_the_exit_is_not_lost(void **state UNUSED)
{
	for (int i = 0; i < 20; i++) {
		struct agent_command *c = start("head -c 3000 /dev/zero | tr '\\0' z; echo end",
						WIRE_RUN_PTY);
		struct heard heard;

		heard_begin(&heard);
		wait_for_end(c, &heard);
		assert_int_equal(heard.stdout_bytes.n, 3000 + 5);
		heard_end(&heard);
	}
}

static void a_report_is_a_stream_of_its_own(void **state UNUSED)
{
	struct heard heard;

	heard_begin(&heard);
	wait_for_end(start("echo out; echo told >&3; echo more >&3", WIRE_RUN_REPORT), &heard);
	assert_string_equal(strbuf_str(&heard.stdout_bytes), "out\n");
	assert_string_equal(strbuf_str(&heard.report_bytes), "told\nmore\n");
	assert_int_equal(heard.report_ends, 1);
	heard_end(&heard);
}

static void descriptor_3_is_closed_without_the_report_flag(void **state UNUSED)
{
	struct heard heard;

	heard_begin(&heard);
	wait_for_end(start("test -e /proc/self/fd/3 && echo open; exit 0", 0), &heard);
	assert_string_equal(strbuf_str(&heard.stdout_bytes), "");
	assert_int_equal(heard.report_ends, 0);
	heard_end(&heard);
}

static void a_report_held_open_by_others_ends_with_the_test(void **state UNUSED)
{
	struct heard heard;

	heard_begin(&heard);
	wait_for_end(start("sleep 100 >/dev/null 2>&1 & echo $!; echo told >&3", WIRE_RUN_REPORT),
		     &heard);
	assert_string_equal(strbuf_str(&heard.report_bytes), "told\n");
	assert_int_equal(heard.report_ends, 1);
	assert_int_equal(kill(atoi(strbuf_str(&heard.stdout_bytes)), SIGKILL), 0);
	heard_end(&heard);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_and_status_become_frames_in_order),
		cmocka_unit_test(a_signal_ends_the_whole_group),
		cmocka_unit_test(background_writers_do_not_delay_the_exit_frame),
		cmocka_unit_test(output_written_after_the_exit_is_not_forwarded),
		cmocka_unit_test(output_left_in_the_pipe_at_exit_is_forwarded),
		cmocka_unit_test(the_exit_frame_waits_until_the_host_takes_the_output),
		cmocka_unit_test(a_program_that_cannot_start_sends_a_log_and_an_exit_frame),
		cmocka_unit_test(the_stdin_window_grows_as_input_is_consumed),
		cmocka_unit_test(input_past_the_stdin_window_closes_stdin),
		cmocka_unit_test(the_stdin_window_reopens_when_the_program_closed_stdin),
		cmocka_unit_test(a_terminal_ends_its_input_and_changes_its_size),
		cmocka_unit_test(terminal_output_before_the_exit_is_not_lost),
		cmocka_unit_test(a_report_is_a_stream_of_its_own),
		cmocka_unit_test(descriptor_3_is_closed_without_the_report_flag),
		cmocka_unit_test(a_report_held_open_by_others_ends_with_the_test),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
