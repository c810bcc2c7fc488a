// SPDX-License-Identifier: GPL-2.0-or-later
#include "metric/reduce.h"

#include "unit.h"

/* One value for each thread; what is not set stays unknown. */
static struct metric_thread_sample thread_with(enum metric_id id, uint64_t value)
{
	struct metric_thread_sample sample = { .tid = 2,
					       .tgid = 1,
					       .cpu_affinity = METRIC_SAMPLE_NO_ENTRY };

	metric_sample_set(&sample, id, value);
	return sample;
}

static void add_value(struct metric_reduced *into, enum metric_id id, uint64_t value)
{
	struct metric_thread_sample sample = thread_with(id, value);

	metric_reduced_add(into, id, &sample);
}

static void add_unknown(struct metric_reduced *into, enum metric_id id)
{
	struct metric_thread_sample sample = { .tid = 2, .tgid = 1 };

	/* What stands there must not be looked at. */
	sample.values[id] = 1234567;
	metric_reduced_add(into, id, &sample);
}

static void every_kind_has_its_reduction(void **state UNUSED)
{
	assert_int_equal(metric_reduction(METRIC_KIND_TALLY), METRIC_REDUCTION_COUNT);
	assert_int_equal(metric_reduction(METRIC_KIND_SUM), METRIC_REDUCTION_SUM);
	assert_int_equal(metric_reduction(METRIC_KIND_PEAK), METRIC_REDUCTION_LARGEST);
	assert_int_equal(metric_reduction(METRIC_KIND_GAUGE), METRIC_REDUCTION_LARGEST);
	assert_int_equal(metric_reduction(METRIC_KIND_LEAST), METRIC_REDUCTION_LEAST);
	assert_int_equal(metric_reduction(METRIC_KIND_ORDINAL), METRIC_REDUCTION_RANGE);
	assert_int_equal(metric_reduction(METRIC_KIND_POLICY), METRIC_REDUCTION_MODE);
	assert_int_equal(metric_reduction(METRIC_KIND_STATE), METRIC_REDUCTION_MODE);
	assert_int_equal(metric_reduction(METRIC_KIND_FLAG), METRIC_REDUCTION_MODE);
	assert_int_equal(metric_reduction(METRIC_KIND_CPUSET), METRIC_REDUCTION_CPUS);
}

static void sums_saturate(void **state UNUSED)
{
	struct metric_reduced sum = { 0 };

	add_value(&sum, METRIC_RUN_TIME_NS, 3);
	add_value(&sum, METRIC_RUN_TIME_NS, 4);
	assert_int_equal(sum.value, 7);
	add_value(&sum, METRIC_RUN_TIME_NS, UINT64_MAX - 1);
	assert_true(sum.value == UINT64_MAX);
	add_value(&sum, METRIC_RUN_TIME_NS, 1);
	assert_true(sum.value == UINT64_MAX);
}

static void threads_are_counted_known_or_not(void **state UNUSED)
{
	struct metric_reduced count = { 0 };

	assert_false(metric_reduced_is_absent(&count, METRIC_KIND_TALLY));
	add_unknown(&count, METRIC_THREAD_COUNT);
	add_unknown(&count, METRIC_THREAD_COUNT);
	assert_int_equal(count.value, 2);
	assert_int_equal(count.measured, 2);
}

static void peaks_and_gauges_keep_the_largest(void **state UNUSED)
{
	struct metric_reduced peak = { 0 }, gauge = { 0 };

	add_value(&peak, METRIC_WAIT_MAX, 5);
	add_value(&peak, METRIC_WAIT_MAX, 9);
	add_value(&peak, METRIC_WAIT_MAX, 2);
	assert_int_equal(peak.value, 9);
	add_value(&gauge, METRIC_FAIR_SLICE_NS, 3);
	add_value(&gauge, METRIC_FAIR_SLICE_NS, 2);
	assert_int_equal(gauge.value, 3);
}

