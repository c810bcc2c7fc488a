// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/show.h"

#include "made_profile.h"

static struct row number(const char *name, uint32_t cgroup, uint64_t value)
{
	return (struct row){ .section = METRIC_SECTION_CGROUP_STATS,
			     .key = { .cgroup = cgroup },
			     .name = name,
			     .state = ROW_NUMBER,
			     .number = value };
}

static void columns_and_groups_that_say_nothing_are_left_out(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_columns_ struct columns shown;
	struct row rows[6];
	uint32_t a, b, c;
	struct made m;

	made_begin(&m);
	m.options.rules.axis = CTPROF_GROUP_AXIS_CGROUP;
	made_show(&m);
	a = m.profile.grouping.groups.at[0]->key.cgroup;
	b = m.profile.grouping.groups.at[1]->key.cgroup;
	c = 0;
	rows[0] = number("cpu_usage_usec", a, 5);
	rows[1] = number("nr_throttled", a, 0);
	rows[2] = number("cpu_usage_usec", b, 0);
	rows[3] = number("memory_current", b, 7);
	rows[4] = number("cpu_usage_usec", c, 0);
	rows[5] = number("not_a_column", c, 9);
	assert_true(columns_of_section(&shown, METRIC_SECTION_CGROUP_STATS));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		columns_add(&shown, &m.profile, &rows[i]);
	columns_format(&shown, &(struct text_look){ 0 }, false, &text);
	assert_string_equal(strbuf_str(&text),
			    "CGROUP              cpu_usage_usec  memory_current\n"
			    "/s/db.scope                      5               -\n"
			    "/s/web@{I}.service               0               7\n");
	made_end(&m);
}

static void a_table_of_zeros_only_is_not_printed(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_columns_ struct columns shown;
	struct row row = number("cpu_usage_usec", 0, 0);
	struct made m;

	made_begin(&m);
	made_show(&m);
	assert_true(columns_of_section(&shown, METRIC_SECTION_CGROUP_STATS));
	columns_add(&shown, &m.profile, &row);
	columns_format(&shown, &(struct text_look){ 0 }, false, &text);
	assert_string_equal(strbuf_str(&text), "");
	made_end(&m);
}

static void only_sections_of_few_metrics_are_shown_as_columns(void **state UNUSED)
{
	struct columns shown;

	assert_false(columns_of_section(&shown, METRIC_SECTION_MEMORY_STAT));
	assert_false(columns_of_section(&shown, METRIC_SECTION_HOST_PRESSURE));
	assert_true(columns_of_section(&shown, METRIC_SECTION_SMAPS_ROLLUP));
	assert_true(columns_of_section(&shown, METRIC_SECTION_CGROUP_LIMITS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_and_groups_that_say_nothing_are_left_out),
		cmocka_unit_test(a_table_of_zeros_only_is_not_printed),
		cmocka_unit_test(only_sections_of_few_metrics_are_shown_as_columns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
