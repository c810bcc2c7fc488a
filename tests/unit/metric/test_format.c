// SPDX-License-Identifier: GPL-2.0-or-later
#include "metric/format.h"

#include <sched.h>

#include "unit.h"

static void assert_value(enum metric_unit unit, uint64_t value, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	metric_format_value(unit, value, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

static void assert_number(void (*format)(enum metric_unit, long double, struct strbuf *),
			  enum metric_unit unit, long double value, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	format(unit, value, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

static void units_scale_up_at_their_thresholds(void **state UNUSED)
{
	assert_value(METRIC_UNIT_NS, 0, "0ns");
	assert_value(METRIC_UNIT_NS, 999, "999ns");
	assert_value(METRIC_UNIT_NS, 1000, "1.000µs");
	assert_value(METRIC_UNIT_NS, 999999, "999.999µs");
	assert_value(METRIC_UNIT_NS, 1000000, "1.000ms");
	assert_value(METRIC_UNIT_NS, 1234567, "1.235ms");
	assert_value(METRIC_UNIT_NS, 1000000000, "1.000s");
	assert_value(METRIC_UNIT_NS, UINT64_C(86400000000000), "86400.000s");
	assert_value(METRIC_UNIT_US, 999, "999µs");
	assert_value(METRIC_UNIT_US, 1000, "1.000ms");
	assert_value(METRIC_UNIT_US, 1000000, "1.000s");
	assert_value(METRIC_UNIT_BYTES, 1023, "1023B");
	assert_value(METRIC_UNIT_BYTES, 1024, "1.000KiB");
	assert_value(METRIC_UNIT_BYTES, 1 << 20, "1.000MiB");
	assert_value(METRIC_UNIT_BYTES, 1 << 30, "1.000GiB");
	assert_value(METRIC_UNIT_BYTES, UINT64_C(1) << 40, "1.000TiB");
	assert_value(METRIC_UNIT_BYTES, UINT64_C(1) << 50, "1024.000TiB");
	assert_value(METRIC_UNIT_TICKS, 999, "999ticks");
	assert_value(METRIC_UNIT_TICKS, 1000, "1.000Kticks");
	assert_value(METRIC_UNIT_TICKS, 1500000, "1.500Mticks");
	assert_value(METRIC_UNIT_COUNT, 999, "999");
	assert_value(METRIC_UNIT_COUNT, 1000, "1.000K");
	assert_value(METRIC_UNIT_COUNT, 1000000, "1.000M");
	assert_value(METRIC_UNIT_COUNT, 1000000000, "1.000G");
	assert_value(METRIC_UNIT_NONE, 1234567, "1234567");
}

/* What was negative and rounds to nothing shows no sign, and large values keep their digits. */
static void computed_values_at_the_ends_of_a_ladder(void **state UNUSED)
{
	assert_number(metric_format_derived, METRIC_UNIT_NS, -0.0L, "0.00ns");
	assert_number(metric_format_derived, METRIC_UNIT_NS, -999, "-999.00ns");
	assert_number(metric_format_derived, METRIC_UNIT_NS, -1000, "-1.000µs");
	assert_number(metric_format_derived, METRIC_UNIT_NS, 2500000, "2.500ms");
	assert_number(metric_format_derived, METRIC_UNIT_COUNT, 999.5L, "999.50");
	assert_number(metric_format_derived, METRIC_UNIT_NONE, 0x1p64L, "18446744073709551616.00");
}

static void computed_values_have_decimals_on_every_step(void **state UNUSED)
{
	assert_number(metric_format_derived, METRIC_UNIT_RATIO, 0.8731L, "0.873");
	assert_number(metric_format_derived, METRIC_UNIT_RATIO, 1234.5L, "1234.500");
	assert_number(metric_format_derived, METRIC_UNIT_NS, 123.4L, "123.40ns");
	assert_number(metric_format_derived, METRIC_UNIT_NS, 0.25L, "0.25ns");
	assert_number(metric_format_derived, METRIC_UNIT_NS, 1500, "1.500µs");
	assert_number(metric_format_derived, METRIC_UNIT_BYTES, -1536, "-1.500KiB");
	assert_number(metric_format_derived, METRIC_UNIT_BYTES, -4, "-4.00B");
}

static void percentages_are_formatted(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	metric_format_centi_percent(150, &text);
	strbuf_append_char(&text, ' ');
	metric_format_centi_percent(10000, &text);
	strbuf_append_char(&text, ' ');
	metric_format_centi_percent(7, &text);
	assert_string_equal(strbuf_str(&text), "1.50% 100.00% 0.07%");
}

static void cpus_are_printed_as_ranges(void **state UNUSED)
{
	static const uint32_t ids[] = { 0, 1, 2, 3, 8, 10, 11 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	metric_format_cpus(ids, ARRAY_SIZE(ids), &text);
	assert_string_equal(strbuf_str(&text), "0-3,8,10-11");
	strbuf_clear(&text);
	metric_format_cpus(ids, 1, &text);
	assert_string_equal(strbuf_str(&text), "0");
	strbuf_clear(&text);
	metric_format_cpus(ids, 0, &text);
	assert_string_equal(strbuf_str(&text), "");
}

static void assert_reduced(enum metric_id id, struct metric_reduced value, const char *expected)
{
	static const uint32_t cpus[] = { 0, 1, 2, 8 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	metric_format_reduced(id, &value, cpus, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

static void reduced_values_are_shown_by_their_reduction(void **state UNUSED)
{
	struct metric_tally_entry states[] = { { 'S', 3 }, { 'R', 2 } };
	struct metric_tally_entry other = { 0, 5 };

	assert_reduced(METRIC_THREAD_COUNT, (struct metric_reduced){ 5, 5, .value = 5 }, "5");
	assert_reduced(METRIC_RUN_TIME_NS, (struct metric_reduced){ 5, 5, .value = 1500 },
		       "1.500µs");
	assert_reduced(METRIC_NICE, (struct metric_reduced){ 5, 5, .range = { 5, 5 } }, "5");
	assert_reduced(METRIC_NICE, (struct metric_reduced){ 5, 5, .range = { -1, 9 } }, "-1..9");
	assert_reduced(METRIC_STATE, (struct metric_reduced){ 5, 5, .tally = { states, 2, 2 } },
		       "S (3/5)");
	assert_reduced(METRIC_STATE, (struct metric_reduced){ 3, 5, .tally = { states, 1, 2 } },
		       "S");
	assert_reduced(METRIC_POLICY, (struct metric_reduced){ 5, 5, .tally = { &other, 1, 1 } },
		       "SCHED_OTHER");
	assert_reduced(METRIC_EXT_ENABLED,
		       (struct metric_reduced){ 5, 5, .tally = { &other, 1, 1 } }, "false");
	assert_reduced(METRIC_CPU_AFFINITY, (struct metric_reduced){ 5, 5, .cpus = { 4, 4, 3 } },
		       "4 cpus (0-2,8)");
	assert_reduced(METRIC_CPU_AFFINITY,
		       (struct metric_reduced){ 5, 5, .cpus = { 4, 4, METRIC_SAMPLE_NO_ENTRY } },
		       "4 cpus (mixed)");
	assert_reduced(METRIC_CPU_AFFINITY,
		       (struct metric_reduced){ 5, 5, .cpus = { 1, 4, METRIC_SAMPLE_NO_ENTRY } },
		       "1-4 cpus (mixed)");
}

static void an_absent_value_is_printed_as_a_dash(void **state UNUSED)
{
	for (int i = 0; i < METRIC_N; i++)
		assert_reduced((enum metric_id)i, (struct metric_reduced){ .of = 3 },
			       metric_rows[i].kind == METRIC_KIND_TALLY ? "0" : "-");
}

static void every_unit_but_none_has_a_name(void **state UNUSED)
{
	for (int i = 0; i < METRIC_N_UNITS; i++)
		assert_int_equal(*metric_unit_name((enum metric_unit)i) == '\0',
				 i == METRIC_UNIT_NONE);
}

static void assert_policy(uint64_t number, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	uint64_t back = 99;

	metric_policy_format(number, &text);
	assert_string_equal(strbuf_str(&text), name);
	assert_true(metric_policy_parse(name, strlen(name), &back));
	assert_int_equal(back, number);
}

static void names_are_those_of_the_kernel(void **state UNUSED)
{
	assert_policy(SCHED_OTHER, "SCHED_OTHER");
	assert_policy(SCHED_FIFO, "SCHED_FIFO");
	assert_policy(SCHED_RR, "SCHED_RR");
	assert_policy(SCHED_BATCH, "SCHED_BATCH");
	assert_policy(SCHED_IDLE, "SCHED_IDLE");
	assert_policy(6, "SCHED_DEADLINE");
	assert_policy(7, "SCHED_EXT");
}

static void a_number_without_a_name_stays_readable(void **state UNUSED)
{
	assert_policy(42, "SCHED_UNKNOWN(42)");
	assert_policy(4, "SCHED_UNKNOWN(4)");
	assert_policy(UINT64_MAX, "SCHED_UNKNOWN(18446744073709551615)");
}

static void malformed_policy_names_are_refused(void **state UNUSED)
{
	const char *const wrong[] = { "",
				      "SCHED_",
				      "sched_fifo",
				      "SCHED_FIFO ",
				      "SCHED_UNKNOWN()",
				      "SCHED_UNKNOWN(-1)",
				      "SCHED_UNKNOWN(4",
				      "SCHED_UNKNOWN(18446744073709551616)" };
	uint64_t untouched = 5;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(metric_policy_parse(wrong[i], strlen(wrong[i]), &untouched));
	assert_int_equal(untouched, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_scale_up_at_their_thresholds),
		cmocka_unit_test(computed_values_at_the_ends_of_a_ladder),
		cmocka_unit_test(computed_values_have_decimals_on_every_step),
		cmocka_unit_test(percentages_are_formatted),
		cmocka_unit_test(cpus_are_printed_as_ranges),
		cmocka_unit_test(reduced_values_are_shown_by_their_reduction),
		cmocka_unit_test(an_absent_value_is_printed_as_a_dash),
		cmocka_unit_test(every_unit_but_none_has_a_name),
		cmocka_unit_test(names_are_those_of_the_kernel),
		cmocka_unit_test(a_number_without_a_name_stays_readable),
		cmocka_unit_test(malformed_policy_names_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
