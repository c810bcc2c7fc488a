// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/completion.h"

#include "base/alloc.h"
#include "sample.h"
#include "unit.h"

static void note_place(const struct cli_command *command UNUSED, const char *place, void *arg)
{
	strbuf_appendf(arg, "%s ", place);
}

static void every_command_is_visited_parents_first(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf places = STRBUF_INIT;

	cli_completion_visit(&sample_tree, note_place, &places);
	assert_string_equal(strbuf_str(&places), "tree tree/parent tree/parent/sample tree/help ");
}

static void rows_say_what_a_command_takes(void **state UNUSED)
{
	assert_true(cli_completion_is_help(&sample_help));
	assert_false(cli_completion_is_help(&sample));
	assert_true(cli_completion_has_rest(&sample));
	assert_false(cli_completion_has_rest(&sample_parent));
	assert_ptr_equal(cli_completion_word_row(&sample), &sample_positionals[0]);
	assert_null(cli_completion_word_row(&sample_parent));
}

static void texts_stay_inside_their_quotes(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	cli_completion_append_quoted("it's", "'\\''", &text);
	assert_string_equal(strbuf_str(&text), "'it'\\''s'");
	strbuf_clear(&text);
	cli_completion_append_identifier("ktstr-jemalloc-probe", &text);
	assert_string_equal(strbuf_str(&text), "ktstr_jemalloc_probe");
}

static void the_walk_goes_down_and_stops_at_strangers(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf walk = STRBUF_INIT;

	cli_completion_append_walk(&sample_parent, "return", &walk);
	assert_string_equal(strbuf_str(&walk), "\t\t*:--) return ;;\n"
					       "\t\tparent:sample) at=parent/sample ;;\n"
					       "\t\tparent:-*) ;;\n"
					       "\t\tparent:*) at= ;;\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_command_is_visited_parents_first),
		cmocka_unit_test(rows_say_what_a_command_takes),
		cmocka_unit_test(texts_stay_inside_their_quotes),
		cmocka_unit_test(the_walk_goes_down_and_stops_at_strangers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
