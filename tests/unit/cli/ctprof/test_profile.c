// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/show.h"

#include "made_profile.h"

static void assert_order(struct made *m, const char *sort, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_success(spec_parse_sort(sort, &m->options.sort));
	made_show(m);
	for (size_t i = 0; i < m->profile.n_groups; i++) {
		strbuf_append(&text, i ? " " : "");
		profile_format_label(&m->profile, &m->profile.grouping.groups.at[i]->key, &text);
	}
	assert_string_equal(strbuf_str(&text), expected);
	profile_deinit(&m->profile);
}

static void groups_are_in_the_order_that_was_asked_for(void **state UNUSED)
{
	struct made m;

	made_begin(&m);
	m.options.rules.axis = CTPROF_GROUP_AXIS_PROCESS;
	assert_order(&m, "", "db[9] web-1[10] web-2[20]");
	assert_order(&m, "run_time_ns", "web-1[10] web-2[20] db[9]");
	assert_order(&m, "run_time_ns:asc", "db[9] web-2[20] web-1[10]");
	/* Derived metrics sort, too: 0.25, 0.25, 1. Ties go by key. */
	assert_order(&m, "cpu_efficiency", "web-2[20] db[9] web-1[10]");
	assert_order(&m, "cpu_efficiency:asc,run_time_ns", "web-1[10] db[9] web-2[20]");
	/* The middle of -5..-5, 0..0 and 10..10. */
	assert_order(&m, "nice", "web-2[20] web-1[10] db[9]");
	made_end(&m);
}

static void absent_values_sort_last_in_both_directions(void **state UNUSED)
{
	struct made m;

	made_begin(&m);
	m.options.rules.axis = CTPROF_GROUP_AXIS_PROCESS;
	assert_order(&m, "rchar", "db[9] web-1[10] web-2[20]");
	assert_order(&m, "rchar:asc", "db[9] web-1[10] web-2[20]");
	assert_order(&m, "cpu_affinity", "web-2[20] db[9] web-1[10]");
	assert_order(&m, "cpu_affinity:asc", "web-2[20] db[9] web-1[10]");
	made_end(&m);
}

static void top_limits_the_shown_groups_and_keeps_the_count_of_all(void **state UNUSED)
{
	struct made m;

	made_begin(&m);
	m.options.rules.axis = CTPROF_GROUP_AXIS_PROCESS;
	m.options.top = 2;
	assert_success(spec_parse_sort("run_time_ns", &m.options.sort));
	made_show(&m);
	assert_int_equal(m.profile.n_groups, 2);
	assert_int_equal(m.profile.grouping.groups.n, 3);
	made_end(&m);
}

static void sections_and_metrics_choose_together(void **state UNUSED)
{
	struct made m;

	made_begin(&m);
	assert_success(spec_parse_sections("taskstats-delay,derived", &m.options.sections));
	made_show(&m);
	assert_false(profile_wants(&m.profile, METRIC_RUN_TIME_NS));
	assert_true(profile_wants(&m.profile, METRIC_CPU_DELAY_COUNT));
	assert_true(profile_wants(&m.profile, METRIC_HIWATER_RSS_BYTES));
	assert_true(profile_wants(&m.profile, METRIC_N + METRIC_DERIVED_AVG_WAIT_NS));
	assert_true(profile_wants(&m.profile, METRIC_N + METRIC_DERIVED_AVG_CPU_DELAY_NS));
	assert_success(spec_parse_metrics("avg_wait_ns,run_time_ns", &m.options.metrics));
	assert_true(profile_wants(&m.profile, METRIC_N + METRIC_DERIVED_AVG_WAIT_NS));
	assert_false(profile_wants(&m.profile, METRIC_RUN_TIME_NS));
	assert_false(profile_wants(&m.profile, METRIC_CPU_DELAY_COUNT));
	made_end(&m);
}

static void single_threads_are_found_by_number_name_pattern_and_label(void **state UNUSED)
{
	static const struct {
		const char *pattern, *tids;
	} rows[] = {
		{ "9", "9 " },
		{ "10", "10 11 " },
		{ "11", "11 " },
		{ "pool-1", "11 " },
		{ "web-*", "10 11 20 " },
		{ "*-1", "10 11 " },
		{ "pool-{N}", "11 " },
		{ "web-{N}", "10 11 20 " },
		{ "web-1[10]", "10 11 " },
		{ "pool-1[11]", "11 " },
		{ "web-[2]", "20 " },
		{ "web", "" },
		{ "", "" },
		{ "99", "" },
		{ "WEB-1", "" },
	};
	struct made m;

	made_begin(&m);
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		_cleanup_strbuf_ struct strbuf found = STRBUF_INIT;

		for (size_t i = 0; i < m.snapshot.threads.n; i++) {
			if (profile_thread_matches(rows[r].pattern, &m.snapshot,
						   &m.snapshot.threads.at[i]))
				strbuf_appendf(&found, "%u ", m.snapshot.threads.at[i].tid);
		}
		if (strcmp(strbuf_str(&found), rows[r].tids) != 0)
			fail_msg("%s found %s", rows[r].pattern, strbuf_str(&found));
	}
	ctprof_snapshot_origin_deinit(&m.origin);
	ctprof_snapshot_deinit(&m.snapshot);
}

static void only_matching_threads_are_shown_each_alone(void **state UNUSED)
{
	struct made m;

	made_begin(&m);
	m.options.rules.axis = CTPROF_GROUP_AXIS_THREAD;
	m.options.threads = "web-1";
	assert_order(&m, "", "web-1[10]/pool-1[11] web-1[10]/web-1[10]");
	made_end(&m);
}

static void cgroups_come_in_the_order_of_the_groups(void **state UNUSED)
{
	struct made m;

	made_begin(&m);
	add_cgroup(&m.snapshot, "/s/db.scope");
	add_cgroup(&m.snapshot, "/s/nobody.scope");
	add_cgroup(&m.snapshot, "/s/web@1.service");
	m.options.rules.axis = CTPROF_GROUP_AXIS_CGROUP;
	assert_success(spec_parse_sort("run_time_ns", &m.options.sort));
	made_show(&m);
	assert_int_equal(m.profile.cgroups.rows.n, 2);
	assert_string_equal(intern_text(ctprof_group_keys_texts(m.profile.keys),
					m.profile.cgroups.rows.at[0].key),
			    "/s/web@{I}.service");
	made_end(&m);
}

static void a_group_without_a_name_is_a_dash(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct made m;

	made_begin(&m);
	made_show(&m);
	profile_format_label(&m.profile, &(struct ctprof_group_key){ 0 }, &text);
	assert_string_equal(strbuf_str(&text), "-");
	made_end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_are_in_the_order_that_was_asked_for),
		cmocka_unit_test(absent_values_sort_last_in_both_directions),
		cmocka_unit_test(top_limits_the_shown_groups_and_keeps_the_count_of_all),
		cmocka_unit_test(sections_and_metrics_choose_together),
		cmocka_unit_test(single_threads_are_found_by_number_name_pattern_and_label),
		cmocka_unit_test(only_matching_threads_are_shown_each_alone),
		cmocka_unit_test(cgroups_come_in_the_order_of_the_groups),
		cmocka_unit_test(a_group_without_a_name_is_a_dash),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
