// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <time.h>

#include "base/alloc.h"
#include "json/doc.h"
#include "suite/dir.h"
#include "suite/heard.h"
#include "suite/scenario.h"

enum { LONG_MS = 60000 };

static const struct ktstr_test test = {
	.cgroups = { { .name = "idle" },
		     { "a", .work = { KTSTR_WORK_SLEEP, .workers = 2, .sleep_ms = 1 } },
		     { "b", .work = { KTSTR_WORK_BURSTY, .workers = 1, .burst_ms = 1,
				      .sleep_ms = 1 } } },
};

static void every_worker_is_reported(void **state UNUSED)
{
	struct suite_scenario scenario = { 0 };
	struct heard heard;
	unsigned int seen[2] = { 0 }, lines = 0;

	heard_init(&heard);
	assert_success(suite_scenario_start(&scenario, &test, -1, LONG_MS));
	suite_scenario_open_gate(&scenario);
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	suite_scenario_stop(&scenario, LONG_MS, &heard.report);
	for (const char *line = heard_text(&heard); *line; line = strchr(line, '\n') + 1) {
		_cleanup_json_doc_ struct json_doc *doc = NULL;
		const struct json_value *root;
		struct json_text cgroup;
		uint64_t iterations = 0, wall_ns = 0;

		assert_success(json_doc_parse(line, strcspn(line, "\n"), "line", &doc));
		root = json_doc_root(doc);
		cgroup = json_string(json_find(root, "cgroup"));
		assert_true(json_text_is(json_string(json_find(root, "report")), "worker"));
		assert_true(json_text_is(json_string(json_find(root, "end")), "finished"));
		assert_true(json_text_is(json_string(json_find(root, "kind")),
					 json_text_is(cgroup, "a") ? "sleep" : "bursty"));
		assert_true(json_get_u64(json_find(root, "iterations"), &iterations));
		assert_true(json_get_u64(json_find(root, "wall_ns"), &wall_ns));
		assert_true(iterations > 0 && wall_ns > 0);
		seen[json_text_is(cgroup, "b")]++;
		lines++;
	}
	assert_int_equal(lines, 3);
	assert_int_equal(seen[0], 2);
	assert_int_equal(seen[1], 1);
	suite_scenario_deinit(&scenario);
	heard_deinit(&heard);
}

static void workers_of_an_unopened_gate_are_reported_never_started(void **state UNUSED)
{
	struct suite_scenario scenario = { 0 };
	struct heard heard;

	heard_init(&heard);
	assert_success(suite_scenario_start(&scenario, &test, -1, LONG_MS));
	suite_scenario_stop(&scenario, LONG_MS, &heard.report);
	assert_contains(heard_text(&heard), "\"end\":\"never-started\"");
	assert_null(strstr(heard_text(&heard), "finished"));
	suite_scenario_deinit(&scenario);
	heard_deinit(&heard);
}

static void a_scenario_without_work_reports_nothing(void **state UNUSED)
{
	static const struct ktstr_test none = { .cgroups = { { .name = "a" } } };
	struct suite_scenario scenario = { 0 };
	struct heard heard;

	heard_init(&heard);
	assert_success(suite_scenario_start(&scenario, &none, -1, LONG_MS));
	suite_scenario_open_gate(&scenario);
	suite_scenario_stop(&scenario, LONG_MS, &heard.report);
	assert_string_equal(heard_text(&heard), "");
	suite_scenario_deinit(&scenario);
	heard_deinit(&heard);
}

/* The offset of a worker shows when it was started, since its group did nothing else than spin. */
static void check_starts(uint64_t seed, const size_t *order)
{
	static const struct ktstr_test three = {
		.cgroups = { { "a", .work = { KTSTR_WORK_SPIN, .workers = 1 } },
			     { "b", .work = { KTSTR_WORK_SPIN, .workers = 1 } },
			     { "c", .work = { KTSTR_WORK_SPIN, .workers = 1 } } },
	};
	struct suite_scenario scenario = { .seed = seed };

	assert_success(suite_scenario_start(&scenario, &three, -1, LONG_MS));
	assert_int_equal(scenario.n, 3);
	suite_scenario_open_gate(&scenario);
	for (unsigned int i = 0; i < 3; i++) {
		struct work_report r = { 0 };

		assert_ptr_equal(scenario.rows[i].cgroup, &three.cgroups[i]);
		while (r.iterations == 0) {
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
			work_sample(scenario.rows[order[i]].group, 0, &r);
		}
		assert_true(r.sleep_ns == work_start_offset_ns(seed, i));
	}
	suite_scenario_deinit(&scenario);
}

static void without_a_seed_cgroups_start_as_declared(void **state UNUSED)
{
	check_starts(0, (const size_t[]){ 0, 1, 2 });
}

static void a_seed_orders_the_starts_and_reports_stay_as_declared(void **state UNUSED)
{
	size_t order[3] = { 0 };
	uint64_t seed = 0;

	while (order[0] != 2)
		work_start_order(++seed, 3, order);
	check_starts(seed, order);
}

/* As 6.18 prints it, cut short. */
static void write_sched(struct dir *dir, const char *enabled)
{
	_cleanup_free_ char *text = xasprintf("worker (41, #threads: 1)\n"
					      "-------------------------------------------\n"
					      "se.exec_start      :       1234.567890\n"
					      "policy             :                 0\n"
					      "prio               :               120\n"
					      "%s",
					      enabled);

	dir_write(dir, "41/sched", text);
}

#define EXT   "ext.enabled        :                 1\n"
#define OTHER "ext.enabled        :                 0\n"

static void cpu_time_belongs_to_the_class_at_both_ends(void **state UNUSED)
{
	struct suite_class_watch watch = { 0 };
	struct dir dir;

	dir_init(&dir);
	write_sched(&dir, EXT);
	suite_class_watch_sample(&watch, dir.path, 41, 100);
	suite_class_watch_sample(&watch, dir.path, 41, 400);
	write_sched(&dir, OTHER);
	suite_class_watch_sample(&watch, dir.path, 41, 1000);
	suite_class_watch_sample(&watch, dir.path, 41, 1050);
	assert_int_equal(watch.ext_samples, 2);
	assert_int_equal(watch.other_samples, 2);
	/* Of the 600 in between it is not known. */
	assert_int_equal(watch.ext_ns, 300);
	assert_int_equal(watch.other_ns, 50);
	dir_deinit(&dir);
}

static void an_unreadable_sched_file_gives_no_class_sample(void **state UNUSED)
{
	struct suite_class_watch watch = { 0 };
	struct dir dir;

	dir_init(&dir);
	suite_class_watch_sample(&watch, dir.path, 41, 100);
	write_sched(&dir, "");
	suite_class_watch_sample(&watch, dir.path, 41, 200);
	assert_int_equal(watch.ext_samples + watch.other_samples, 0);
	dir_deinit(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_worker_is_reported),
		cmocka_unit_test(workers_of_an_unopened_gate_are_reported_never_started),
		cmocka_unit_test(a_scenario_without_work_reports_nothing),
		cmocka_unit_test(without_a_seed_cgroups_start_as_declared),
		cmocka_unit_test(a_seed_orders_the_starts_and_reports_stay_as_declared),
		cmocka_unit_test(cpu_time_belongs_to_the_class_at_both_ends),
		cmocka_unit_test(an_unreadable_sched_file_gives_no_class_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
