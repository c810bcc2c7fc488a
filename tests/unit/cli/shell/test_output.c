// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "unit.h"

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

static void a_reader_that_sleeps_does_not_keep_us(void **state UNUSED)
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
		cmocka_unit_test(everything_arrives_through_a_pipe),
		cmocka_unit_test(a_reader_that_went_away_is_an_error),
		cmocka_unit_test(a_reader_that_sleeps_does_not_keep_us),
		cmocka_unit_test(foreign_lines_are_made_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
