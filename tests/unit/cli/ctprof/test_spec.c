// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/show.h"

#include "unit.h"

static void assert_says(struct error *err, const char *words)
{
	assert_non_null(err);
	assert_string_equal(error_tag(err), "usage");
	assert_contains(error_message(err), words);
	error_free(err);
}

static void metrics_are_chosen_in_the_order_they_are_named(void **state UNUSED)
{
	struct metric_choice choice = { 0 };

	assert_success(spec_parse_metrics(" wait_sum , run_time_ns,cpu_efficiency ", &choice));
	assert_int_equal(choice.n, 3);
	assert_true(choice.chosen[METRIC_WAIT_SUM]);
	assert_true(choice.chosen[METRIC_RUN_TIME_NS]);
	assert_true(choice.chosen[METRIC_N + METRIC_DERIVED_CPU_EFFICIENCY]);
	assert_false(choice.chosen[METRIC_WAIT_COUNT]);
	assert_int_equal(choice.order[0], METRIC_WAIT_SUM);
	assert_int_equal(choice.order[2], METRIC_N + METRIC_DERIVED_CPU_EFFICIENCY);
}

static uint32_t sources_of(const char *text)
{
	struct metric_choice choice;

	assert_success(spec_parse_metrics(text, &choice));
	return spec_sources(&choice);
}

static void chosen_metrics_select_their_sources_plus_comm_and_stat(void **state UNUSED)
{
	const uint32_t who = METRIC_SOURCE_BIT(COMM) | METRIC_SOURCE_BIT(STAT);

	assert_int_equal(sources_of(""), METRIC_ALL_SOURCES);
	assert_int_equal(sources_of("thread_count"), who);
	assert_int_equal(sources_of("minflt,utime_clock_ticks"), who);
	assert_int_equal(sources_of("rchar,state,wait_sum"), who | METRIC_SOURCE_BIT(IO) |
								     METRIC_SOURCE_BIT(STATUS) |
								     METRIC_SOURCE_BIT(SCHED));
	assert_int_equal(sources_of("cpu_affinity"), who | METRIC_SOURCE_BIT(AFFINITY));
	/* All that a derived one is made of. */
	assert_int_equal(sources_of("cpu_efficiency"), who | METRIC_SOURCE_BIT(SCHEDSTAT));
	assert_int_equal(sources_of("total_offcpu_delay_ns"),
			 who | METRIC_SOURCE_BIT(DELAY_CPU) | METRIC_SOURCE_BIT(DELAY_BLOCK));
}

static void an_empty_specification_chooses_nothing(void **state UNUSED)
{
	struct metric_choice choice = { .n = 7 };
	struct section_choice sections = { .n = 7 };
	struct sort_order order = { .n = 7 };

	assert_success(spec_parse_metrics("", &choice));
	assert_success(spec_parse_sections("  ", &sections));
	assert_success(spec_parse_sort("", &order));
	assert_int_equal(choice.n + sections.n + order.n, 0);
}

static void an_empty_word_is_an_error(void **state UNUSED)
{
	struct metric_choice choice = { .n = 7 };
	struct section_choice sections;
	struct sort_order order;

	assert_says(spec_parse_metrics("nice,,policy", &choice), "empty word");
	assert_says(spec_parse_metrics("nice, ", &choice), "--metrics: there is an empty word");
	assert_says(spec_parse_metrics(",nice", &choice), "empty word");
	assert_says(spec_parse_sections("primary,", &sections), "--sections");
	assert_says(spec_parse_sort(",", &order), "--sort-by");
	/* Nothing is written when it fails. */
	assert_int_equal(choice.n, 7);
}

static void a_word_twice_is_an_error(void **state UNUSED)
{
	struct metric_choice choice;
	struct section_choice sections;
	struct sort_order order;

	assert_says(spec_parse_metrics("nice,nice", &choice), "--metrics: 'nice' is named twice");
	assert_says(spec_parse_sections("primary,PRIMARY", &sections), "named twice");
	assert_says(spec_parse_sort("run_time_ns:asc,run_time_ns:desc", &order), "named twice");
}

