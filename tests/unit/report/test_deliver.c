// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/form.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "unit.h"

enum { BYTES = 300000 };

struct reader {
	int fd;
	size_t n;
};

static void *read_all(void *context)
{
	struct reader *reader = context;
	char bytes[1000];
	ssize_t n;

	while ((n = read(reader->fd, bytes, sizeof(bytes))) > 0)
		reader->n += (size_t)n;
	return NULL;
}

static void check_all_arrives(int flags)
{
	char *bytes = calloc(1, BYTES);
	struct reader reader = { 0 };
	pthread_t thread;
	int ends[2];

	assert_non_null(bytes);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(fcntl(ends[1], F_SETFL, flags), 0);
	reader.fd = ends[0];
	assert_int_equal(pthread_create(&thread, NULL, read_all, &reader), 0);
	assert_success(report_deliver(ends[1], "it", bytes, BYTES, NULL));
	close(ends[1]);
	pthread_join(thread, NULL);
	close(ends[0]);
	free(bytes);
	assert_int_equal(reader.n, BYTES);
}

static void a_slow_reader_gets_everything(void **state UNUSED)
{
	check_all_arrives(0);
}

static void a_pipe_that_does_not_wait_is_waited_for(void **state UNUSED)
{
	check_all_arrives(O_NONBLOCK);
}

static void nobody_waits_for_one_who_does_not_read_after_a_cancellation(void **state UNUSED)
{
	struct cancel cancel = { .deadline_ns = clock_monotonic_ns() + 20 * NS_PER_MS };
	char *bytes = calloc(1, BYTES);
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_error_tag(report_deliver(ends[1], "it", bytes, BYTES, &cancel), "cancelled");
	close(ends[0]);
	close(ends[1]);
	free(bytes);
}

static void what_has_room_is_written_after_a_cancellation_too(void **state UNUSED)
{
	struct cancel cancel = { 0 };
	char text[8] = "";
	int ends[2];

	cancel_request(&cancel);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_success(report_deliver(ends[1], "it", "hello", 5, &cancel));
	assert_int_equal(read(ends[0], text, sizeof(text)), 5);
	assert_string_equal(text, "hello");
	close(ends[0]);
	close(ends[1]);
}

static void a_descriptor_that_takes_nothing_is_an_error(void **state UNUSED)
{
	_cleanup_close_ int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	assert_error_tag(report_deliver(full, "it", "hello", 5, NULL), "io");
	assert_error_tag(report_deliver(1023, "it", "hello", 5, NULL), "io");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_reader_gets_everything),
		cmocka_unit_test(a_pipe_that_does_not_wait_is_waited_for),
		cmocka_unit_test(nobody_waits_for_one_who_does_not_read_after_a_cancellation),
		cmocka_unit_test(what_has_room_is_written_after_a_cancellation_too),
		cmocka_unit_test(a_descriptor_that_takes_nothing_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
