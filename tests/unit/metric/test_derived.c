// SPDX-License-Identifier: GPL-2.0-or-later
#include "metric/reduce.h"

#include "unit.h"

/* All inputs measured in `of` threads, with the values given. */
static void set(struct metric_reduced *values, enum metric_id id, uint64_t value)
{
	values[id] = (struct metric_reduced){ .measured = 4, .of = 4, .value = value };
}

static void assert_derived(enum metric_derived_id id, const struct metric_reduced *values,
			   long double expected)
{
	struct metric_derived_value result = metric_derived_compute(id, values);

	assert_true(result.known);
	if (result.value != expected)
		fail_msg("%s is %Lf, not %Lf", metric_derived[id].name, result.value, expected);
}

static void quotients(void **state UNUSED)
{
	static const struct {
		enum metric_derived_id id;
		enum metric_id above, below;
	} rows[] = {
		{ METRIC_DERIVED_AFFINE_SUCCESS_RATIO, METRIC_NR_WAKEUPS_AFFINE,
		  METRIC_NR_WAKEUPS_AFFINE_ATTEMPTS },
		{ METRIC_DERIVED_AVG_WAIT_NS, METRIC_WAIT_SUM, METRIC_WAIT_COUNT },
		{ METRIC_DERIVED_AVG_SLICE_NS, METRIC_RUN_TIME_NS, METRIC_TIMESLICES },
		{ METRIC_DERIVED_DISK_IO_FRACTION, METRIC_READ_BYTES, METRIC_RCHAR },
		{ METRIC_DERIVED_AVG_IOWAIT_NS, METRIC_IOWAIT_SUM, METRIC_IOWAIT_COUNT },
		{ METRIC_DERIVED_AVG_CPU_DELAY_NS, METRIC_CPU_DELAY_TOTAL_NS,
		  METRIC_CPU_DELAY_COUNT },
		{ METRIC_DERIVED_AVG_BLKIO_DELAY_NS, METRIC_BLKIO_DELAY_TOTAL_NS,
		  METRIC_BLKIO_DELAY_COUNT },
		{ METRIC_DERIVED_AVG_SWAPIN_DELAY_NS, METRIC_SWAPIN_DELAY_TOTAL_NS,
		  METRIC_SWAPIN_DELAY_COUNT },
		{ METRIC_DERIVED_AVG_FREEPAGES_DELAY_NS, METRIC_FREEPAGES_DELAY_TOTAL_NS,
		  METRIC_FREEPAGES_DELAY_COUNT },
		{ METRIC_DERIVED_AVG_THRASHING_DELAY_NS, METRIC_THRASHING_DELAY_TOTAL_NS,
		  METRIC_THRASHING_DELAY_COUNT },
		{ METRIC_DERIVED_AVG_COMPACT_DELAY_NS, METRIC_COMPACT_DELAY_TOTAL_NS,
		  METRIC_COMPACT_DELAY_COUNT },
		{ METRIC_DERIVED_AVG_WPCOPY_DELAY_NS, METRIC_WPCOPY_DELAY_TOTAL_NS,
		  METRIC_WPCOPY_DELAY_COUNT },
		{ METRIC_DERIVED_AVG_IRQ_DELAY_NS, METRIC_IRQ_DELAY_TOTAL_NS,
		  METRIC_IRQ_DELAY_COUNT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metric_reduced values[METRIC_N] = { 0 };

		set(values, rows[i].above, 7);
		assert_false(metric_derived_compute(rows[i].id, values).known);
		set(values, rows[i].below, 2);
		assert_derived(rows[i].id, values, 3.5L);
		set(values, rows[i].below, 0);
		assert_false(metric_derived_compute(rows[i].id, values).known);
		values[rows[i].above] = (struct metric_reduced){ .of = 4 };
		set(values, rows[i].below, 2);
		assert_false(metric_derived_compute(rows[i].id, values).known);
	}
}

static void shares(void **state UNUSED)
{
	struct metric_reduced values[METRIC_N] = { 0 };

	set(values, METRIC_RUN_TIME_NS, 30);
	set(values, METRIC_WAIT_TIME_NS, 10);
	assert_derived(METRIC_DERIVED_CPU_EFFICIENCY, values, 0.75L);
	set(values, METRIC_NONVOLUNTARY_CSW, 1);
	set(values, METRIC_VOLUNTARY_CSW, 7);
	assert_derived(METRIC_DERIVED_INVOLUNTARY_CSW_RATIO, values, 0.125L);
	set(values, METRIC_RUN_TIME_NS, 0);
	set(values, METRIC_WAIT_TIME_NS, 0);
	assert_false(metric_derived_compute(METRIC_DERIVED_CPU_EFFICIENCY, values).known);
}

static void a_live_heap_may_be_negative_and_is_exact(void **state UNUSED)
{
	struct metric_reduced values[METRIC_N] = { 0 };

	set(values, METRIC_ALLOCATED_BYTES, 5);
	set(values, METRIC_DEALLOCATED_BYTES, 9);
	assert_derived(METRIC_DERIVED_LIVE_HEAP_ESTIMATE, values, -4);
	set(values, METRIC_ALLOCATED_BYTES, UINT64_MAX);
	set(values, METRIC_DEALLOCATED_BYTES, UINT64_MAX - 1);
	assert_derived(METRIC_DERIVED_LIVE_HEAP_ESTIMATE, values, 1);
}

/* Swap-in and thrashing are the same events in part. */
static void off_cpu_delays_take_the_larger_of_swapin_and_thrashing(void **state UNUSED)
{
	struct metric_reduced values[METRIC_N] = { 0 };

	set(values, METRIC_CPU_DELAY_TOTAL_NS, 1);
	set(values, METRIC_BLKIO_DELAY_TOTAL_NS, 20);
	set(values, METRIC_FREEPAGES_DELAY_TOTAL_NS, 300);
	set(values, METRIC_COMPACT_DELAY_TOTAL_NS, 4000);
	set(values, METRIC_WPCOPY_DELAY_TOTAL_NS, 50000);
	set(values, METRIC_IRQ_DELAY_TOTAL_NS, 600000);
	set(values, METRIC_SWAPIN_DELAY_TOTAL_NS, 7000000);
	set(values, METRIC_THRASHING_DELAY_TOTAL_NS, 2000000);
	assert_derived(METRIC_DERIVED_TOTAL_OFFCPU_DELAY_NS, values, 7654321);
	set(values, METRIC_THRASHING_DELAY_TOTAL_NS, 9000000);
	assert_derived(METRIC_DERIVED_TOTAL_OFFCPU_DELAY_NS, values, 9654321);
	values[METRIC_IRQ_DELAY_TOTAL_NS] = (struct metric_reduced){ .of = 4 };
	assert_false(metric_derived_compute(METRIC_DERIVED_TOTAL_OFFCPU_DELAY_NS, values).known);
}

static void the_least_measured_input_counts(void **state UNUSED)
{
	struct metric_reduced values[METRIC_N] = { 0 };
	struct metric_derived_value result;

	values[METRIC_RCHAR] = (struct metric_reduced){ .measured = 4, .of = 5, .value = 8 };
	values[METRIC_READ_BYTES] = (struct metric_reduced){ .measured = 2, .of = 5, .value = 4 };
	result = metric_derived_compute(METRIC_DERIVED_DISK_IO_FRACTION, values);
	assert_true(result.known);
	assert_int_equal(result.measured, 2);
	assert_int_equal(result.of, 5);
}

static void there_are_seventeen_in_two_sections(void **state UNUSED)
{
	int in_derived = 0;

	assert_int_equal(METRIC_N_DERIVED, 17);
	for (int i = 0; i < METRIC_N_DERIVED; i++) {
		enum metric_id other;

		in_derived += metric_derived[i].section == METRIC_SECTION_DERIVED;
		for (int k = 0; k < i; k++)
			assert_string_not_equal(metric_derived[i].name, metric_derived[k].name);
		/* --metrics and --sort-by take both kinds of names. */
		assert_false(metric_find(metric_derived[i].name, &other));
	}
	assert_int_equal(in_derived, 8);
}

static void formulas_are_printed_from_the_table(void **state UNUSED)
{
	static const struct {
		enum metric_derived_id id;
		const char *text;
	} rows[] = {
		{ METRIC_DERIVED_AVG_WAIT_NS, "wait_sum / wait_count" },
		{ METRIC_DERIVED_CPU_EFFICIENCY, "run_time_ns / (run_time_ns + wait_time_ns)" },
		{ METRIC_DERIVED_LIVE_HEAP_ESTIMATE, "allocated_bytes - deallocated_bytes" },
		{ METRIC_DERIVED_TOTAL_OFFCPU_DELAY_NS,
		  "cpu_delay_total_ns + blkio_delay_total_ns + freepages_delay_total_ns + "
		  "compact_delay_total_ns + wpcopy_delay_total_ns + irq_delay_total_ns + "
		  "max(swapin_delay_total_ns, thrashing_delay_total_ns)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		metric_derived_format_formula(rows[i].id, &text);
		assert_string_equal(strbuf_str(&text), rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quotients),
		cmocka_unit_test(shares),
		cmocka_unit_test(a_live_heap_may_be_negative_and_is_exact),
		cmocka_unit_test(off_cpu_delays_take_the_larger_of_swapin_and_thrashing),
		cmocka_unit_test(the_least_measured_input_counts),
		cmocka_unit_test(there_are_seventeen_in_two_sections),
		cmocka_unit_test(formulas_are_printed_from_the_table),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