static void the_minimum_delay_ignores_zeros(void **state UNUSED)
{
	struct metric_reduced least = { 0 }, none = { 0 };

	add_value(&least, METRIC_CPU_DELAY_MIN_NS, 0);
	add_value(&least, METRIC_CPU_DELAY_MIN_NS, 70);
	add_value(&least, METRIC_CPU_DELAY_MIN_NS, 50);
	add_value(&least, METRIC_CPU_DELAY_MIN_NS, 0);
	assert_int_equal(least.value, 50);
	add_value(&none, METRIC_CPU_DELAY_MIN_NS, 0);
	assert_int_equal(none.value, 0);
	assert_true(metric_reduced_is_zero(&none, METRIC_KIND_LEAST));
	add_value(&none, METRIC_CPU_DELAY_MIN_NS, 50);
	assert_int_equal(none.value, 50);
}

static void ranges_are_signed(void **state UNUSED)
{
	struct metric_reduced range = { 0 };

	add_value(&range, METRIC_NICE, (uint64_t)-5);
	assert_int_equal(range.range.least, -5);
	assert_int_equal(range.range.most, -5);
	add_value(&range, METRIC_NICE, 19);
	add_value(&range, METRIC_NICE, (uint64_t)-20);
	assert_int_equal(range.range.least, -20);
	assert_int_equal(range.range.most, 19);
}

static void a_range_above_0_does_not_begin_at_0(void **state UNUSED)
{
	struct metric_reduced range = { 0 };

	add_unknown(&range, METRIC_PROCESSOR);
	add_value(&range, METRIC_PROCESSOR, 7);
	assert_int_equal(range.range.least, 7);
	assert_int_equal(range.range.most, 7);
}

static void the_most_frequent_label_wins(void **state UNUSED)
{
	struct metric_reduced mode = { 0 };
	struct metric_tally_entry winner;

	add_value(&mode, METRIC_STATE, 'S');
	add_value(&mode, METRIC_STATE, 'R');
	add_value(&mode, METRIC_STATE, 'S');
	add_value(&mode, METRIC_STATE, 'D');
	assert_true(metric_reduced_mode(&mode, METRIC_KIND_STATE, &winner));
	assert_int_equal(winner.value, 'S');
	assert_int_equal(winner.count, 2);
	assert_int_equal(mode.tally.n, 3);
	metric_reduced_deinit(&mode, METRIC_KIND_STATE);
}

/* SCHED_BATCH is 3 and SCHED_FIFO 1: texts are compared, not numbers. */
static void among_equals_the_first_text_wins(void **state UNUSED)
{
	struct metric_reduced policies = { 0 }, flags = { 0 }, letters = { 0 };
	struct metric_tally_entry winner;

	add_value(&policies, METRIC_POLICY, 1);
	add_value(&policies, METRIC_POLICY, 3);
	assert_true(metric_reduced_mode(&policies, METRIC_KIND_POLICY, &winner));
	assert_int_equal(winner.value, 3);
	add_value(&flags, METRIC_EXT_ENABLED, 1);
	add_value(&flags, METRIC_EXT_ENABLED, 0);
	assert_true(metric_reduced_mode(&flags, METRIC_KIND_FLAG, &winner));
	assert_int_equal(winner.value, 0);
	add_value(&letters, METRIC_STATE, 'S');
	add_value(&letters, METRIC_STATE, 'D');
	assert_true(metric_reduced_mode(&letters, METRIC_KIND_STATE, &winner));
	assert_int_equal(winner.value, 'D');
	metric_reduced_deinit(&policies, METRIC_KIND_POLICY);
	metric_reduced_deinit(&flags, METRIC_KIND_FLAG);
	metric_reduced_deinit(&letters, METRIC_KIND_STATE);
}

static void add_cpus(struct metric_reduced *into, uint32_t n, uint32_t list)
{
	struct metric_thread_sample sample = thread_with(METRIC_CPU_AFFINITY, n);

	sample.cpu_affinity = list;
	metric_reduced_add(into, METRIC_CPU_AFFINITY, &sample);
}

static void equal_cpu_sets_stay_known(void **state UNUSED)
{
	struct metric_reduced cpus = { 0 };

	add_cpus(&cpus, 4, 7);
	add_cpus(&cpus, 4, 7);
	assert_int_equal(cpus.cpus.least, 4);
	assert_int_equal(cpus.cpus.most, 4);
	assert_int_equal(cpus.cpus.list, 7);
	add_cpus(&cpus, 4, 8);
	assert_int_equal(cpus.cpus.most, 4);
	assert_int_equal(cpus.cpus.list, METRIC_SAMPLE_NO_ENTRY);
	add_cpus(&cpus, 1, 7);
	assert_int_equal(cpus.cpus.least, 1);
	assert_int_equal(cpus.cpus.list, METRIC_SAMPLE_NO_ENTRY);
}

