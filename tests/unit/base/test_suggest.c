// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/suggest.h"

#include "unit.h"

static void assert_suggests(const char *wanted, const char *const *names, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct suggest s = { .wanted = wanted };

	for (; *names; names++)
		suggest_offer(&s, *names);
	suggest_format(&s, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

static void the_nearest_names_come_first(void **state UNUSED)
{
	assert_suggests("nr_runing",
			(const char *const[]){ "nr_switches", "nr_running", "cpu", NULL },
			"; did you mean nr_running?");
	assert_suggests("crr", (const char *const[]){ "curr", "cur", "xrr", "crc", "far", NULL },
			"; did you mean curr, cur, xrr?");
	/* Two letters swapped are one mistake. */
	assert_suggests("cpu", (const char *const[]){ "cup", NULL }, "; did you mean cup?");
	assert_suggests("abcd", (const char *const[]){ "abxy", "abcx", "abdc", NULL },
			"; did you mean abcx, abdc, abxy?");
	assert_suggests("nothing", (const char *const[]){ "else", "matters", NULL }, "");
}

static void names_that_contain_the_word_are_suggested_last(void **state UNUSED)
{
	assert_suggests("clock",
			(const char *const[]){ "rq_clock_update", "clocks", "block", NULL },
			"; did you mean clocks, block, rq_clock_update?");
}

static void the_same_name_is_said_once(void **state UNUSED)
{
	assert_suggests("tsk", (const char *const[]){ "task", "task", NULL },
			"; did you mean task?");
}

static void names_that_move_a_terminal_are_not_repeated(void **state UNUSED)
{
	char longest[200];

	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	assert_suggests("abc", (const char *const[]){ "ab\033", "ab\n", "", longest, NULL }, "");
	assert_suggests(longest, (const char *const[]){ longest, NULL }, "");
}

static void one_typing_error_is_near_enough_for_a_suggestion(void **state UNUSED)
{
	const char *const pid[] = { "pid", NULL };

	assert_suggests("pd", pid, "; did you mean pid?");
	assert_suggests("piid", pid, "; did you mean pid?");
	assert_suggests("pod", pid, "; did you mean pid?");
	assert_suggests("pdi", pid, "; did you mean pid?");
	assert_suggests("kitten", (const char *const[]){ "sitting", NULL }, "");
	assert_suggests("verbose", (const char *const[]){ "json", "snapshots", NULL }, "");
	assert_suggests("x", pid, "");
}

static void a_name_that_begins_with_the_word_is_suggested_before_a_typo(void **state UNUSED)
{
	assert_suggests("side", (const char *const[]){ "size", "sidecar", NULL },
			"; did you mean sidecar, size?");
	assert_suggests("snapshot", (const char *const[]){ "sanpshot", "snapshots", NULL },
			"; did you mean snapshots, sanpshot?");
}

static void very_long_words_are_not_compared(void **state UNUSED)
{
	char word[200];

	memset(word, 'a', sizeof(word));
	word[sizeof(word) - 1] = '\0';
	assert_suggests(word, (const char *const[]){ "a", NULL }, "");
	assert_suggests("aa", (const char *const[]){ word, NULL }, "");
}

static void only_near_names_are_kept_as_suggestions(void **state UNUSED)
{
	struct suggest s = { .wanted = "verbose" };

	suggest_offer(&s, "pid");
	assert_null(s.names[0]);
	suggest_offer(&s, "verbos");
	assert_string_equal(s.names[0], "verbos");
	assert_null(s.names[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearest_names_come_first),
		cmocka_unit_test(names_that_contain_the_word_are_suggested_last),
		cmocka_unit_test(the_same_name_is_said_once),
		cmocka_unit_test(names_that_move_a_terminal_are_not_repeated),
		cmocka_unit_test(one_typing_error_is_near_enough_for_a_suggestion),
		cmocka_unit_test(a_name_that_begins_with_the_word_is_suggested_before_a_typo),
		cmocka_unit_test(very_long_words_are_not_compared),
		cmocka_unit_test(only_near_names_are_kept_as_suggestions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
