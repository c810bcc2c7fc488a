// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <time.h>

#include "json/doc.h"
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

static void a_gate_that_was_never_opened_is_told(void **state UNUSED)
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

static void no_work_is_fine(void **state UNUSED)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_worker_is_reported),
		cmocka_unit_test(a_gate_that_was_never_opened_is_told),
		cmocka_unit_test(no_work_is_fine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
