// SPDX-License-Identifier: GPL-2.0-or-later
/* Scripts are read by real shells, the only readers that count. */
#include "cli/frame/command.h"

#include "base/alloc.h"
#include "ask_shell.h"
#include "sample.h"
#include "unit.h"

static void every_command_is_visited_parents_first(void **state UNUSED)
{
	static const char *const places[] = { "\ttree)\n", "\ttree/parent)\n",
					      "\ttree/parent/sample)\n", "\ttree/help)\n" };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *at;

	cli_format_bash_completion(&sample_tree, &text);
	at = strbuf_str(&text);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		at = strstr(at, places[i]);
		assert_non_null(at);
	}
}

static void rows_say_what_a_command_takes(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	cli_format_bash_completion(&sample_tree, &text);
	/* A word, whatever is behind "--"; a command's name; the name of another command. */
	assert_contains(strbuf_str(&text), "; return; fi\n\t\t: ;;\n\ttree/help)\n");
	assert_contains(strbuf_str(&text),
			"COMPREPLY=($(compgen -W 'sample ' -- \"$value\")) ;;\n");
	assert_contains(strbuf_str(&text), "\t\ttree:help) helping=1 ;;\n");
}

static void texts_stay_inside_their_quotes(void **state UNUSED)
{
	static const struct cli_command child = { .name = "x", .summary = "it's" };
	static const struct cli_command *const children[] = { &child };
	static const struct cli_command program = { .name = "ktstr-jemalloc-probe",
						    .summary = "S",
						    CLI_SUBCOMMANDS(children) };
	_cleanup_strbuf_ struct strbuf zsh = STRBUF_INIT, fish = STRBUF_INIT;

	cli_format_zsh_completion(&program, &zsh);
	assert_contains(strbuf_str(&zsh), "'x:it'\\''s'");
	assert_contains(strbuf_str(&zsh), "\n_ktstr_jemalloc_probe()\n");
	cli_format_fish_completion(&program, &fish);
	assert_contains(strbuf_str(&fish), " -d 'it\\'s'\n");
}

static void the_completion_walk_stops_at_unknown_words(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	cli_format_bash_completion(&sample_parent, &text);
	assert_contains(strbuf_str(&text), "\t\t*:--) return ;;\n"
					   "\t\tparent:sample) at=parent/sample ;;\n"
					   "\t\tparent:-*) ;;\n"
					   "\t\tparent:*) at= ;;\n");
}

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

static void bash_offers(const struct cli_command *program, const char *words, const char *expected)
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
	bash_offers(&sample, "sample --co", "--count");
	bash_offers(&sample, "sample --",
		    "--flag --level --count --size --path --mode --include --help --version");
}

static void the_words_of_a_choice_are_offered(void **state UNUSED)
{
	bash_offers(&sample, "sample --mode ''", "slow fast");
	bash_offers(&sample, "sample --mode f", "fast");
	bash_offers(&sample, "sample --mode =", "slow fast");
	bash_offers(&sample, "sample --mode = s", "slow");
}

static void files_are_offered_where_a_file_is_wanted(void **state UNUSED)
{
	bash_offers(&sample, "sample --path /proc/self/statu", "/proc/self/status");
	bash_offers(&sample, "sample -p /proc/self/statu", "/proc/self/status");
	bash_offers(&sample, "sample -i a --include /proc/self/statu", "/proc/self/status");
}

static void nothing_is_offered_for_a_number(void **state UNUSED)
{
	bash_offers(&sample, "sample --count ''", "");
}

static void nothing_is_completed_after_two_dashes(void **state UNUSED)
{
	bash_offers(&sample, "sample -f -- --co", "");
	bash_offers(&sample, "sample -- ls --path /proc/self/statu", "");
	bash_offers(&sample_parent, "parent sample -- --si", "");
	bash_offers(&rest_only, "only --he", "--help");
	bash_offers(&rest_only, "only ''", "--help -h --version -V");
}

static void commands_are_offered_first(void **state UNUSED)
{
	bash_offers(&sample_parent, "parent ''", "sample");
	bash_offers(&sample_parent, "parent --v", "--version");
	bash_offers(&sample_parent, "parent sample --si", "--size");
	bash_offers(&sample_parent, "parent other ''", "");
}

static void every_level_is_completed_in_bash(void **state UNUSED)
{
	bash_offers(&sample_tree, "tree ''", "parent help");
	bash_offers(&sample_tree, "tree pa", "parent");
	bash_offers(&sample_tree, "tree parent ''", "sample");
	bash_offers(&sample_tree, "tree parent sample --si", "--size");
	bash_offers(&sample_tree, "tree parent sample --mode f", "fast");
	bash_offers(&sample_tree, "tree parent other --si", "");
	bash_offers(&sample_tree, "tree parent sample -- --si", "");
}

static void help_takes_commands_of_every_level_in_bash(void **state UNUSED)
{
	bash_offers(&sample_tree, "tree help ''", "parent help");
	bash_offers(&sample_tree, "tree help parent ''", "sample");
	bash_offers(&sample_tree, "tree help parent sample ''", "");
}