static void a_reduction_of_unread_values_is_absent(void **state UNUSED)
{
	for (int i = 0; i < METRIC_N; i++) {
		enum metric_kind kind = metric_rows[i].kind;
		struct metric_reduced value = { 0 };
		struct metric_tally_entry entry;
		long double scalar;

		if (kind == METRIC_KIND_TALLY || i == METRIC_NR_THREADS)
			continue;
		add_unknown(&value, (enum metric_id)i);
		assert_true(metric_reduced_is_absent(&value, kind));
		assert_false(metric_reduced_is_zero(&value, kind));
		assert_false(metric_reduced_scalar(&value, kind, &scalar));
		assert_false(metric_reduced_mode(&value, kind, &entry));
		assert_int_equal(value.measured, 0);
		assert_int_equal(value.of, 1);
	}
}

static void one_measured_zero_is_a_zero(void **state UNUSED)
{
	struct metric_reduced sum = { 0 };
	long double scalar = 1;

	add_unknown(&sum, METRIC_RCHAR);
	add_value(&sum, METRIC_RCHAR, 0);
	assert_false(metric_reduced_is_absent(&sum, METRIC_KIND_SUM));
	assert_true(metric_reduced_is_zero(&sum, METRIC_KIND_SUM));
	assert_true(metric_reduced_scalar(&sum, METRIC_KIND_SUM, &scalar));
	assert_true(scalar == 0);
}

static void a_reduced_value_says_how_many_were_measured(void **state UNUSED)
{
	struct metric_reduced sum = { 0 };

	add_value(&sum, METRIC_RCHAR, 10);
	add_unknown(&sum, METRIC_RCHAR);
	add_value(&sum, METRIC_RCHAR, 5);
	assert_int_equal(sum.value, 15);
	assert_int_equal(sum.measured, 2);
	assert_int_equal(sum.of, 3);
}

static void only_leaders_have_a_number_of_threads(void **state UNUSED)
{
	struct metric_reduced gauge = { 0 };
	struct metric_thread_sample leader = thread_with(METRIC_NR_THREADS, 12);

	leader.tid = leader.tgid;
	add_unknown(&gauge, METRIC_NR_THREADS);
	metric_reduced_add(&gauge, METRIC_NR_THREADS, &leader);
	add_unknown(&gauge, METRIC_NR_THREADS);
	assert_int_equal(gauge.value, 12);
	assert_int_equal(gauge.measured, 1);
	assert_int_equal(gauge.of, 1);
}

static void the_scalar_of_a_range_is_its_middle(void **state UNUSED)
{
	struct metric_reduced range = { 0 }, cpus = { 0 }, big = { 0 };
	long double scalar;

	add_value(&range, METRIC_NICE, (uint64_t)-5);
	add_value(&range, METRIC_NICE, 0);
	assert_true(metric_reduced_scalar(&range, METRIC_KIND_ORDINAL, &scalar));
	assert_true(scalar == -2.5L);
	add_cpus(&cpus, 1, 0);
	add_cpus(&cpus, 4, 1);
	assert_true(metric_reduced_scalar(&cpus, METRIC_KIND_CPUSET, &scalar));
	assert_true(scalar == 2.5L);
	/* Exact where a double is not. */
	add_value(&big, METRIC_RUN_TIME_NS, UINT64_MAX - 2);
	assert_true(metric_reduced_scalar(&big, METRIC_KIND_SUM, &scalar));
	assert_true((uint64_t)scalar == UINT64_MAX - 2);
}

