// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/macros.h"
#include "unit.h"

/* A terminal nobody else has: the far end is returned, the near one in *near. */
static int open_terminal(int *near)
{
	int far = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	assert_true(far >= 0);
	assert_int_equal(grantpt(far), 0);
	assert_int_equal(unlockpt(far), 0);
	*near = open(ptsname(far), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(*near >= 0);
	return far;
}

static bool is_cooked(int fd)
{
	struct termios now;

	assert_int_equal(tcgetattr(fd, &now), 0);
	return (now.c_lflag & (ICANON | ECHO | ISIG)) == (ICANON | ECHO | ISIG) &&
	       (now.c_oflag & OPOST);
}

static void raw_mode_is_entered_and_fully_restored(void **state UNUSED)
{
	struct termios before, after;
	int near, far = open_terminal(&near);

	assert_int_equal(tcgetattr(near, &before), 0);
	assert_true(is_cooked(near));
	assert_success(tty_enter_raw(near));
	assert_false(is_cooked(near));
	tty_restore();
	tty_restore();
	assert_true(is_cooked(near));
	assert_int_equal(tcgetattr(near, &after), 0);
	assert_int_equal(before.c_iflag, after.c_iflag);
	assert_int_equal(before.c_oflag, after.c_oflag);
	assert_int_equal(before.c_lflag, after.c_lflag);
	assert_memory_equal(before.c_cc, after.c_cc, sizeof(before.c_cc));
	close(near);
	close(far);
}

static void end_raw(int near, void (*how)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct error *err;

		/* cmocka catches crashes and goes on with the next test. */
		signal(SIGABRT, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		err = tty_enter_raw(near);
		if (err || is_cooked(near))
			_exit(99);
		how();
		_exit(98);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_false(WIFEXITED(status) && WEXITSTATUS(status) >= 98);
	assert_true(is_cooked(near));
}

static void by_exit(void)
{
	exit(0);
}

static void by_abort(void)
{
	abort();
}

static void by_fault(void)
{
	raise(SIGBUS);
	raise(SIGBUS);
}

static void exit_abort_and_fault_restore_the_terminal(void **state UNUSED)
{
	int near, far = open_terminal(&near);

	end_raw(near, by_exit);
	end_raw(near, by_abort);
	end_raw(near, by_fault);
	close(near);
	close(far);
}

static void a_stopped_process_restores_the_terminal_until_continued(void **state UNUSED)
{
	int near, far = open_terminal(&near), status;
	pid_t pid = fork();

	if (pid == 0) {
		struct error *err = tty_enter_raw(near);

		raise(SIGTSTP);
		_exit(err || is_cooked(near) ? 99 : 7);
	}
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	assert_true(is_cooked(near));
	kill(pid, SIGCONT);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	close(near);
	close(far);
}

static void a_file_is_not_a_terminal(void **state UNUSED)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	uint16_t cols = 1, rows = 2;

	assert_error_tag(tty_enter_raw(fd), "io");
	assert_false(tty_size(fd, &cols, &rows));
	assert_int_equal(cols, 1);
	assert_int_equal(rows, 2);
	close(fd);
}

static void the_size_is_the_terminals(void **state UNUSED)
{
	int near, far = open_terminal(&near);
	struct winsize size = { .ws_col = 97, .ws_row = 31 };
	uint16_t cols, rows;

	/* A terminal that says nothing has the size 0. */
	assert_false(tty_size(near, &cols, &rows));
	assert_int_equal(ioctl(far, TIOCSWINSZ, &size), 0);
	assert_true(tty_size(near, &cols, &rows));
	assert_int_equal(cols, 97);
	assert_int_equal(rows, 31);
	close(near);
	close(far);
}

static bool follows(struct tty_screen *screen, const char *text)
{
	tty_screen_follow(screen, text, strlen(text));
	return screen->alternate;
}

static void the_alternate_screen_is_left_if_it_was_entered(void **state UNUSED)
{
	struct tty_screen screen = { 0 };

	assert_false(follows(&screen, "plain \033[1mbold\033[0m"));
	assert_string_equal(tty_screen_undo(&screen), "\033[0m\033[?25h");
	assert_true(follows(&screen, "x\033\033[?1049hvi"));
	assert_contains(tty_screen_undo(&screen), "\033[?1049l");
	assert_false(follows(&screen, "\033[?1049l"));
	/* Output comes in pieces. */
	assert_false(follows(&screen, "\033[?10"));
	assert_true(follows(&screen, "49h"));
	assert_true(follows(&screen, "\033[?1049"));
	assert_false(follows(&screen, "l"));
	assert_false(follows(&screen, "\033[?1048h"));
}

/* What the guest gets of these keys. */
static const char *typed(struct keys *keys, const char *text)
{
	static char bytes[64];
	size_t n;

	snprintf(bytes, sizeof(bytes), "%s", text);
	n = keys_filter(keys, bytes, strlen(text));
	bytes[n] = '\0';
	return bytes;
}

static void other_keys_are_passed_to_the_guest(void **state UNUSED)
{
	struct keys keys = { 0 };

	assert_string_equal(typed(&keys, "ls\r\003\004\033[A"), "ls\r\003\004\033[A");
	assert_false(keys.end);
}

static void escape_and_x_end(void **state UNUSED)
{
	static const char *const ways[] = { "ab\001xcd", "ab\001Xcd", "ab\001\030cd" };

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct keys keys = { 0 };

		assert_string_equal(typed(&keys, ways[i]), "ab");
		assert_true(keys.end);
		assert_string_equal(typed(&keys, "more"), "");
	}
}

