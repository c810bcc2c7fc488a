// SPDX-License-Identifier: GPL-2.0-or-later
#include "result/frames.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "result/limits.h"
#include "unit.h"

/* The example of the header, written by hand. */
#define TEXT                                     \
	"ktstr-frames 1\n"                       \
	"0 1 0 5250000000 96 9e3779b97f4a7c15\n" \
	"1 6 2 5250013376 12 0123456789abcdef\n" \
	"end 2 f39cc0605cedc834\n"

static const struct result_frame sample[] = {
	{ 5250000000, 0x9e3779b97f4a7c15, 1, 0, 96 },
	{ 5250013376, 0x0123456789abcdef, 6, 2, 12 },
};

static void fill(struct result_frames *frames)
{
	*frames = (struct result_frames){ .digest = 0xf39cc0605cedc834 };
	for (size_t i = 0; i < ARRAY_SIZE(sample); i++)
		result_frames_add(frames, &sample[i]);
}

static void assert_sample(const struct result_frames *frames)
{
	assert_int_equal(frames->frames.n, 2);
	assert_int_equal(frames->n_sent, 2);
	assert_true(frames->digest == 0xf39cc0605cedc834);
	for (size_t i = 0; i < 2; i++) {
		assert_true(frames->frames.at[i].time_ns == sample[i].time_ns);
		assert_true(frames->frames.at[i].hash == sample[i].hash);
		assert_int_equal(frames->frames.at[i].type, sample[i].type);
		assert_int_equal(frames->frames.at[i].channel, sample[i].channel);
		assert_int_equal(frames->frames.at[i].n, sample[i].n);
	}
}

static void frames_are_written_as_documented_and_read_back(void **state UNUSED)
{
	_cleanup_result_frames_ struct result_frames frames = { 0 }, read = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	fill(&frames);
	result_frames_format(&frames, &text);
	assert_string_equal(strbuf_str(&text), TEXT);
	assert_success(result_frames_parse(TEXT, strlen(TEXT), "it", &read));
	assert_sample(&read);
}

static void a_guest_that_sent_nothing_has_a_file(void **state UNUSED)
{
	_cleanup_result_frames_ struct result_frames frames = { 0 };
	const char *text = "ktstr-frames 1\nend 0 0000000000000000\n";

	assert_success(result_frames_parse(text, strlen(text), "it", &frames));
	assert_int_equal(frames.frames.n, 0);
}

static void every_cut_text_is_refused(void **state UNUSED)
{
	for (size_t n = 0; n < strlen(TEXT); n++) {
		/* Exactly as long, so that a byte too far is seen. */
		_cleanup_free_ char *text = xstrndup(TEXT, n);
		struct result_frames frames = { .n_sent = 77 };

		assert_error_tag(result_frames_parse(text, n, "it", &frames), "parse");
		assert_int_equal(frames.n_sent, 77);
	}
}

static void what_is_not_such_a_file_is_refused(void **state UNUSED)
{
#define HEAD "ktstr-frames 1\n"
#define END  "end 1 0000000000000000\n"
	static const char *const texts[] = {
		"ktstr-frames 2\nend 0 0000000000000000\n",
		HEAD HEAD END,
		/* Not the number of the line. */
		HEAD "1 1 0 5 9 0000000000000000\n" END,
		HEAD "00 1 0 5 9 0000000000000000\n" END,
		HEAD "0 01 0 5 9 0000000000000000\n" END,
		HEAD "0 1 0 5 9 000000000000000\n" END,
		HEAD "0 1 0 5 9 00000000000000000\n" END,
		HEAD "0 1 0 5 9 000000000000000A\n" END,
		HEAD "0 1 0 5 9 0000000000000000 \n" END,
		HEAD "0  1 0 5 9 0000000000000000\n" END,
		HEAD "0 1 0 5 0000000000000000\n" END,
		HEAD "0 4294967296 0 5 9 0000000000000000\n" END,
		HEAD "0 1 4294967296 5 9 0000000000000000\n" END,
		HEAD "0 1 0 18446744073709551616 9 0000000000000000\n" END,
		HEAD "0 1 0 5 4294967296 0000000000000000\n" END,
		HEAD "0 1 0 -5 9 0000000000000000\n" END,
		/* Fewer or more lines than frames. */
		HEAD "0 1 0 5 9 0000000000000000\nend 2 0000000000000000\n",
		HEAD "0 1 0 5 9 0000000000000000\nend 0 0000000000000000\n",
		HEAD "0 1 0 5 9 0000000000000000\n" END "more\n",
		HEAD "0 1 0 5 9 0000000000000000\n" END END,
		HEAD "0 1 0 5 9 0000000000000000\nend\n",
		HEAD "0 1 0 5 9 0000000000000000\nend \n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct result_frames frames;

		assert_error_tag(result_frames_parse(texts[i], strlen(texts[i]), "it", &frames),
				 "parse");
	}
}

static void frames_past_the_limit_are_counted(void **state UNUSED)
{
	_cleanup_result_frames_ struct result_frames frames = { 0 }, read = { 0 }, none = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < RESULT_LIMIT_FRAMES + 3; i++)
		result_frames_add(&frames, &(struct result_frame){ .time_ns = UINT64_MAX,
								   .hash = UINT64_MAX,
								   .type = UINT32_MAX,
								   .channel = UINT32_MAX,
								   .n = UINT32_MAX });
	assert_int_equal(frames.frames.n, RESULT_LIMIT_FRAMES);
	result_frames_format(&frames, &text);
	assert_true(text.n < RESULT_LIMIT_FRAMES_BYTES);
	assert_success(result_frames_parse(text.at, text.n, "it", &read));
	assert_int_equal(read.n_sent, RESULT_LIMIT_FRAMES + 3);
	/* One line more than there may be. */
	strbuf_clear(&text);
	frames.frames.n--;
	result_frames_format(&frames, &text);
	assert_error_tag(result_frames_parse(text.at, text.n, "it", &none), "parse");
}

static void the_first_difference_is_found(void **state UNUSED)
{
	_cleanup_result_frames_ struct result_frames a = { 0 }, b = { 0 };
	size_t at = 99;

	fill(&a);
	fill(&b);
	assert_false(result_frames_find_difference(&a, &b, &at));
	assert_int_equal(at, 99);
	for (int member = 0; member < 5; member++) {
		struct result_frame *frame = &b.frames.at[1];

		*frame = sample[1];
		frame->time_ns += member == 0;
		frame->hash += member == 1;
		frame->type += member == 2;
		frame->channel += member == 3;
		frame->n += member == 4;
		at = 99;
		assert_true(result_frames_find_difference(&a, &b, &at));
		assert_int_equal(at, 1);
	}
	b.frames.n = 1;
	assert_true(result_frames_find_difference(&a, &b, &at));
	assert_int_equal(at, 1);
	assert_true(result_frames_find_difference(&b, &a, &at));
	assert_int_equal(at, 1);
	b.frames.n = 0;
	assert_true(result_frames_find_difference(&b, &a, &at));
	assert_int_equal(at, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_written_as_documented_and_read_back),
		cmocka_unit_test(a_guest_that_sent_nothing_has_a_file),
		cmocka_unit_test(every_cut_text_is_refused),
		cmocka_unit_test(what_is_not_such_a_file_is_refused),
		cmocka_unit_test(frames_past_the_limit_are_counted),
		cmocka_unit_test(the_first_difference_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
