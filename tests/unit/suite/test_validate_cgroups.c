// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "suite/declared.h"

#define SPIN(n) { KTSTR_WORK_SPIN, .workers = (n) }

static void nothing(struct ktstr_ctx *ctx UNUSED)
{
}

static const struct {
	struct ktstr_test test;
	const char *expected; /* NULL: all is well */
} rows[] = {
	{ { .cgroups = { { .name = "a-b_C9" }, { .name = "b" } } }, NULL },
	{ { .cgroups = { [0 ... KTSTR_MAX_CGROUPS] = { .name = "x" } } },
	  "cgroups: too many rows, at most 15 are possible" },
	{ { .run = nothing, .cgroups = { [3] = { .name = "x" } } },
	  "cgroups[3] has no name, or comes after a row without one" },
	{ { .run = nothing, .cgroups = { { .work = SPIN(2) } } },
	  "cgroups[0] has no name, or comes after a row without one" },
	{ { .cgroups = { { .name = "" } } },
	  "cgroups[0]: \"\" is not a name for a cgroup: letters, digits, _ and - are allowed" },
	{ { .cgroups = { { .name = "a/b" } } },
	  "cgroups[0]: \"a/b\" is not a name for a cgroup: letters, digits, _ and - are allowed" },
	{ { .cgroups = { { .name = ".." } } },
	  "cgroups[0]: \"..\" is not a name for a cgroup: letters, digits, _ and - are allowed" },
	{ { .cgroups = { { .name = "cgroup.procs" } } },
	  "cgroups[0]: \"cgroup.procs\" is not a name for a cgroup: letters, digits, _ and - are "
	  "allowed" },
	{ { .cgroups = { { .name = "a" }, { .name = "b" }, { .name = "a" } } },
	  "cgroups[2]: the name \"a\" is taken by cgroups[0]" },

	{ { .cgroups = { { "a", .cpus = KTSTR_LLC(0) } } }, NULL },
	{ { .cgroups = { { "a", .cpus = KTSTR_LLC(1) } } },
	  "cgroup a: LLC 1, but the machine's last one is 0" },
	{ { .topology = { .llcs = 2 }, .cgroups = { { "a", .cpus = KTSTR_NODE(1) } } },
	  "cgroup a: node 1, but the machine's last one is 0" },
	{ { .topology = { .nodes = 2, .llcs = 2 }, .cgroups = { { "a", .cpus = KTSTR_NODE(1) } } },
	  NULL },
	{ { .cgroups = { { "a", .cpus = KTSTR_CPUS(0, 1) } } }, NULL },
	{ { .cgroups = { { "a", .cpus = KTSTR_CPUS(0, 2) } } },
	  "cgroup a: CPU 2, but the machine's last one is 1" },
	{ { .cgroups = { { "a", .cpus = KTSTR_CPUS(1, 0) } } },
	  "cgroup a: the range of CPUs 1 to 0 is empty" },
	{ { .cgroups = { { "a", .cpus = { .kind = 9 } } } }, "cgroup a: 9 is not a kind of CPUs" },

	{ { .cgroups = { { "a", .work = { .workers = 2 } } } }, "cgroup a: work without its kind" },
	{ { .cgroups = { { "a", .work = { .kind = 9 } } } }, "cgroup a: 9 is not a kind of work" },
	{ { .cgroups = { { "a", .work = { KTSTR_WORK_SPIN, .burst_ms = 5 } } } },
	  "cgroup a: burst_ms has no effect on the work \"spin\"" },
	{ { .cgroups = { { "a", .work = { KTSTR_WORK_SLEEP, .burst_ms = 5 } } } },
	  "cgroup a: burst_ms has no effect on the work \"sleep\"" },
	{ { .cgroups = { { "a", .work = { KTSTR_WORK_YIELD, .sleep_ms = 5 } } } },
	  "cgroup a: sleep_ms has no effect on the work \"yield\"" },
	{ { .cgroups = { { "a", .work = { KTSTR_WORK_BURSTY, .burst_ms = 1, .sleep_ms = 5 } } } },
	  NULL },
	{ { .cgroups = { { "a", .work = { KTSTR_WORK_SLEEP, .sleep_ms = 3600001 } } } },
	  "cgroup a: sleep_ms is 3600001, at most 3600000 is possible" },
	{ { .cgroups = { { "a", .work = SPIN(4000) }, { "b", .work = SPIN(97) } } },
	  "4097 workers, at most 4096 are possible" },

	{ { .cgroups = { { .name = "a" } }, .checks = { .isolation = KTSTR_REQUIRED } },
	  "checks.isolation: no cgroup has work that could be checked" },
	{ { .run = nothing, .checks = { .progress = KTSTR_REQUIRED } },
	  "checks.progress: no cgroup has work that could be checked" },
	{ { .run = nothing, .checks = { .progress = KTSTR_OFF } }, NULL },
	{ { .run = nothing, .checks = { .scheduler_alive = KTSTR_REQUIRED } },
	  "checks.scheduler_alive: there is no scheduler to be checked" },
	{ { .run = nothing, .checks = { .progress = 7 } },
	  "checks.progress: 7 is neither REQUIRED nor OFF" },
	{ { .cgroups = { { "a", .work = SPIN(2) } },
	    .checks = { .max_spread_pct = KTSTR_AT_MOST(101) } },
	  "checks.max_spread_pct: 101 is not a percentage" },
	{ { .cgroups = { { "a", .work = SPIN(2) } },
	    .checks = { .max_spread_pct = KTSTR_AT_MOST(__builtin_nan("")) } },
	  "checks.max_spread_pct: nan is not a percentage" },
	{ { .cgroups = { { "a", .work = SPIN(1) }, { "b", .work = SPIN(1) } },
	    .checks = { .max_spread_pct = KTSTR_AT_MOST(10) } },
	  "checks.max_spread_pct: no cgroup has two workers to compare" },
	{ { .cgroups = { { "a", .work = SPIN(1) } }, .checks = { .max_gap_ms = KTSTR_AT_MOST(0) } },
	  "checks.max_gap_ms: 0 is not a possible time" },
	{ { .cgroups = { { .name = "a" } }, .checks = { .max_gap_ms = KTSTR_AT_MOST(5) } },
	  "checks.max_gap_ms: no cgroup has work that could be checked" },
	{ { .cgroups = { { "a", .work = SPIN(1) } },
	    .checks = { .max_gap_ms = KTSTR_AT_LEAST(5) } },
	  "checks.max_gap_ms: AT_LEAST(5), but it is an upper limit: use AT_MOST(5)" },
	{ { .cgroups = { { "a", .work = SPIN(2) } },
	    .checks = { .max_spread_pct = KTSTR_AT_LEAST(50) } },
	  "checks.max_spread_pct: AT_LEAST(50), but it is an upper limit: use AT_MOST(50)" },
	{ { .cgroups = { { "a", .work = SPIN(2) } },
	    .checks = { .max_spread_pct = KTSTR_AT_MOST(50), .max_gap_ms = KTSTR_AT_MOST(5) } },
	  NULL },
};

static void every_mistake_is_told(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct ktstr_entry entry = { "name", "t.c", 7, &rows[i].test };
		const struct ktstr_entry *const one[] = { &entry };
		_cleanup_suite_entry_list_ struct suite_entry_list list = { 0 };
		_cleanup_strbuf_ struct strbuf mistakes = STRBUF_INIT, expected = STRBUF_INIT;

		if (rows[i].expected)
			strbuf_appendf(&expected, "t.c:7: name: %s\n", rows[i].expected);
		suite_entries_collect(one, one + 1, &list);
		suite_validate_entries(&list, &mistakes);
		assert_string_equal(strbuf_str(&mistakes), strbuf_str(&expected));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_mistake_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