static void escape_and_x_may_arrive_in_separate_reads(void **state UNUSED)
{
	struct keys keys = { 0 };

	assert_string_equal(typed(&keys, "a\001"), "a");
	assert_false(keys.end);
	assert_string_equal(typed(&keys, "x"), "");
	assert_true(keys.end);
}

static void escape_twice_is_one_for_the_guest(void **state UNUSED)
{
	struct keys keys = { 0 };

	assert_string_equal(typed(&keys, "a\001\001x"), "a\001x");
	assert_false(keys.end);
	assert_string_equal(typed(&keys, "\001\001\001\001"), "\001\001");
	assert_false(keys.escaped);
}

static void escape_with_another_key_is_nothing(void **state UNUSED)
{
	struct keys keys = { 0 };

	assert_string_equal(typed(&keys, "a\001qx"), "ax");
	assert_false(keys.end);
}

enum { MUCH = 1 << 20 };

static void *read_all(void *context)
{
	int fd = *(int *)context;
	struct strbuf *got = xnew(struct strbuf);

	error_free(io_read_fd(fd, "pipe", 2 * MUCH, got));
	return got;
}

static void everything_arrives_through_a_pipe(void **state UNUSED)
{
	_cleanup_free_ char *much = xcalloc(1, MUCH);
	struct strbuf *got;
	pthread_t reader;
	int pipe_[2];

	for (size_t i = 0; i < MUCH; i++)
		much[i] = (char)(i * 7);
	/* A pipe that does not block must not lose anything either. */
	assert_int_equal(pipe2(pipe_, O_CLOEXEC), 0);
	fcntl(pipe_[1], F_SETFL, O_NONBLOCK);
	pthread_create(&reader, NULL, read_all, &pipe_[0]);
	assert_success(output_write(pipe_[1], "pipe", much, MUCH, NULL));
	close(pipe_[1]);
	pthread_join(reader, (void **)&got);
	close(pipe_[0]);
	assert_int_equal(got->n, MUCH);
	assert_memory_equal(got->at, much, MUCH);
	strbuf_deinit(got);
	free(got);
}

static void a_reader_that_went_away_is_an_error(void **state UNUSED)
{
	_cleanup_error_ struct error *err = NULL;
	int pipe_[2];

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe2(pipe_, O_CLOEXEC), 0);
	close(pipe_[0]);
	err = output_write(pipe_[1], "standard output", "x", 1, NULL);
	close(pipe_[1]);
	assert_non_null(err);
	assert_int_equal(error_errno(err), EPIPE);
	assert_contains(error_message(err), "cannot write to standard output");
}

static void writing_to_a_stuck_reader_can_be_cancelled(void **state UNUSED)
{
	_cleanup_free_ char *much = xcalloc(1, MUCH);
	struct cancel cancel = { .deadline_ns = clock_monotonic_ns() + 20 * NS_PER_MS };
	int pipe_[2];

	assert_int_equal(pipe2(pipe_, O_CLOEXEC), 0);
	/* Who waits for ever would not tell. */
	alarm(20);
	assert_error_tag(output_write(pipe_[1], "pipe", much, MUCH, &cancel), "cancelled");
	alarm(0);
	close(pipe_[0]);
	close(pipe_[1]);
}

static void foreign_lines_are_made_safe(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf got = STRBUF_INIT;
	int saved = dup(STDERR_FILENO), pipe_[2];

	assert_int_equal(pipe2(pipe_, O_CLOEXEC), 0);
	dup2(pipe_[1], STDERR_FILENO);
	output_say_line("guest: \033[2J");
	output_say("one\ntwo\n");
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(pipe_[1]);
	assert_success(io_read_fd(pipe_[0], "pipe", 4096, &got));
	close(pipe_[0]);
	assert_string_equal(strbuf_str(&got), "ktstr: guest: \\x1b[2J\none\ntwo\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First those with children: handlers are set once in a process. */
		cmocka_unit_test(exit_abort_and_fault_restore_the_terminal),
		cmocka_unit_test(a_stopped_process_restores_the_terminal_until_continued),
		cmocka_unit_test(raw_mode_is_entered_and_fully_restored),
		cmocka_unit_test(a_file_is_not_a_terminal),
		cmocka_unit_test(the_size_is_the_terminals),
		cmocka_unit_test(the_alternate_screen_is_left_if_it_was_entered),
		cmocka_unit_test(other_keys_are_passed_to_the_guest),
		cmocka_unit_test(escape_and_x_end),
		cmocka_unit_test(escape_and_x_may_arrive_in_separate_reads),
		cmocka_unit_test(escape_twice_is_one_for_the_guest),
		cmocka_unit_test(escape_with_another_key_is_nothing),
		cmocka_unit_test(everything_arrives_through_a_pipe),
		cmocka_unit_test(a_reader_that_went_away_is_an_error),
		cmocka_unit_test(writing_to_a_stuck_reader_can_be_cancelled),
		cmocka_unit_test(foreign_lines_are_made_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
