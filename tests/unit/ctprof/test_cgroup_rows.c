// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/cgroup_rows.h"

#include <string.h>

#include "unit.h"

static void memory_stat_gauges_are_separated_from_counters(void **state UNUSED)
{
	assert_true(ctprof_memory_stat_is_gauge("anon"));
	assert_true(ctprof_memory_stat_is_gauge("slab_unreclaimable"));
	assert_true(ctprof_memory_stat_is_gauge("hugetlb"));
	assert_false(ctprof_memory_stat_is_gauge("pgfault"));
	assert_false(ctprof_memory_stat_is_gauge("workingset_refault_anon"));
	assert_false(ctprof_memory_stat_is_gauge("a_key_of_tomorrow"));
}

static void every_row_has_its_own_place_and_name(void **state UNUSED)
{
	for (size_t i = 0; i < CTPROF_N_CGROUP_ROWS; i++) {
		assert_true(*ctprof_cgroup_rows[i].description && *ctprof_cgroup_rows[i].file);
		for (size_t k = 0; k < i; k++) {
			assert_string_not_equal(ctprof_cgroup_rows[i].path,
						ctprof_cgroup_rows[k].path);
			assert_string_not_equal(ctprof_cgroup_rows[i].name,
						ctprof_cgroup_rows[k].name);
			assert_true(ctprof_cgroup_rows[i].offset != ctprof_cgroup_rows[k].offset);
		}
	}
}

/* procfs_cgroup_stats_read() reads a file once for the rows that stand together. */
static void rows_of_one_cgroup_file_are_adjacent(void **state UNUSED)
{
	for (size_t i = 1; i < CTPROF_N_CGROUP_ROWS; i++)
		for (size_t k = 0; k + 1 < i; k++)
			if (strcmp(ctprof_cgroup_rows[i].file, ctprof_cgroup_rows[i - 1].file) != 0)
				assert_string_not_equal(ctprof_cgroup_rows[i].file,
							ctprof_cgroup_rows[k].file);
}

static void lines_of_tables_have_units(void **state UNUSED)
{
	for (size_t i = 0; i < CTPROF_N_CGROUP_ROWS; i++) {
		const struct ctprof_cgroup_row *row = &ctprof_cgroup_rows[i];

		if (strcmp(row->path, "memory.stat") == 0) {
			assert_int_equal(ctprof_cgroup_row_unit(row, "anon"), METRIC_UNIT_BYTES);
			assert_int_equal(ctprof_cgroup_row_unit(row, "pgfault"), METRIC_UNIT_COUNT);
		}
		if (strcmp(row->path, "io.stat") == 0) {
			assert_int_equal(ctprof_cgroup_row_unit(row, "rbytes"), METRIC_UNIT_BYTES);
			assert_int_equal(ctprof_cgroup_row_unit(row, "rios"), METRIC_UNIT_COUNT);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_stat_gauges_are_separated_from_counters),
		cmocka_unit_test(every_row_has_its_own_place_and_name),
		cmocka_unit_test(rows_of_one_cgroup_file_are_adjacent),
		cmocka_unit_test(lines_of_tables_have_units),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
