// SPDX-License-Identifier: GPL-2.0-or-later
#include "suite/metrics.h"

#include <fcntl.h>
#include <unistd.h>

#include "unit.h"

struct pipes {
	int ours, theirs;
};

static struct pipes open_pipes(void)
{
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	return (struct pipes){ fds[0], fds[1] };
}

static void say(struct pipes *p, const char *text)
{
	assert_int_equal(write(p->theirs, text, strlen(text)), strlen(text));
}

static void close_pipes(struct pipes *p)
{
	close(p->ours);
	if (p->theirs >= 0)
		close(p->theirs);
}

static void nothing_is_an_empty_text(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf tail = STRBUF_INIT;
	struct suite_capture c;

	suite_capture_init(&c, 100);
	assert_string_equal(suite_capture_str(&c), "");
	assert_int_equal(suite_capture_dropped(&c), 0);
	suite_capture_tail(&c, &tail);
	assert_int_equal(tail.n, 0);
	suite_capture_deinit(&c);
}

static void pieces_are_kept_in_order_with_a_nul_behind_them(void **state UNUSED)
{
	struct pipes p = open_pipes();
	struct suite_capture c;

	suite_capture_init(&c, 100);
	assert_int_equal(suite_capture_take(&c, p.ours, SIZE_MAX), SUITE_CAPTURE_NOTHING_YET);
	say(&p, "one ");
	assert_int_equal(suite_capture_take(&c, p.ours, SIZE_MAX), SUITE_CAPTURE_TAKEN);
	say(&p, "two");
	assert_int_equal(suite_capture_take(&c, p.ours, 2), SUITE_CAPTURE_TAKEN);
	assert_string_equal(suite_capture_str(&c), "one tw");
	assert_int_equal(suite_capture_take(&c, p.ours, SIZE_MAX), SUITE_CAPTURE_TAKEN);
	close(p.theirs);
	p.theirs = -1;
	assert_int_equal(suite_capture_take(&c, p.ours, SIZE_MAX), SUITE_CAPTURE_ENDED);
	assert_string_equal(suite_capture_str(&c), "one two");
	assert_int_equal(c.n, 7);
	assert_int_equal(c.total, 7);
	suite_capture_deinit(&c);
	close_pipes(&p);
}

static void past_the_limit_bytes_are_counted_and_the_last_ones_known(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf tail = STRBUF_INIT;
	struct pipes p = open_pipes();
	struct suite_capture c;

	suite_capture_init(&c, 5);
	say(&p, "abcdefg");
	assert_int_equal(suite_capture_take(&c, p.ours, SIZE_MAX), SUITE_CAPTURE_TAKEN);
	say(&p, "hi");
	assert_int_equal(suite_capture_take(&c, p.ours, SIZE_MAX), SUITE_CAPTURE_TAKEN);
	assert_string_equal(suite_capture_str(&c), "abcde");
	assert_int_equal(c.total, 9);
	assert_int_equal(suite_capture_dropped(&c), 4);
	suite_capture_tail(&c, &tail);
	assert_string_equal(strbuf_str(&tail), "abcdefghi");
	suite_capture_deinit(&c);
	close_pipes(&p);
}

/* Numbered lines: what the end must be is known here, whatever was kept. */
static void the_tail_of_a_long_stream_is_its_end(void **state UNUSED)
{
	size_t limits[] = { 0, 1, 300, 60000, 60500, 1 << 20 };

	for (size_t k = 0; k < ARRAY_SIZE(limits); k++) {
		_cleanup_strbuf_ struct strbuf all = STRBUF_INIT, tail = STRBUF_INIT;
		struct pipes p = open_pipes();
		struct suite_capture c;

		suite_capture_init(&c, limits[k]);
		for (int i = 0; i < 6100; i++) {
			strbuf_appendf(&all, "%09d\n", i);
			say(&p, all.at + all.n - 10);
			if (i % 7 == 0)
				assert_int_equal(suite_capture_take(&c, p.ours, SIZE_MAX),
						 SUITE_CAPTURE_TAKEN);
		}
		suite_capture_take_rest(&c, p.ours);
		assert_int_equal(c.total, all.n);
		assert_int_equal(c.n, limits[k] < all.n ? limits[k] : all.n);
		assert_memory_equal(suite_capture_str(&c), all.at, c.n);
		suite_capture_tail(&c, &tail);
		assert_int_equal(tail.n, SUITE_PAYLOAD_TAIL_BYTES);
		assert_memory_equal(tail.at, all.at + all.n - tail.n, tail.n);
		suite_capture_deinit(&c);
		close_pipes(&p);
	}
}

static void take_rest_reads_what_is_in_the_pipe_without_waiting(void **state UNUSED)
{
	struct pipes p = open_pipes();
	struct suite_capture c;

	suite_capture_init(&c, 100);
	say(&p, "before");
	suite_capture_take_rest(&c, p.ours);
	say(&p, "after");
	assert_string_equal(suite_capture_str(&c), "before");
	suite_capture_take_rest(&c, p.ours);
	assert_string_equal(suite_capture_str(&c), "beforeafter");
	/* Nothing in it, and somebody still may write: no waiting. */
	suite_capture_take_rest(&c, p.ours);
	assert_int_equal(c.total, 11);
	suite_capture_deinit(&c);
	close_pipes(&p);
}

static void bytes_may_be_nul(void **state UNUSED)
{
	struct pipes p = open_pipes();
	struct suite_capture c;

	suite_capture_init(&c, 100);
	assert_int_equal(write(p.theirs, "a\0b", 3), 3);
	assert_int_equal(suite_capture_take(&c, p.ours, SIZE_MAX), SUITE_CAPTURE_TAKEN);
	assert_int_equal(c.n, 3);
	assert_memory_equal(suite_capture_str(&c), "a\0b", 4);
	suite_capture_deinit(&c);
	close_pipes(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_an_empty_text),
		cmocka_unit_test(pieces_are_kept_in_order_with_a_nul_behind_them),
		cmocka_unit_test(past_the_limit_bytes_are_counted_and_the_last_ones_known),
		cmocka_unit_test(the_tail_of_a_long_stream_is_its_end),
		cmocka_unit_test(take_rest_reads_what_is_in_the_pipe_without_waiting),
		cmocka_unit_test(bytes_may_be_nul),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
