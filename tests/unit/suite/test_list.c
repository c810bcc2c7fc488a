// SPDX-License-Identifier: GPL-2.0-or-later
/* Another parser of JSON reads the same list in tests/host/test_suite.py. */
#include "unit.h"

#include "suite/declared.h"

static void nothing(struct ktstr_ctx *ctx UNUSED)
{
}

static const struct ktstr_test plain = { .run = nothing };
static const struct ktstr_test full = {
	.description = "says \"what\"",
	.topology = { .nodes = 2, .llcs = 4, .cores = 3, .threads = 2 },
	.memory_mb = 512,
	.scheduler = { .argv = { "dir/scx_a", "--x", "a b" },
		       .files = { "f" },
		       .sysctls = { "kernel.a=1" },
		       .kernel_args = { "quiet" },
		       .attach_timeout_s = 9 },
	.files = { "one", "two" },
	.cgroups = { { "l", .cpus = KTSTR_LLC(1), .work = { KTSTR_WORK_SPIN, .workers = 4 } },
		     { "n", .cpus = KTSTR_NODE(1) },
		     { "r", .cpus = KTSTR_CPUS(2, 5), .work = { .kind = KTSTR_WORK_BURSTY } },
		     { "o", .cpus = KTSTR_CPUS(3, 3) } },
	.duration_s = 5,
	.checks = { .isolation = KTSTR_REQUIRED,
		    .max_spread_pct = KTSTR_AT_MOST(12.5),
		    .max_gap_ms = KTSTR_AT_MOST(100) },
	.needs = { .sched_ext = true, .min_cpus = 2, .max_nodes = 4, .kconfig = { "CONFIG_PSI" } },
	.timeout_s = 60,
	.expect = KTSTR_REASON_SCHED_EXIT,
};
static const struct ktstr_entry entries[] = { { "plain", "a.c", 3, KTSTR_LAYOUT_, &plain },
					      { "full", "b.c", 4, KTSTR_LAYOUT_, &full } };

static void collect(struct suite_entry_list *ret)
{
	const struct ktstr_entry *const at[] = { &entries[0], &entries[1] };

	suite_entries_collect(at, at + 2, ret);
}

static void the_json_list_has_defaults_and_declared_values(void **state UNUSED)
{
	_cleanup_suite_entry_list_ struct suite_entry_list list = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	collect(&list);
	suite_list_format_json(&list, &text);
	assert_string_equal(
		text.at,
		"{\"ktstr_api\":1,\"tests\":["
		"{\"name\":\"full\",\"file\":\"b.c\",\"line\":4,"
		"\"description\":\"says \\\"what\\\"\",\"topology\":\"2n4l3c2t\","
		"\"memory_mb\":512,\"duration_s\":5,\"timeout_s\":60,"
		"\"scheduler\":{\"name\":\"scx_a\",\"argv\":[\"dir/scx_a\",\"--x\",\"a b\"],"
		"\"files\":[\"f\"],\"sysctls\":[\"kernel.a=1\"],\"kernel_args\":[\"quiet\"],"
		"\"attach_timeout_s\":9,\"may_restart\":false},\"files\":[\"one\",\"two\"],"
		"\"cgroups\":[{\"name\":\"l\",\"cpus\":\"llc:1\",\"work\":{\"kind\":\"spin\","
		"\"workers\":4,\"burst_ms\":0,\"sleep_ms\":0}},"
		"{\"name\":\"n\",\"cpus\":\"node:1\",\"work\":null},"
		"{\"name\":\"r\",\"cpus\":\"cpus:2-5\",\"work\":{\"kind\":\"bursty\","
		"\"workers\":2,\"burst_ms\":50,\"sleep_ms\":100}},"
		"{\"name\":\"o\",\"cpus\":\"cpus:3\",\"work\":null}],"
		"\"checks\":{\"progress\":true,\"isolation\":true,\"scheduler_alive\":true,"
		"\"max_spread_pct\":12.5,\"max_gap_ms\":100.0,"
		"\"declared\":[\"isolation\",\"max_spread_pct\",\"max_gap_ms\"]},"
		"\"needs\":{\"sched_ext\":true,\"smt\":false,\"min_cpus\":2,\"max_cpus\":0,"
		"\"min_llcs\":0,\"max_llcs\":0,\"min_nodes\":0,\"max_nodes\":4,"
		"\"kconfig\":[\"CONFIG_PSI\"]},\"expect\":\"scheduler-exited\",\"has_run\":false},"
		"{\"name\":\"plain\",\"file\":\"a.c\",\"line\":3,\"topology\":\"1n1l2c1t\","
		"\"memory_mb\":0,\"duration_s\":2,\"timeout_s\":0,\"scheduler\":null,\"files\":[],"
		"\"cgroups\":[],\"checks\":{\"progress\":false,\"isolation\":false,"
		"\"scheduler_alive\":false,\"declared\":[]},\"needs\":{\"sched_ext\":false,\"smt\":false,"
		"\"min_cpus\":0,\"max_cpus\":0,\"min_llcs\":0,\"max_llcs\":0,\"min_nodes\":0,"
		"\"max_nodes\":0,\"kconfig\":[]},\"expect\":\"none\",\"has_run\":true}]}\n");
}

static void settings_of_the_kernels_own_scheduler_are_listed(void **state UNUSED)
{
	static const struct ktstr_test test = { .run = nothing,
						.scheduler = { .kernel_args = { "quiet" } } };
	static const struct ktstr_entry entry = { "t", "a.c", 3, KTSTR_LAYOUT_, &test };
	const struct ktstr_entry *const at[] = { &entry };
	_cleanup_suite_entry_list_ struct suite_entry_list list = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	suite_entries_collect(at, at + 1, &list);
	suite_list_format_json(&list, &text);
	assert_contains(text.at, "\"scheduler\":{\"name\":\"\",\"argv\":[],\"files\":[],"
				 "\"sysctls\":[],\"kernel_args\":[\"quiet\"]");
}

static void the_plain_list_is_a_table(void **state UNUSED)
{
	_cleanup_suite_entry_list_ struct suite_entry_list list = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	collect(&list);
	suite_list_format(&list, &text);
	assert_string_equal(text.at, "full   2n4l3c2t  scx_a  b.c:4\n"
				     "    says \"what\"\n"
				     "plain  1n1l2c1t  -  a.c:3\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_json_list_has_defaults_and_declared_values),
		cmocka_unit_test(settings_of_the_kernels_own_scheduler_are_listed),
		cmocka_unit_test(the_plain_list_is_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