static void an_unknown_metric_gets_a_suggestion_or_the_whole_list(void **state UNUSED)
{
	struct metric_choice choice;

	assert_says(spec_parse_metrics("wait_summ", &choice), "did you mean 'wait_sum'?");
	assert_says(spec_parse_metrics("qqqqqqqq", &choice), "there is no metric 'qqqqqqqq'");
	/* All of them, in the order of letters. */
	assert_says(spec_parse_metrics("qqqqqqqq", &choice),
		    "there are affine_success_ratio, allocated_bytes, avg_blkio_delay_ns");
	assert_says(spec_parse_metrics("qqqqqqqq", &choice), ", wchar, ");
	/* Names are case-sensitive and come without tags. */
	assert_says(spec_parse_metrics("NICE", &choice), "no metric 'NICE'");
	assert_says(spec_parse_metrics("wait_sum[non-ext]", &choice), "no metric");
}

static void sections_are_found_in_any_case(void **state UNUSED)
{
	struct section_choice sections = { 0 };

	assert_true(section_is_chosen(&sections, METRIC_SECTION_PRESSURE));
	assert_success(spec_parse_sections("Primary, SCHED-EXT", &sections));
	assert_int_equal(sections.n, 2);
	assert_true(section_is_chosen(&sections, METRIC_SECTION_PRIMARY));
	assert_true(section_is_chosen(&sections, METRIC_SECTION_SCHED_EXT));
	assert_false(section_is_chosen(&sections, METRIC_SECTION_PRESSURE));
	assert_says(spec_parse_sections("primari", &sections),
		    "there is no section 'primari'; there are primary, taskstats-delay, derived, "
		    "cgroup-stats, cgroup-limits, memory-stat, memory-events, pressure, "
		    "host-pressure, smaps-rollup, sched-ext");
}

static void sorting_is_descending_unless_said(void **state UNUSED)
{
	struct sort_order order;

	assert_success(spec_parse_sort("run_time_ns, nice : ASC ,cpu_efficiency:desc", &order));
	assert_int_equal(order.n, 3);
	assert_int_equal(order.terms[0].metric, METRIC_RUN_TIME_NS);
	assert_false(order.terms[0].ascending);
	assert_int_equal(order.terms[1].metric, METRIC_NICE);
	assert_true(order.terms[1].ascending);
	assert_int_equal(order.terms[2].metric, METRIC_N + METRIC_DERIVED_CPU_EFFICIENCY);
	assert_false(order.terms[2].ascending);
}

static void wrong_sorting_is_refused(void **state UNUSED)
{
	struct sort_order order;

	assert_says(spec_parse_sort("run_time_ns:up", &order), "'up' is not a direction");
	assert_says(spec_parse_sort("run_time_ns:", &order), "'' is not a direction");
	assert_says(spec_parse_sort("policy", &order), "'policy' is a label and has no order");
	assert_says(spec_parse_sort("state:asc", &order), "label");
	assert_says(spec_parse_sort("ext_enabled", &order), "label");
	assert_says(spec_parse_sort("run_tim_ns", &order), "did you mean 'run_time_ns'?");
}

static void every_name_is_found_at_its_place(void **state UNUSED)
{
	for (size_t i = 0; i < N_SPEC_METRICS; i++) {
		size_t found;

		assert_true(spec_metric_find(spec_metric_name(i), &found));
		assert_int_equal(found, i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metrics_are_chosen_in_the_order_they_are_named),
		cmocka_unit_test(chosen_metrics_select_their_sources_plus_comm_and_stat),
		cmocka_unit_test(an_empty_specification_chooses_nothing),
		cmocka_unit_test(an_empty_word_is_an_error),
		cmocka_unit_test(a_word_twice_is_an_error),
		cmocka_unit_test(an_unknown_metric_gets_a_suggestion_or_the_whole_list),
		cmocka_unit_test(sections_are_found_in_any_case),
		cmocka_unit_test(sorting_is_descending_unless_said),
		cmocka_unit_test(wrong_sorting_is_refused),
		cmocka_unit_test(every_name_is_found_at_its_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