/* Which thread comes first does not matter, for any metric. */
static void the_order_of_threads_does_not_matter(void **state UNUSED)
{
	static const uint64_t raw[] = { 3, 0, 9, 3, 2, 3 };

	for (int i = 0; i < METRIC_N; i++) {
		enum metric_id id = (enum metric_id)i;
		enum metric_kind kind = metric_rows[i].kind;
		struct metric_reduced both[2] = { 0 };
		struct metric_tally_entry modes[2];

		for (size_t t = 0; t < 2 * ARRAY_SIZE(raw); t++) {
			size_t from = t < ARRAY_SIZE(raw) ? t : 2 * ARRAY_SIZE(raw) - 1 - t;
			struct metric_thread_sample sample = thread_with(id, raw[from]);

			sample.tid = 1;
			sample.cpu_affinity = (uint32_t)raw[from];
			if (from == 1)
				metric_sample_forget(&sample, id);
			metric_reduced_add(&both[t >= ARRAY_SIZE(raw)], id, &sample);
		}
		assert_int_equal(both[0].measured, both[1].measured);
		assert_int_equal(both[0].of, both[1].of);
		if (metric_reduction(kind) == METRIC_REDUCTION_MODE) {
			assert_int_equal(both[0].tally.n, both[1].tally.n);
			for (int k = 0; k < 2; k++)
				assert_true(metric_reduced_mode(&both[k], kind, &modes[k]));
			assert_memory_equal(&modes[0], &modes[1], sizeof(modes[0]));
			assert_int_equal(modes[0].value, 3);
		} else if (metric_reduction(kind) == METRIC_REDUCTION_CPUS) {
			assert_memory_equal(&both[0].cpus, &both[1].cpus, sizeof(both[0].cpus));
		} else {
			assert_int_equal(both[0].range.least, both[1].range.least);
			if (kind == METRIC_KIND_ORDINAL)
				assert_int_equal(both[0].range.most, both[1].range.most);
		}
		metric_reduced_deinit(&both[0], kind);
		metric_reduced_deinit(&both[1], kind);
	}
}

static void merging_an_absent_value_keeps_the_measured_one(void **state UNUSED)
{
	struct metric_reduced range = { 0 };

	add_unknown(&range, METRIC_NICE);
	assert_true(metric_reduced_is_absent(&range, METRIC_KIND_ORDINAL));
	add_value(&range, METRIC_NICE, 5);
	assert_int_equal(range.range.least, 5);
	assert_int_equal(range.measured, 1);
	assert_int_equal(range.of, 2);
}

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

static void derived_quotients_divide_their_inputs(void **state UNUSED)
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

static void a_derived_value_is_measured_as_often_as_its_rarest_input(void **state UNUSED)
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

static void derived_metrics_have_unique_names_in_two_sections(void **state UNUSED)
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
		cmocka_unit_test(every_kind_has_its_reduction),
		cmocka_unit_test(sums_saturate),
		cmocka_unit_test(threads_are_counted_known_or_not),
		cmocka_unit_test(peaks_and_gauges_keep_the_largest),
		cmocka_unit_test(the_minimum_delay_ignores_zeros),
		cmocka_unit_test(ranges_are_signed),
		cmocka_unit_test(a_range_above_0_does_not_begin_at_0),
		cmocka_unit_test(the_most_frequent_label_wins),
		cmocka_unit_test(among_equals_the_first_text_wins),
		cmocka_unit_test(equal_cpu_sets_stay_known),
		cmocka_unit_test(a_reduction_of_unread_values_is_absent),
		cmocka_unit_test(one_measured_zero_is_a_zero),
		cmocka_unit_test(a_reduced_value_says_how_many_were_measured),
		cmocka_unit_test(only_leaders_have_a_number_of_threads),
		cmocka_unit_test(the_scalar_of_a_range_is_its_middle),
		cmocka_unit_test(the_order_of_threads_does_not_matter),
		cmocka_unit_test(merging_an_absent_value_keeps_the_measured_one),
		cmocka_unit_test(derived_quotients_divide_their_inputs),
		cmocka_unit_test(shares),
		cmocka_unit_test(a_live_heap_may_be_negative_and_is_exact),
		cmocka_unit_test(off_cpu_delays_take_the_larger_of_swapin_and_thrashing),
		cmocka_unit_test(a_derived_value_is_measured_as_often_as_its_rarest_input),
		cmocka_unit_test(derived_metrics_have_unique_names_in_two_sections),
		cmocka_unit_test(formulas_are_printed_from_the_table),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
