// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/walk/thread.h"

#include "unit.h"

static void names_and_lists_stand_once(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;
	_cleanup_procfs_cpu_ids_ struct procfs_cpu_ids ids = { VEC_INIT };
	struct ctprof_walk_tables tables;
	uint32_t first;

	ctprof_snapshot_init(&snapshot);
	ctprof_walk_tables_init(&tables, &snapshot);
	first = ctprof_walk_tables_add_string(&tables, (struct slice){ "worker and more", 6 });
	assert_string_equal(intern_text(&snapshot.strings, first), "worker");
	assert_int_equal(ctprof_walk_tables_add_string(&tables, (struct slice){ "worker", 6 }),
			 first);
	assert_true(procfs_cpu_list_parse("0-1", 3, &ids));
	first = ctprof_walk_tables_add_cpus(&tables, &ids);
	assert_true(procfs_cpu_list_parse("1,0", 3, &ids));
	assert_int_equal(ctprof_walk_tables_add_cpus(&tables, &ids), first);
	assert_int_equal(snapshot.cpu_lists.n, 1);
	ctprof_walk_tables_deinit(&tables);
}

static void tables_of_memory_are_kept_apart(void **state UNUSED)
{
	static const char one[] = "Rss: 1 kB\nPss: 2 kB\n", other[] = "Rss: 3 kB\n";
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;
	struct ctprof_walk_tables tables;
	uint32_t first = 7, second = 7;

	ctprof_snapshot_init(&snapshot);
	ctprof_walk_tables_init(&tables, &snapshot);
	assert_false(ctprof_walk_tables_add_smaps(&tables, "x\n", 2, &first));
	assert_int_equal(first, 7);
	assert_true(ctprof_walk_tables_add_smaps(&tables, one, strlen(one), &first));
	assert_true(ctprof_walk_tables_add_smaps(&tables, other, strlen(other), &second));
	assert_int_equal(snapshot.smaps.n, 2);
	assert_int_equal(snapshot.smaps.at[first].rows.n, 2);
	assert_int_equal(snapshot.smaps.at[first].rows.at[0].value, 1);
	assert_int_equal(snapshot.smaps.at[second].rows.n, 1);
	assert_int_equal(snapshot.smaps.at[second].rows.at[0].value, 3);
	ctprof_walk_tables_deinit(&tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_lists_stand_once),
		cmocka_unit_test(tables_of_memory_are_kept_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
