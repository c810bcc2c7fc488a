// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <fcntl.h>
#include <unistd.h>

#include "suite/stream.h"

static void short_output_is_kept_whole(void **state UNUSED)
{
	struct stream stream;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	stream_init(&stream, -1, 4, 4);
	stream_take(&stream, "abc", 3);
	stream_take(&stream, "defgh", 5);
	stream_text(&stream, &text);
	assert_string_equal(text.at, "abcdefgh");
	stream_deinit(&stream);
}

static void of_long_output_begin_and_end_are_kept(void **state UNUSED)
{
	struct stream stream;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	stream_init(&stream, -1, 3, 4);
	for (char c = 'a'; c <= 'z'; c++)
		stream_take(&stream, &c, 1);
	stream_text(&stream, &text);
	assert_string_equal(text.at, "abc\n[ktstr: 19 bytes are missing here]\nwxyz");
	stream_deinit(&stream);
}

static void one_large_piece_is_cut_the_same_way(void **state UNUSED)
{
	struct stream stream;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	stream_init(&stream, -1, 3, 4);
	stream_take(&stream, "abcdefghijklmnopqrstuvwxyz", 26);
	stream_text(&stream, &text);
	assert_string_equal(text.at, "abc\n[ktstr: 19 bytes are missing here]\nwxyz");
	stream_deinit(&stream);
}

static void pumping_takes_what_is_there_and_closes_at_the_end(void **state UNUSED)
{
	struct stream stream;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	stream_init(&stream, ends[0], 100, 100);
	stream_pump(&stream);
	assert_int_equal(stream.bytes, 0);
	assert_int_equal(write(ends[1], "hello", 5), 5);
	stream_pump(&stream);
	assert_int_equal(stream.fd, ends[0]);
	close(ends[1]);
	stream_pump(&stream);
	assert_int_equal(stream.fd, -1);
	stream_text(&stream, &text);
	assert_string_equal(text.at, "hello");
	stream_deinit(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_output_is_kept_whole),
		cmocka_unit_test(of_long_output_begin_and_end_are_kept),
		cmocka_unit_test(one_large_piece_is_cut_the_same_way),
		cmocka_unit_test(pumping_takes_what_is_there_and_closes_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
