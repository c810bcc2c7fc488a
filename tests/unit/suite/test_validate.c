// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "suite/declared.h"

static void nothing(struct ktstr_ctx *ctx UNUSED)
{
}

static const struct {
	struct ktstr_test test;
	const char *expected; /* behind "t.c:7: name: "; NULL: all is well */
} rows[] = {
	{ { .run = nothing }, NULL },
	{ { .cgroups = { { .name = "a" } } }, NULL },
	{ { .scheduler = { .argv = { "s", "", "-x" } } }, NULL },
	{ { 0 }, "nothing to run: no .cgroups, no .run and no .scheduler" },

	{ { .run = nothing, .topology = { .nodes = 2, .llcs = 3 } },
	  "topology: 3 LLCs cannot be divided evenly among 2 nodes ('l' counts the whole machine)" },
	{ { .run = nothing, .topology = { .llcs = 1025, .cores = 1 } },
	  "topology: 1025 CPUs, at most 1024 are possible" },
	{ { .run = nothing, .topology = { .nodes = 64, .llcs = 64 } },
	  "topology: 64 nodes, at most 32 are possible" },
	{ { .run = nothing, .memory_mb = 1048577 },
	  "memory_mb is 1048577, at most 1048576 is possible" },

	{ { .run = nothing, .duration_s = 86401 },
	  "duration_s is 86401, at most 86400 is possible" },
	{ { .run = nothing, .timeout_s = 86401 }, "timeout_s is 86401, at most 86400 is possible" },
	{ { .cgroups = { { .name = "a" } }, .timeout_s = 2 },
	  "timeout_s is 2, which is not more than the duration of 2 s" },
	{ { .run = nothing, .timeout_s = 1 }, NULL },
	{ { .scheduler = { .argv = { "s" }, .attach_timeout_s = 86401 } },
	  "scheduler.attach_timeout_s is 86401, at most 86400 is possible" },

	{ { .run = nothing, .files = { [31] = "x" } }, "files: row 0 is empty, but row 31 is not" },
	{ { .run = nothing, .files = { "a", "" } }, "files: row 1 is \"\"" },
	{ { .scheduler = { .argv = { [0 ... KTSTR_MAX_ARGS] = "x" } } },
	  "scheduler.argv: too many rows, at most 62 are possible" },
	{ { .scheduler = { .argv = { [0 ... KTSTR_MAX_ARGS - 1] = "x" } } }, NULL },
	{ { .scheduler = { .argv = { "" } } }, "scheduler.argv: the program has no name" },
	{ { .scheduler = { .argv = { "s" }, .files = { [0 ... KTSTR_MAX_FILES] = "x" } } },
	  "scheduler.files: too many rows, at most 31 are possible" },
	{ { .scheduler = { .argv = { "s" }, .sysctls = { "kernel.x" } } },
	  "scheduler.sysctls: \"kernel.x\" is not \"name=value\"" },
	{ { .scheduler = { .argv = { "s" }, .sysctls = { "kernel/x=", "a.b-c=1 2" } } }, NULL },
	{ { .scheduler = { .argv = { "s" }, .sysctls = { "=1" } } },
	  "scheduler.sysctls: \"=1\" is not \"name=value\"" },
	{ { .scheduler = { .argv = { "s" }, .sysctls = { "a..b=1" } } },
	  "scheduler.sysctls: \"a..b=1\" is not \"name=value\"" },
	{ { .scheduler = { .argv = { "s" }, .sysctls = { "a.=1" } } },
	  "scheduler.sysctls: \"a.=1\" is not \"name=value\"" },
	{ { .scheduler = { .argv = { "s" }, .kernel_args = { "a b" } } },
	  "scheduler.kernel_args: \"a b\" holds a space or a quote; the kernel would take it for "
	  "two" },
	{ { .run = nothing, .scheduler = { .name = "s" } },
	  "scheduler: a name, files, a timeout or may_restart, but no argv" },
	{ { .run = nothing, .scheduler = { .sysctls = { "a=1" } } }, NULL },

	{ { .run = nothing, .needs = { .min_cpus = 5, .max_cpus = 4 } },
	  "needs.min_cpus is 5, more than max_cpus, which is 4" },
	{ { .run = nothing, .needs = { .min_llcs = 3, .max_llcs = 2 } },
	  "needs.min_llcs is 3, more than max_llcs, which is 2" },
	{ { .run = nothing, .needs = { .min_nodes = 3, .max_nodes = 2 } },
	  "needs.min_nodes is 3, more than max_nodes, which is 2" },
	{ { .run = nothing, .needs = { .min_cpus = 5, .min_nodes = 2, .max_nodes = 2 } }, NULL },
	{ { .run = nothing, .needs = { .kconfig = { "CONFIG_PSI", "CONFIG_HZ=250" } } }, NULL },
	{ { .run = nothing, .needs = { .kconfig = { "PSI" } } },
	  "needs.kconfig: \"PSI\" is neither \"CONFIG_NAME\" nor \"CONFIG_NAME=value\"" },
	{ { .run = nothing, .needs = { .kconfig = { "CONFIG_" } } },
	  "needs.kconfig: \"CONFIG_\" is neither \"CONFIG_NAME\" nor \"CONFIG_NAME=value\"" },
	{ { .run = nothing, .needs = { .kconfig = { "CONFIG_A=" } } },
	  "needs.kconfig: \"CONFIG_A=\" is neither \"CONFIG_NAME\" nor \"CONFIG_NAME=value\"" },

	{ { .run = nothing, .expect = KTSTR_REASON_CHECK }, NULL },
	{ { .run = nothing, .expect = KTSTR_REASON_NEED },
	  "expect: \"need\" is not a failure that can be expected" },
	{ { .run = nothing, .expect = KTSTR_REASON_DID_NOT_FAIL },
	  "expect: \"did-not-fail\" is not a failure that can be expected" },
	{ { .run = nothing, .expect = KTSTR_REASON_OTHER_FAILURE },
	  "expect: \"failed-otherwise\" is not a failure that can be expected" },
	{ { .run = nothing, .expect = (enum ktstr_reason)99 }, "expect: 99 is not a reason" },
};

