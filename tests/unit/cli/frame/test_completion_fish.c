// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines are read by a real fish, which says what it would offer. */
#include "cli/frame/command.h"

#include "ask_shell.h"
#include "sample.h"

/* The first word of each offer, in fish's order. */
static void assert_offers(const struct cli_command *program, const char *line, const char *expected)
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

static void every_level_is_completed(void **state UNUSED)
{
	assert_offers(&sample_tree, "tree ", "help parent");
	assert_offers(&sample_tree, "tree parent ", "sample");
	assert_offers(&sample_tree, "tree parent sample --si", "--size");
	assert_offers(&sample_tree, "tree parent sample --mode f", "fast");
	assert_offers(&sample_tree, "tree parent other --si", "");
}

static void values_are_of_their_kind(void **state UNUSED)
{
	assert_offers(&sample, "sample --path /proc/self/statu", "/proc/self/status");
	assert_offers(&sample, "sample -p /proc/self/statu", "/proc/self/status");
	assert_offers(&sample, "sample --mode=s", "--mode=slow");
	assert_offers(&sample, "sample --count ", "");
	assert_offers(&sample, "sample -- --si", "");
}

static void help_takes_commands_of_every_level(void **state UNUSED)
{
	assert_offers(&sample_tree, "tree help ", "help parent");
	assert_offers(&sample_tree, "tree help parent ", "sample");
	assert_offers(&sample_tree, "tree help parent sample ", "");
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
