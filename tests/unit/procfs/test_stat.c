// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/stat.h"

#include "base/strbuf.h"
#include "unit.h"

/* Fields 4 to 21 count from 100, field 22 is as given. */
static void line_with(struct strbuf *s, const char *name, const char *start_time)
{
	strbuf_appendf(s, "1234 (%s) S", name);
	for (int i = 4; i < 22; i++)
		strbuf_appendf(s, " %d", 96 + i);
	strbuf_appendf(s, " %s rest is ignored\n", start_time);
}

static struct error *parse(const char *text, struct proc_stat *ret)
{
	return proc_stat_parse(text, strlen(text), ret);
}

static void name_may_hold_brackets_and_spaces(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct proc_stat stat;

	line_with(&s, "a)b (c))", "987654321");
	assert_success(parse(strbuf_str(&s), &stat));
	assert_string_equal(stat.comm, "a)b (c))");
	assert_int_equal(stat.state, 'S');
	assert_true(stat.start_time_jiffies == 987654321);
}

static void name_may_hold_a_newline(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct proc_stat stat;

	line_with(&s, "two\nlines) R 1 2", "1");
	assert_success(parse(strbuf_str(&s), &stat));
	assert_string_equal(stat.comm, "two\nlines) R 1 2");
	assert_int_equal(stat.state, 'S');
	assert_true(stat.start_time_jiffies == 1);
}

static void fields_end_with_their_line(void **state UNUSED)
{
	struct proc_stat stat;

	assert_error_tag(
		parse("1 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n19 20\n", &stat),
		"parse");
}

static void a_long_name_is_cut(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	struct proc_stat stat;

	strbuf_append_repeated(&name, 'n', 100);
	line_with(&s, strbuf_str(&name), "5");
	assert_success(parse(strbuf_str(&s), &stat));
	assert_int_equal(strlen(stat.comm), PROC_COMM_MAX - 1);
	assert_true(stat.start_time_jiffies == 5);
}

static void broken_lines_are_refused(void **state UNUSED)
{
	static const char *const broken[] = {
		"",
		"1234 comm_without_brackets S 0 0 0 0",
		"1234 (comm",
		"1234 )comm( S",
		"1234 (comm)",
		"1234 (comm) S 1 2 3 4 5 6 7 8 9",
	};
	static const char *const no_numbers[] = { "not_a_number", "-1", "18446744073709551616" };
	struct proc_stat stat;

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++)
		assert_error_tag(parse(broken[i], &stat), "parse");
	for (size_t i = 0; i < ARRAY_SIZE(no_numbers); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		line_with(&s, "comm", no_numbers[i]);
		assert_error_tag(parse(strbuf_str(&s), &stat), "parse");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(name_may_hold_brackets_and_spaces),
		cmocka_unit_test(name_may_hold_a_newline),
		cmocka_unit_test(fields_end_with_their_line),
		cmocka_unit_test(a_long_name_is_cut),
		cmocka_unit_test(broken_lines_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
