// SPDX-License-Identifier: GPL-2.0-or-later
/* Fields of stat and schedstat, by number. */
#include "thread_fields.h"

#include "base/strbuf.h"

enum {
	STAT_MINFLT,
	STAT_MAJFLT,
	STAT_UTIME_TICKS,
	STAT_STIME_TICKS,
	STAT_PRIORITY,
	STAT_NICE,
	STAT_START_TICKS,
	STAT_PROCESSOR,
	STAT_RT_PRIORITY,
	STAT_POLICY,
	N_STAT_FIELDS,
};

enum { SCHEDSTAT_RUN_NS, SCHEDSTAT_WAIT_NS, SCHEDSTAT_TIMESLICES };

static bool fields_parse(const char *text, struct seen *ret)
{
	struct file file = {
		.at = {
			{ .number = 10, .form = PROCFS_FORM_NUMBER },
			{ .number = 12, .form = PROCFS_FORM_NUMBER },
			{ .number = 14, .form = PROCFS_FORM_NUMBER },
			{ .number = 15, .form = PROCFS_FORM_NUMBER },
			{ .number = 18, .form = PROCFS_FORM_I32 },
			{ .number = 19, .form = PROCFS_FORM_I32 },
			{ .number = 22, .form = PROCFS_FORM_NUMBER },
			{ .number = 39, .form = PROCFS_FORM_I32 },
			{ .number = 40, .form = PROCFS_FORM_I32 },
			{ .number = 41, .form = PROCFS_FORM_I32 },
		},
		.n = N_STAT_FIELDS,
	};

	return read_fields(text, &file, ret, procfs_stat_fields);
}

static bool numbers_parse(const char *text, struct seen *ret)
{
	struct file file = { .at = { { .number = 1 }, { .number = 2 }, { .number = 3 } }, .n = 3 };

	return read_fields(text, &file, ret, procfs_schedstat_fields);
}

/* Field n is 1000 + n, but for one that is given. */
static void line_with(struct strbuf *s, const char *name, int number, const char *value)
{
	strbuf_appendf(s, "77 (%s) S", name);
	for (int i = 4; i <= 52; i++) {
		if (i == number)
			strbuf_appendf(s, " %s", value);
		else
			strbuf_appendf(s, " %d", 1000 + i);
	}
	strbuf_append(s, "\n");
}

static void every_field_is_where_proc_5_says(void **state UNUSED)
{
	static const int numbers[] = { 10, 12, 14, 15, 18, 19, 22, 39, 40, 41 };
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct seen fields;

	line_with(&s, "x", 0, "");
	assert_true(fields_parse(strbuf_str(&s), &fields));
	assert_int_equal(N_STAT_FIELDS, ARRAY_SIZE(numbers));
	for (unsigned int i = 0; i < ARRAY_SIZE(numbers); i++)
		assert_field(&fields, i, 1000 + numbers[i]);
}

static void a_name_may_hold_brackets_blanks_and_lines(void **state UNUSED)
{
	static const char *const names[] = { "a) b", "a) R 1 2 3", "((", "x\ny) S 9", "" };
	struct seen fields;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		line_with(&s, names[i], 0, "");
		assert_true(fields_parse(strbuf_str(&s), &fields));
		assert_field(&fields, STAT_MINFLT, 1010);
		assert_field(&fields, STAT_START_TICKS, 1022);
	}
}

static void a_cut_line_keeps_what_it_has(void **state UNUSED)
{
	struct seen fields;

	assert_true(fields_parse("77 (x) S 4 5 6 7 8 9 10 11 12", &fields));
	assert_field(&fields, STAT_MINFLT, 10);
	assert_field(&fields, STAT_MAJFLT, 12);
	assert_int_equal(fields.known, 1 << STAT_MINFLT | 1 << STAT_MAJFLT);
	assert_true(fields_parse("77 (x)", &fields));
	assert_int_equal(fields.known, 0);
}

static void stat_fields_after_a_newline_are_ignored(void **state UNUSED)
{
	struct seen fields;

	assert_true(fields_parse("77 (x) S 4 5 6 7 8 9 10\n11 12\n", &fields));
	assert_int_equal(fields.known, 1 << STAT_MINFLT);
}

static void stat_without_a_bracket_is_refused(void **state UNUSED)
{
	struct seen fields;

	assert_false(fields_parse("", &fields));
	assert_false(fields_parse("77 x S 4 5 6 7 8 9 10", &fields));
	assert_int_equal(fields.known, 0);
}

static void a_bad_field_is_absent_and_the_others_stay(void **state UNUSED)
{
	static const struct {
		int number;
		unsigned int field;
		const char *value;
	} bad[] = {
		{ 10, STAT_MINFLT, "-1" },
		{ 10, STAT_MINFLT, "18446744073709551616" },
		{ 22, STAT_START_TICKS, "0x10" },
		{ 18, STAT_PRIORITY, "2147483648" },
		{ 19, STAT_NICE, "-" },
		{ 19, STAT_NICE, "-2147483649" },
		{ 40, STAT_RT_PRIORITY, "4294967296" },
		{ 41, STAT_POLICY, "fifo" },
	};
	struct seen fields;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		line_with(&s, "x", bad[i].number, bad[i].value);
		assert_true(fields_parse(strbuf_str(&s), &fields));
		assert_false(knows(&fields, bad[i].field));
		assert_int_equal(__builtin_popcountll(fields.known), N_STAT_FIELDS - 1);
	}
}

static void signed_fields_may_be_negative(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf nice = STRBUF_INIT, priority = STRBUF_INIT;
	struct seen fields;

	line_with(&nice, "x", 19, "-20");
	assert_true(fields_parse(strbuf_str(&nice), &fields));
	assert_field(&fields, STAT_NICE, (int64_t)-20);
	line_with(&priority, "x", 18, "-2147483648");
	assert_true(fields_parse(strbuf_str(&priority), &fields));
	assert_field(&fields, STAT_PRIORITY, (int64_t)INT32_MIN);
}

static void each_schedstat_number_is_known_separately(void **state UNUSED)
{
	static const char whole[] = "123456789 42 7\n", half[] = "1 x 3", more[] = "1 2\n3\n";
	struct seen fields;

	assert_true(numbers_parse(whole, &fields));
	assert_field(&fields, SCHEDSTAT_RUN_NS, 123456789);
	assert_field(&fields, SCHEDSTAT_WAIT_NS, 42);
	assert_field(&fields, SCHEDSTAT_TIMESLICES, 7);
	assert_true(numbers_parse(half, &fields));
	assert_false(knows(&fields, SCHEDSTAT_WAIT_NS));
	assert_field(&fields, SCHEDSTAT_TIMESLICES, 3);
	assert_true(numbers_parse(more, &fields));
	assert_false(knows(&fields, SCHEDSTAT_TIMESLICES));
	assert_false(numbers_parse("", &fields));
	assert_false(numbers_parse("x y z\n", &fields));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_where_proc_5_says),
		cmocka_unit_test(a_name_may_hold_brackets_blanks_and_lines),
		cmocka_unit_test(a_cut_line_keeps_what_it_has),
		cmocka_unit_test(stat_fields_after_a_newline_are_ignored),
		cmocka_unit_test(stat_without_a_bracket_is_refused),
		cmocka_unit_test(a_bad_field_is_absent_and_the_others_stay),
		cmocka_unit_test(signed_fields_may_be_negative),
		cmocka_unit_test(each_schedstat_number_is_known_separately),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
