// SPDX-License-Identifier: GPL-2.0-or-later
/* A real zsh runs the function; only what hands words to its line editor is ours here. */
#include "cli/frame/command.h"

#include "ask_shell.h"
#include "sample.h"

static const char editor[] =
	"compdef() { :; }\n"
	"offer() { local w; for w; do [[ $w == $PREFIX* ]] && print -n -- \"$w \"; done; true }\n"
	"compadd() { shift; offer \"$@\" }\n"
	"_files() { print -n files:$PREFIX }\n"
	"_describe() { [[ $1 == -o ]] && shift; local -a all; all=(\"${(@P)2}\");"
	" offer \"${(@)all%%:*}\" }\n"
	"compset() { PREFIX=${PREFIX#*=} }\n";

/* The last word is being typed. */
static void assert_offers(const struct cli_command *program, const char *words,
			  const char *expected)
{
	_cleanup_strbuf_ struct strbuf script = STRBUF_INIT;
	_cleanup_free_ char *answer = NULL;

	skip_unless(has_shell("zsh"), "no zsh here: make setup");
	strbuf_append(&script, editor);
	strbuf_appendf(&script, "words=(%s)\nCURRENT=$#words\nPREFIX=$words[CURRENT]\n", words);
	cli_format_zsh_completion(program, &script);
	answer = ask_shell((const char *const[]){ "zsh", "-fc", strbuf_str(&script), NULL });
	assert_string_equal(answer, expected);
}

static void every_level_is_completed(void **state UNUSED)
{
	assert_offers(&sample_tree, "tree ''", "parent help ");
	assert_offers(&sample_tree, "tree parent ''", "sample ");
	assert_offers(&sample_tree, "tree parent sample --si", "--size ");
	assert_offers(&sample_tree, "tree parent sample --mode f", "fast ");
	assert_offers(&sample_tree, "tree parent other --si", "");
	assert_offers(&sample_tree, "tree --v", "--version ");
}

static void values_are_of_their_kind(void **state UNUSED)
{
	assert_offers(&sample, "sample --path /x", "files:/x");
	assert_offers(&sample, "sample -p /x", "files:/x");
	assert_offers(&sample, "sample --mode=s", "slow ");
	assert_offers(&sample, "sample --count ''", "");
	assert_offers(&sample, "sample -- --si", "");
}

static void help_takes_commands_of_every_level(void **state UNUSED)
{
	assert_offers(&sample_tree, "tree help ''", "parent help ");
	assert_offers(&sample_tree, "tree help parent ''", "sample ");
	assert_offers(&sample_tree, "tree help parent sample ''", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_level_is_completed),
		cmocka_unit_test(values_are_of_their_kind),
		cmocka_unit_test(help_takes_commands_of_every_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
