// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/command.h"

#include "sample.h"
#include "unit.h"

static void help_shows_every_row_with_range_default_and_choices(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	cli_format_help(&sample, "sample", 80, &s);
	assert_string_equal(strbuf_str(&s),
			    "Usage: sample [options] [WORD] [-- ARG...]\n"
			    "\n"
			    "Show what a command can have.\n"
			    "\n"
			    "One paragraph.\n"
			    "\n"
			    "Arguments:\n"
			    "  WORD                     a word\n"
			    "  -- ARG...                the rest\n"
			    "\nWords:\n"
			    "  one                      the first word\n"
			    "  two NAME                 another\n"
			    "\nMore words:\n"
			    "  three                    the last\n"
			    "\n"
			    "Options:\n"
			    "  -f, --flag               a flag\n"
			    "  -l, --level N            a signed number (-5 to 5)\n"
			    "      --count N            a count (1 to 100, default 7)\n"
			    "      --size BYTES         a size\n"
			    "  -p, --path PATH          a path\n"
			    "      --mode MODE          one of: slow, fast\n"
			    "  -i, --include FILE       a file (may be repeated)\n"
			    "  -h, --help               show this help\n"
			    "  -V, --version            print name and version\n"
			    "\n"
			    "Exit status:\n"
			    "  0   fine\n"
			    "  1   not_fine\n"
			    "\n"
			    "Examples:\n"
			    "  sample --flag\n");
}

static void help_of_a_program_lists_its_commands(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	cli_format_help(&sample_parent, "parent", 80, &s);
	assert_contains(strbuf_str(&s),
			"\nCommands:\n"
			"  sample                   Show what a command can have\n");
}

static void no_line_is_wider_than_the_terminal(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	size_t column = 0;

	cli_format_help(&sample, "sample", 50, &s);
	for (size_t i = 0; i < s.n; i++) {
		column = s.at[i] == '\n' ? 0 : column + 1;
		assert_true(column <= 50);
	}
}

static void a_long_spelling_gets_its_own_line(void **state UNUSED)
{
	static const struct cli_option rows[] = {
		{ .name = "a-very-long-option-name",
		  .argument = "VALUE",
		  CLI_STRING(struct sample_config, path),
		  .help = "help" },
	};
	const struct cli_command command = {
		.name = "c", .summary = "S", .options = rows, .n_options = 1
	};
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	cli_format_help(&command, "c", 80, &s);
	assert_contains(strbuf_str(&s), "      --a-very-long-option-name VALUE\n"
					"                           help\n");
}

static void help_prints_word_lists_under_their_titles(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	cli_format_help(&sample, "sample", 80, &s);
	assert_contains(strbuf_str(&s), "\nWords:\n"
					"  one                      the first word\n"
					"  two NAME                 another\n"
					"\nMore words:\n"
					"  three                    the last\n");
}

static void version_is_name_and_number(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	cli_format_version(&sample, &s);
	assert_string_equal(strbuf_str(&s), "sample " KTSTR_VERSION "\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_shows_every_row_with_range_default_and_choices),
		cmocka_unit_test(help_of_a_program_lists_its_commands),
		cmocka_unit_test(no_line_is_wider_than_the_terminal),
		cmocka_unit_test(a_long_spelling_gets_its_own_line),
		cmocka_unit_test(help_prints_word_lists_under_their_titles),
		cmocka_unit_test(version_is_name_and_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