static void check(const struct ktstr_entry *const *entries, size_t n, const char *expected)
{
	_cleanup_suite_entry_list_ struct suite_entry_list list = { 0 };
	_cleanup_strbuf_ struct strbuf mistakes = STRBUF_INIT;

	suite_entries_collect(entries, entries + n, &list);
	suite_validate_entries(&list, &mistakes);
	assert_string_equal(strbuf_str(&mistakes), expected);
}

static void every_mistake_is_reported_with_its_location(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct ktstr_entry entry = { "name", "t.c", 7, KTSTR_LAYOUT_, &rows[i].test };
		const struct ktstr_entry *const one[] = { &entry };
		_cleanup_strbuf_ struct strbuf expected = STRBUF_INIT;

		if (rows[i].expected)
			strbuf_appendf(&expected, "t.c:7: name: %s\n", rows[i].expected);
		check(one, 1, strbuf_str(&expected));
	}
}

static void all_mistakes_of_a_test_are_reported(void **state UNUSED)
{
	const struct ktstr_test test = { .duration_s = 86401, .expect = KTSTR_REASON_BOOT };
	const struct ktstr_test good = { .run = nothing };
	const struct ktstr_entry entries[] = { { "b", "x.c", 1, KTSTR_LAYOUT_, &test },
					       { "a", "y.c", 2, KTSTR_LAYOUT_, &good } };
	const struct ktstr_entry *const both[] = { &entries[0], &entries[1] };

	check(both, 2,
	      "x.c:1: b: duration_s is 86401, at most 86400 is possible\n"
	      "x.c:1: b: expect: \"boot\" is not a failure that can be expected\n"
	      "x.c:1: b: nothing to run: no .cgroups, no .run and no .scheduler\n");
}

static void a_duplicate_test_name_is_reported_with_both_locations(void **state UNUSED)
{
	const struct ktstr_test good = { .run = nothing };
	/* Of two files, so not the same text in memory. */
	static const char one[] = "a", other[] = "a";
	const struct ktstr_entry entries[] = { { one, "y.c", 2, KTSTR_LAYOUT_, &good },
					       { other, "x.c", 9, KTSTR_LAYOUT_, &good } };
	const struct ktstr_entry *const both[] = { &entries[0], &entries[1] };

	check(both, 2, "y.c:2: a: the name is taken by the test at x.c:9\n");
}

/* What the library would read there is not what the author wrote. */
static void nothing_else_is_said_of_a_test_with_another_header(void **state UNUSED)
{
	const struct ktstr_test empty = { 0 };
	const struct ktstr_entry entry = { "name", "t.c", 7, KTSTR_LAYOUT_ + 1, &empty };
	const struct ktstr_entry *const one[] = { &entry };

	check(one, 1,
	      "t.c:7: name: compiled with another <ktstr/ktstr.h> than libktstr.a: rebuild both\n");
}

static void long_texts_are_mistakes(void **state UNUSED)
{
	static char text[4098], name[130];
	const struct ktstr_test test = { .run = nothing, .description = text };
	const struct ktstr_entry entry = { name, "t.c", 7, KTSTR_LAYOUT_, &test };
	const struct ktstr_entry *const one[] = { &entry };
	_cleanup_strbuf_ struct strbuf expected = STRBUF_INIT;

	memset(text, 'x', 4097);
	memset(name, 'n', 129);
	strbuf_appendf(&expected, "t.c:7: %s: the name is longer than 128 bytes\n", name);
	strbuf_appendf(&expected, "t.c:7: %s: description is longer than 4096 bytes\n", name);
	check(one, 1, strbuf_str(&expected));
}

#define SPIN(n) { KTSTR_WORK_SPIN, .workers = (n) }

static const struct {
	struct ktstr_test test;
	const char *expected; /* NULL: all is well */
} cgroup_rows[] = {
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

static void every_mistake_of_cgroups_and_checks_is_told(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(cgroup_rows); i++) {
		const struct ktstr_entry entry = { "name", "t.c", 7, KTSTR_LAYOUT_,
						   &cgroup_rows[i].test };
		const struct ktstr_entry *const one[] = { &entry };
		_cleanup_suite_entry_list_ struct suite_entry_list list = { 0 };
		_cleanup_strbuf_ struct strbuf mistakes = STRBUF_INIT, expected = STRBUF_INIT;

		if (cgroup_rows[i].expected)
			strbuf_appendf(&expected, "t.c:7: name: %s\n", cgroup_rows[i].expected);
		suite_entries_collect(one, one + 1, &list);
		suite_validate_entries(&list, &mistakes);
		assert_string_equal(strbuf_str(&mistakes), strbuf_str(&expected));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_mistake_is_reported_with_its_location),
		cmocka_unit_test(all_mistakes_of_a_test_are_reported),
		cmocka_unit_test(a_duplicate_test_name_is_reported_with_both_locations),
		cmocka_unit_test(nothing_else_is_said_of_a_test_with_another_header),
		cmocka_unit_test(long_texts_are_mistakes),
		cmocka_unit_test(every_mistake_of_cgroups_and_checks_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