static const char editor[] =
	"compdef() { :; }\n"
	"offer() { local w; for w; do [[ $w == $PREFIX* ]] && print -n -- \"$w \"; done; true }\n"
	"compadd() { shift; offer \"$@\" }\n"
	"_files() { print -n files:$PREFIX }\n"
	"_describe() { [[ $1 == -o ]] && shift; local -a all; all=(\"${(@P)2}\");"
	" offer \"${(@)all%%:*}\" }\n"
	"compset() { PREFIX=${PREFIX#*=} }\n";

/* The last word is being typed. */
static void zsh_offers(const struct cli_command *program, const char *words, const char *expected)
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

static void every_level_is_completed_in_zsh(void **state UNUSED)
{
	zsh_offers(&sample_tree, "tree ''", "parent help ");
	zsh_offers(&sample_tree, "tree parent ''", "sample ");
	zsh_offers(&sample_tree, "tree parent sample --si", "--size ");
	zsh_offers(&sample_tree, "tree parent sample --mode f", "fast ");
	zsh_offers(&sample_tree, "tree parent other --si", "");
	zsh_offers(&sample_tree, "tree --v", "--version ");
}

static void values_are_of_their_kind_in_zsh(void **state UNUSED)
{
	zsh_offers(&sample, "sample --path /x", "files:/x");
	zsh_offers(&sample, "sample -p /x", "files:/x");
	zsh_offers(&sample, "sample --mode=s", "slow ");
	zsh_offers(&sample, "sample --count ''", "");
	zsh_offers(&sample, "sample -- --si", "");
}

static void help_takes_commands_of_every_level_in_zsh(void **state UNUSED)
{
	zsh_offers(&sample_tree, "tree help ''", "parent help ");
	zsh_offers(&sample_tree, "tree help parent ''", "sample ");
	zsh_offers(&sample_tree, "tree help parent sample ''", "");
}

/* The first word of each offer, in fish's order. */
static void fish_offers(const struct cli_command *program, const char *line, const char *expected)
{
	_cleanup_strbuf_ struct strbuf script = STRBUF_INIT;
	_cleanup_free_ char *answer = NULL;

	skip_unless(has_shell("fish"), "no fish here: make setup");
	/* fish asks nobody about a command that is not there. */
	strbuf_appendf(&script, "function %s; end\n", program->name);
	cli_format_fish_completion(program, &script);
	strbuf_appendf(&script,
		       "complete -C '%s' | string replace -r '\\t.*' '' | string join ' '\ntrue\n",
		       line);
	answer = ask_shell(
		(const char *const[]){ "fish", "--no-config", "-c", strbuf_str(&script), NULL });
	if (answer[0])
		answer[strcspn(answer, "\n")] = 0;
	assert_string_equal(answer, expected);
}

static void every_level_is_completed_in_fish(void **state UNUSED)
{
	fish_offers(&sample_tree, "tree ", "help parent");
	fish_offers(&sample_tree, "tree parent ", "sample");
	fish_offers(&sample_tree, "tree parent sample --si", "--size");
	fish_offers(&sample_tree, "tree parent sample --mode f", "fast");
	fish_offers(&sample_tree, "tree parent other --si", "");
}

static void values_are_of_their_kind_in_fish(void **state UNUSED)
{
	fish_offers(&sample, "sample --path /proc/self/statu", "/proc/self/status");
	fish_offers(&sample, "sample -p /proc/self/statu", "/proc/self/status");
	fish_offers(&sample, "sample --mode=s", "--mode=slow");
	fish_offers(&sample, "sample --count ", "");
	fish_offers(&sample, "sample -- --si", "");
}

static void help_takes_commands_of_every_level_in_fish(void **state UNUSED)
{
	fish_offers(&sample_tree, "tree help ", "help parent");
	fish_offers(&sample_tree, "tree help parent ", "sample");
	fish_offers(&sample_tree, "tree help parent sample ", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_command_is_visited_parents_first),
		cmocka_unit_test(rows_say_what_a_command_takes),
		cmocka_unit_test(texts_stay_inside_their_quotes),
		cmocka_unit_test(the_completion_walk_stops_at_unknown_words),
		cmocka_unit_test(options_are_offered_by_their_beginning),
		cmocka_unit_test(the_words_of_a_choice_are_offered),
		cmocka_unit_test(files_are_offered_where_a_file_is_wanted),
		cmocka_unit_test(nothing_is_offered_for_a_number),
		cmocka_unit_test(nothing_is_completed_after_two_dashes),
		cmocka_unit_test(commands_are_offered_first),
		cmocka_unit_test(every_level_is_completed_in_bash),
		cmocka_unit_test(help_takes_commands_of_every_level_in_bash),
		cmocka_unit_test(every_level_is_completed_in_zsh),
		cmocka_unit_test(values_are_of_their_kind_in_zsh),
		cmocka_unit_test(help_takes_commands_of_every_level_in_zsh),
		cmocka_unit_test(every_level_is_completed_in_fish),
		cmocka_unit_test(values_are_of_their_kind_in_fish),
		cmocka_unit_test(help_takes_commands_of_every_level_in_fish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
