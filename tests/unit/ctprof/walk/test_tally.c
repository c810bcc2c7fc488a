// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/walk/thread.h"

#include "unit.h"

/* Failures by source, as many times. */
static void summarise(uint64_t schedstat, uint64_t io, uint64_t status, uint64_t cgroup,
		      struct ctprof_snapshot *ret)
{
	struct ctprof_walk_tally tally = { .tids_walked = 9 };

	tally.failures[METRIC_SOURCE_SCHEDSTAT] = schedstat;
	tally.failures[METRIC_SOURCE_IO] = io;
	tally.failures[METRIC_SOURCE_STATUS] = status;
	tally.failures[METRIC_SOURCE_CGROUP] = cgroup;
	tally.negative_times = 2;
	ctprof_snapshot_init(ret);
	ret->parse.negative_dotted_values = 3;
	ctprof_walk_tally_summarise(&tally, ret);
}

static void dominant_is(struct ctprof_snapshot *snapshot, const char *word, bool by_configuration)
{
	assert_true(snapshot->parse.known);
	assert_string_equal(intern_text(&snapshot->strings, snapshot->parse.dominant_read_failure),
			    word);
	assert_int_equal(snapshot->parse.kernel_config_dominant, by_configuration);
	ctprof_snapshot_deinit(snapshot);
}

static void the_file_that_failed_most_is_named(void **state UNUSED)
{
	struct ctprof_snapshot snapshot;

	summarise(1, 0, 5, 4, &snapshot);
	assert_int_equal(snapshot.parse.read_failures, 10);
	assert_int_equal(snapshot.parse.read_failures_by_source[METRIC_SOURCE_STATUS], 5);
	assert_int_equal(snapshot.parse.tids_walked, 9);
	assert_int_equal(snapshot.parse.negative_dotted_values, 5);
	dominant_is(&snapshot, "status", false);
	summarise(0, 0, 0, 0, &snapshot);
	dominant_is(&snapshot, "", false);
}

static void of_equal_files_the_first_in_the_alphabet(void **state UNUSED)
{
	struct ctprof_snapshot snapshot;

	summarise(0, 3, 3, 0, &snapshot);
	dominant_is(&snapshot, "io", true);
	summarise(3, 3, 3, 3, &snapshot);
	dominant_is(&snapshot, "cgroup", true);
}

static void config_failures_dominate_from_half_of_all(void **state UNUSED)
{
	struct ctprof_snapshot snapshot;

	summarise(1, 1, 2, 0, &snapshot);
	dominant_is(&snapshot, "status", true);
	summarise(1, 1, 3, 0, &snapshot);
	dominant_is(&snapshot, "status", false);
}

static void notes_are_counted_when_committed(void **state UNUSED)
{
	struct ctprof_walk_notes notes = { .negative_times = 2 };
	struct ctprof_walk_tally tally = { 0 }, all = { .tids_walked = 1 };

	ctprof_walk_notes_unreadable(&notes, METRIC_SOURCE_IO,
				     CTPROF_SNAPSHOT_REASON_NO_PERMISSION);
	ctprof_walk_notes_absent(&notes, METRIC_SOURCE_SCHED, CTPROF_SNAPSHOT_REASON_MALFORMED);
	ctprof_walk_notes_unreadable(&notes, METRIC_SOURCE_COMM, CTPROF_SNAPSHOT_REASON_VANISHED);
	ctprof_walk_tally_commit(&tally, &notes);
	assert_int_equal(tally.failures[METRIC_SOURCE_IO], 1);
	assert_int_equal(tally.failures[METRIC_SOURCE_SCHED], 0);
	/* Names never count. */
	assert_int_equal(tally.failures[METRIC_SOURCE_COMM], 0);
	assert_int_equal(tally.reasons[METRIC_SOURCE_IO][CTPROF_SNAPSHOT_REASON_NO_PERMISSION], 1);
	assert_int_equal(tally.reasons[METRIC_SOURCE_SCHED][CTPROF_SNAPSHOT_REASON_MALFORMED], 1);
	assert_int_equal(tally.reasons[METRIC_SOURCE_COMM][CTPROF_SNAPSHOT_REASON_VANISHED], 1);
	ctprof_walk_tally_add(&all, &tally);
	ctprof_walk_tally_add(&all, &tally);
	assert_int_equal(all.tids_walked, 1);
	assert_int_equal(all.negative_times, 4);
	assert_int_equal(all.failures[METRIC_SOURCE_IO], 2);
	assert_int_equal(all.reasons[METRIC_SOURCE_SCHED][CTPROF_SNAPSHOT_REASON_MALFORMED], 2);
}

static void equal_names_and_cpu_lists_are_stored_once(void **state UNUSED)
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

static void smaps_of_each_process_are_stored_separately(void **state UNUSED)
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
		cmocka_unit_test(the_file_that_failed_most_is_named),
		cmocka_unit_test(of_equal_files_the_first_in_the_alphabet),
		cmocka_unit_test(config_failures_dominate_from_half_of_all),
		cmocka_unit_test(notes_are_counted_when_committed),
		cmocka_unit_test(equal_names_and_cpu_lists_are_stored_once),
		cmocka_unit_test(smaps_of_each_process_are_stored_separately),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
