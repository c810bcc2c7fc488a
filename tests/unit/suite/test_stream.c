// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <fcntl.h>
#include <unistd.h>

#include "suite/scheduler.h"

static void short_output_is_kept_whole(void **state UNUSED)
{
	struct suite_stream stream;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	suite_stream_init(&stream, -1, 4, 4);
	suite_stream_take(&stream, "abc", 3);
	suite_stream_take(&stream, "defgh", 5);
	suite_stream_text(&stream, &text);
	assert_string_equal(text.at, "abcdefgh");
	suite_stream_deinit(&stream);
}

static void of_long_output_begin_and_end_are_kept(void **state UNUSED)
{
	struct suite_stream stream;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	suite_stream_init(&stream, -1, 3, 4);
	for (char c = 'a'; c <= 'z'; c++)
		suite_stream_take(&stream, &c, 1);
	suite_stream_text(&stream, &text);
	assert_string_equal(text.at, "abc\n[ktstr: 19 bytes are missing here]\nwxyz");
	suite_stream_deinit(&stream);
}

static void one_large_piece_is_cut_the_same_way(void **state UNUSED)
{
	struct suite_stream stream;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	suite_stream_init(&stream, -1, 3, 4);
	suite_stream_take(&stream, "abcdefghijklmnopqrstuvwxyz", 26);
	suite_stream_text(&stream, &text);
	assert_string_equal(text.at, "abc\n[ktstr: 19 bytes are missing here]\nwxyz");
	suite_stream_deinit(&stream);
}

static void pumping_takes_what_is_there_and_closes_at_the_end(void **state UNUSED)
{
	struct suite_stream stream;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	suite_stream_init(&stream, ends[0], 100, 100);
	suite_stream_pump(&stream);
	assert_int_equal(stream.bytes, 0);
	assert_int_equal(write(ends[1], "hello", 5), 5);
	suite_stream_pump(&stream);
	assert_int_equal(stream.fd, ends[0]);
	close(ends[1]);
	suite_stream_pump(&stream);
	assert_int_equal(stream.fd, -1);
	suite_stream_text(&stream, &text);
	assert_string_equal(text.at, "hello");
	suite_stream_deinit(&stream);
}

static void assert_last_words(const char *printed, const char *want)
{
	struct suite_stream stream;
	_cleanup_free_ char *got = NULL;

	suite_stream_init(&stream, -1, 100, 100);
	suite_stream_take(&stream, printed, strlen(printed));
	got = suite_stream_last_words(&stream, 20);
	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
	suite_stream_deinit(&stream);
}

static void the_last_line_that_is_not_blank_is_quoted(void **state UNUSED)
{
	assert_last_words("", NULL);
	assert_last_words(" \n\t\r\n\n", NULL);
	assert_last_words("one", "one");
	assert_last_words("one\n\ttwo\n \n", "two");
	assert_last_words("one\n0123456789012345678901234567890\n", "01234567890123456789");
}

static void an_error_line_is_quoted_rather_than_the_usage(void **state UNUSED)
{
	assert_last_words("Error: a\nerror: b\n\nusage: x\n  -h\n", "error: b");
	assert_last_words("x: Invalid y\nTry --help", "x: Invalid y");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_output_is_kept_whole),
		cmocka_unit_test(of_long_output_begin_and_end_are_kept),
		cmocka_unit_test(one_large_piece_is_cut_the_same_way),
		cmocka_unit_test(the_last_line_that_is_not_blank_is_quoted),
		cmocka_unit_test(an_error_line_is_quoted_rather_than_the_usage),
		cmocka_unit_test(pumping_takes_what_is_there_and_closes_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
