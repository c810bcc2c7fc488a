// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/thread_stat.h"

#include "base/strbuf.h"
#include "unit.h"

#define assert_field(fields, field, expected)                             \
	do {                                                              \
		assert_true(proc_fields_know((fields), (field)));         \
		assert_true((fields)->at[field] == (uint64_t)(expected)); \
	} while (0)

static bool parse(const char *text, struct proc_fields *ret)
{
	return thread_stat_parse(text, strlen(text), ret);
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
	struct proc_fields fields;

	line_with(&s, "x", 0, "");
	assert_true(parse(strbuf_str(&s), &fields));
	assert_int_equal(N_THREAD_STAT_FIELDS, ARRAY_SIZE(numbers));
	for (unsigned int i = 0; i < ARRAY_SIZE(numbers); i++)
		assert_field(&fields, i, 1000 + numbers[i]);
}

static void a_name_may_hold_brackets_blanks_and_lines(void **state UNUSED)
{
	static const char *const names[] = { "a) b", "a) R 1 2 3", "((", "x\ny) S 9", "" };
	struct proc_fields fields;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		line_with(&s, names[i], 0, "");
		assert_true(parse(strbuf_str(&s), &fields));
		assert_field(&fields, THREAD_STAT_MINFLT, 1010);
		assert_field(&fields, THREAD_STAT_START_TICKS, 1022);
	}
}

static void a_cut_line_keeps_what_it_has(void **state UNUSED)
{
	struct proc_fields fields;

	assert_true(parse("77 (x) S 4 5 6 7 8 9 10 11 12", &fields));
	assert_field(&fields, THREAD_STAT_MINFLT, 10);
	assert_field(&fields, THREAD_STAT_MAJFLT, 12);
	assert_int_equal(fields.known, 1 << THREAD_STAT_MINFLT | 1 << THREAD_STAT_MAJFLT);
	assert_true(parse("77 (x)", &fields));
	assert_int_equal(fields.known, 0);
}

static void the_second_line_is_none_of_ours(void **state UNUSED)
{
	struct proc_fields fields;

	assert_true(parse("77 (x) S 4 5 6 7 8 9 10\n11 12\n", &fields));
	assert_int_equal(fields.known, 1 << THREAD_STAT_MINFLT);
}

static void without_a_bracket_nothing_is_known(void **state UNUSED)
{
	struct proc_fields fields;

	assert_false(parse("", &fields));
	assert_false(parse("77 x S 4 5 6 7 8 9 10", &fields));
	assert_int_equal(fields.known, 0);
}

static void a_bad_field_is_absent_and_the_others_stay(void **state UNUSED)
{
	static const struct {
		int number;
		unsigned int field;
		const char *value;
	} bad[] = {
		{ 10, THREAD_STAT_MINFLT, "-1" },
		{ 10, THREAD_STAT_MINFLT, "18446744073709551616" },
		{ 22, THREAD_STAT_START_TICKS, "0x10" },
		{ 18, THREAD_STAT_PRIORITY, "2147483648" },
		{ 19, THREAD_STAT_NICE, "-" },
		{ 19, THREAD_STAT_NICE, "-2147483649" },
		{ 40, THREAD_STAT_RT_PRIORITY, "4294967296" },
		{ 41, THREAD_STAT_POLICY, "fifo" },
	};
	struct proc_fields fields;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		line_with(&s, "x", bad[i].number, bad[i].value);
		assert_true(parse(strbuf_str(&s), &fields));
		assert_false(proc_fields_know(&fields, bad[i].field));
		assert_int_equal(__builtin_popcount(fields.known), N_THREAD_STAT_FIELDS - 1);
	}
}

static void signed_fields_may_be_negative(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf nice = STRBUF_INIT, priority = STRBUF_INIT;
	struct proc_fields fields;

	line_with(&nice, "x", 19, "-20");
	assert_true(parse(strbuf_str(&nice), &fields));
	assert_field(&fields, THREAD_STAT_NICE, (int64_t)-20);
	line_with(&priority, "x", 18, "-2147483648");
	assert_true(parse(strbuf_str(&priority), &fields));
	assert_field(&fields, THREAD_STAT_PRIORITY, (int64_t)INT32_MIN);
}

static void each_number_of_schedstat_stands_alone(void **state UNUSED)
{
	static const char whole[] = "123456789 42 7\n", half[] = "1 x 3", more[] = "1 2\n3\n";
	struct proc_fields fields;

	assert_true(thread_schedstat_parse(whole, strlen(whole), &fields));
	assert_field(&fields, THREAD_SCHEDSTAT_RUN_NS, 123456789);
	assert_field(&fields, THREAD_SCHEDSTAT_WAIT_NS, 42);
	assert_field(&fields, THREAD_SCHEDSTAT_TIMESLICES, 7);
	assert_true(thread_schedstat_parse(half, strlen(half), &fields));
	assert_false(proc_fields_know(&fields, THREAD_SCHEDSTAT_WAIT_NS));
	assert_field(&fields, THREAD_SCHEDSTAT_TIMESLICES, 3);
	assert_true(thread_schedstat_parse(more, strlen(more), &fields));
	assert_false(proc_fields_know(&fields, THREAD_SCHEDSTAT_TIMESLICES));
	assert_false(thread_schedstat_parse("", 0, &fields));
	assert_false(thread_schedstat_parse("x y z\n", 6, &fields));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_where_proc_5_says),
		cmocka_unit_test(a_name_may_hold_brackets_blanks_and_lines),
		cmocka_unit_test(a_cut_line_keeps_what_it_has),
		cmocka_unit_test(the_second_line_is_none_of_ours),
		cmocka_unit_test(without_a_bracket_nothing_is_known),
		cmocka_unit_test(a_bad_field_is_absent_and_the_others_stay),
		cmocka_unit_test(signed_fields_may_be_negative),
		cmocka_unit_test(each_number_of_schedstat_stands_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
