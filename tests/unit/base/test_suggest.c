// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/suggest.h"

#include "unit.h"

static void assert_suggests(const char *wanted, const char *const *names, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct suggest s = { .wanted = wanted };

	for (; *names; names++)
		btf_suggest_offer(&s, *names);
	btf_suggest_format(&s, &text);
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

static void names_that_hold_the_word_come_last(void **state UNUSED)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearest_names_come_first),
		cmocka_unit_test(names_that_hold_the_word_come_last),
		cmocka_unit_test(the_same_name_is_said_once),
		cmocka_unit_test(names_that_move_a_terminal_are_not_repeated),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
