// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/command.h"

#include "sample.h"
#include "unit.h"

static void every_option_is_an_entry(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	cli_format_man_options(&sample, &s);
	assert_contains(strbuf_str(&s), "_WORD_\n\tA word.\n");
	assert_contains(strbuf_str(&s), "*-f*, *--flag*\n\tA flag.\n");
	assert_contains(strbuf_str(&s), "*--count* _N_\n\tA count (1 to 100, default 7).\n");
	assert_contains(strbuf_str(&s), "*--mode* _MODE_\n\tOne of: slow, fast.\n");
	assert_contains(strbuf_str(&s), "*-i*, *--include* _FILE_\n\tA file (may be repeated).\n");
	assert_contains(strbuf_str(&s), "*--* _ARG_...\n\tThe rest.\n");
	assert_contains(strbuf_str(&s), "*-V*, *--version*\n\tPrint name and version.\n");
}

static void markup_in_plain_text_is_hidden(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	cli_format_man_exits(&sample, &s);
	assert_string_equal(strbuf_str(&s), "*0*\n\tFine.\n\n*1*\n\tNot\\_fine.\n\n");
}

static void commands_show_their_usage(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	cli_format_man_commands(&sample_parent, &s);
	assert_string_equal(strbuf_str(&s), "*parent sample* [options] [WORD] [-- ARG...]\n"
					    "\tShow what a command can have.\n\n");
}

static void words_are_entries(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	cli_format_man_words(&sample, &s);
	assert_string_equal(strbuf_str(&s), "*one*\n\tThe first word.\n\n"
					    "*two* _NAME_\n\tAnother.\n\n"
					    "More words.\n\n"
					    "*three*\n\tThe last.\n\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_option_is_an_entry),
		cmocka_unit_test(markup_in_plain_text_is_hidden),
		cmocka_unit_test(commands_show_their_usage),
		cmocka_unit_test(words_are_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
