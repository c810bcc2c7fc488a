// SPDX-License-Identifier: GPL-2.0-or-later
/* The script is asked by a real bash, the only reader that counts. */
#include "cli/frame/command.h"

#include "ask_shell.h"
#include "sample.h"

/* What bash offers for these words, joined by blanks; the last word is being typed. */
static char *ask_bash(const struct cli_command *program, const char *words)
{
	_cleanup_strbuf_ struct strbuf script = STRBUF_INIT;

	cli_format_bash_completion(program, &script);
	/* compopt works only while bash completes; what it would set is not looked at here. */
	strbuf_append(&script, "compopt() { :; }\n");
	strbuf_appendf(&script, "COMP_WORDS=(%s)\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n", words);
	strbuf_appendf(&script, "_complete_%s\necho -n \"${COMPREPLY[*]}\"\n", program->name);
	return ask_shell(
		(const char *const[]){ "bash", "--norc", "-euc", strbuf_str(&script), NULL });
}

static void assert_offers(const struct cli_command *program, const char *words,
			  const char *expected)
{
	_cleanup_free_ char *answer = ask_bash(program, words);

	assert_string_equal(answer, expected);
}

static const struct cli_option only_rest[] = {
	{ .argument = "ARG", CLI_REST(struct sample_config, rest), .help = "the rest" },
};
static const struct cli_command rest_only = {
	.name = "only", .summary = "S", .positionals = only_rest, .n_positionals = 1
};

static void options_are_offered_by_their_beginning(void **state UNUSED)
{
	assert_offers(&sample, "sample --co", "--count");
	assert_offers(&sample, "sample --",
		      "--flag --level --count --size --path --mode --include --help --version");
}

static void the_words_of_a_choice_are_offered(void **state UNUSED)
{
	assert_offers(&sample, "sample --mode ''", "slow fast");
	assert_offers(&sample, "sample --mode f", "fast");
	assert_offers(&sample, "sample --mode =", "slow fast");
	assert_offers(&sample, "sample --mode = s", "slow");
}

static void files_are_offered_where_a_file_is_wanted(void **state UNUSED)
{
	assert_offers(&sample, "sample --path /proc/self/statu", "/proc/self/status");
	assert_offers(&sample, "sample -p /proc/self/statu", "/proc/self/status");
	assert_offers(&sample, "sample -i a --include /proc/self/statu", "/proc/self/status");
}

static void nothing_is_offered_for_a_number(void **state UNUSED)
{
	assert_offers(&sample, "sample --count ''", "");
}

static void nothing_is_offered_behind_two_dashes(void **state UNUSED)
{
	assert_offers(&sample, "sample -f -- --co", "");
	assert_offers(&sample, "sample -- ls --path /proc/self/statu", "");
	assert_offers(&sample_parent, "parent sample -- --si", "");
	assert_offers(&rest_only, "only --he", "--help");
	assert_offers(&rest_only, "only ''", "--help -h --version -V");
}

static void commands_are_offered_first(void **state UNUSED)
{
	assert_offers(&sample_parent, "parent ''", "sample");
	assert_offers(&sample_parent, "parent --v", "--version");
	assert_offers(&sample_parent, "parent sample --si", "--size");
	assert_offers(&sample_parent, "parent other ''", "");
}

static void every_level_is_completed(void **state UNUSED)
{
	assert_offers(&sample_tree, "tree ''", "parent help");
	assert_offers(&sample_tree, "tree pa", "parent");
	assert_offers(&sample_tree, "tree parent ''", "sample");
	assert_offers(&sample_tree, "tree parent sample --si", "--size");
	assert_offers(&sample_tree, "tree parent sample --mode f", "fast");
	assert_offers(&sample_tree, "tree parent other --si", "");
	assert_offers(&sample_tree, "tree parent sample -- --si", "");
}

static void help_takes_commands_of_every_level(void **state UNUSED)
{
	assert_offers(&sample_tree, "tree help ''", "parent help");
	assert_offers(&sample_tree, "tree help parent ''", "sample");
	assert_offers(&sample_tree, "tree help parent sample ''", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_offered_by_their_beginning),
		cmocka_unit_test(the_words_of_a_choice_are_offered),
		cmocka_unit_test(files_are_offered_where_a_file_is_wanted),
		cmocka_unit_test(nothing_is_offered_for_a_number),
		cmocka_unit_test(nothing_is_offered_behind_two_dashes),
		cmocka_unit_test(commands_are_offered_first),
		cmocka_unit_test(every_level_is_completed),
		cmocka_unit_test(help_takes_commands_of_every_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
