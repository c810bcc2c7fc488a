// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/session.h"

#include "base/strbuf.h"
#include "samples.h"

static struct error *parse(const char *text)
{
	_cleanup_exchange_declared_suite_ struct exchange_declared_suite suite = { 0 };

	return harness_listing_parse(text, strlen(text), "mytests", &suite);
}

static void every_member_is_read(void **state UNUSED)
{
	_cleanup_exchange_declared_suite_ struct exchange_declared_suite suite = sample_suite(
		"/a/mytests", SAMPLE_LISTING(SAMPLE_TEST("two_cells")));
	const struct exchange_declared_test *t = suite.tests.at;

	assert_int_equal(suite.tests.n, 1);
	assert_string_equal(t->name, "two_cells");
	assert_string_equal(t->file, "mytests.c");
	assert_string_equal(t->description, "two");
	assert_int_equal(t->line, 12);
	assert_int_equal(t->topology.nodes, 1);
	assert_int_equal(t->topology.llcs, 2);
	assert_int_equal(t->topology.cores, 2);
	assert_int_equal(t->topology.threads, 1);
	assert_int_equal(t->memory_mb, 512);
	assert_int_equal(t->duration_s, 5);
	assert_int_equal(t->timeout_s, 60);

	assert_string_equal(t->scheduler.name, "cells");
	assert_int_equal(t->scheduler.argv.n, 3);
	assert_string_equal(t->scheduler.argv.at[0], "scx_cells");
	assert_string_equal(t->scheduler.argv.at[2], "5000");
	assert_null(t->scheduler.argv.at[3]);
	assert_string_equal(t->scheduler.files.at[0], "cells.cfg");
	assert_string_equal(t->scheduler.sysctls.at[0], "kernel.sched_schedstats=1");
	assert_string_equal(t->scheduler.kernel_args.at[0], "threadirqs");
	assert_int_equal(t->scheduler.attach_timeout_s, 30);
	assert_string_equal(t->files.at[0], "helper");

	assert_int_equal(t->cgroups.n, 2);
	assert_string_equal(t->cgroups.at[0].name, "left");
	assert_int_equal(t->cgroups.at[0].cpus.kind, KTSTR_CPUS_LLC);
	assert_int_equal(t->cgroups.at[0].cpus.first, 0);
	assert_string_equal(t->cgroups.at[0].work, "spin");
	assert_int_equal(t->cgroups.at[0].workers, 4);
	assert_int_equal(t->cgroups.at[0].burst_ms, 30);
	assert_int_equal(t->cgroups.at[0].sleep_ms, 7);
	assert_int_equal(t->cgroups.at[1].cpus.kind, KTSTR_CPUS_RANGE);
	assert_int_equal(t->cgroups.at[1].cpus.first, 2);
	assert_int_equal(t->cgroups.at[1].cpus.last, 3);
	assert_null(t->cgroups.at[1].work);

	assert_int_equal(t->checks.progress, KTSTR_REQUIRED);
	assert_int_equal(t->checks.isolation, KTSTR_OFF);
	assert_int_equal(t->checks.scheduler_alive, KTSTR_REQUIRED);
	assert_true(t->checks.max_spread_pct.set);
	assert_true(t->checks.max_spread_pct.value == 12.5);
	assert_false(t->checks.max_gap_ms.set);
	assert_true(t->knows_declared_checks);
	assert_int_equal(t->declared_checks.n, 1);
	assert_string_equal(t->declared_checks.at[0], "max_spread_pct");

	assert_true(t->needs.sched_ext);
	assert_false(t->needs.smt);
	assert_int_equal(t->needs.min_cpus, 2);
	assert_int_equal(t->needs.max_llcs, 8);
	assert_int_equal(t->kconfig.n, 2);
	assert_string_equal(t->kconfig.at[1], "CONFIG_HZ=250");
	assert_int_equal(t->expect, KTSTR_REASON_CHECK);
	assert_true(t->has_run);
}

static void members_left_out_of_a_listing_are_empty_not_null(void **state UNUSED)
{
	_cleanup_exchange_declared_suite_ struct exchange_declared_suite suite = sample_suite(
		"/a/mytests", SAMPLE_LISTING(SAMPLE_PLAIN("plain")));
	const struct exchange_declared_test *t = suite.tests.at;

	assert_string_equal(t->description, "");
	assert_string_equal(t->scheduler.name, "");
	assert_int_equal(t->scheduler.argv.n, 0);
	assert_null(t->scheduler.argv.at[0]);
	assert_null(t->scheduler.kernel_args.at[0]);
	assert_int_equal(t->expect, KTSTR_REASON_NONE);
}

static void tests_are_sorted_by_name(void **state UNUSED)
{
	_cleanup_exchange_declared_suite_ struct exchange_declared_suite suite = sample_suite(
		"/a/t",
		SAMPLE_LISTING(SAMPLE_PLAIN("c") "," SAMPLE_PLAIN("a") "," SAMPLE_PLAIN("b")));

	assert_string_equal(suite.tests.at[0].name, "a");
	assert_string_equal(suite.tests.at[1].name, "b");
	assert_string_equal(suite.tests.at[2].name, "c");
}

static void an_empty_listing_is_accepted(void **state UNUSED)
{
	assert_success(parse("{\"ktstr_api\":1,\"tests\":[]}"));
}

static void two_tests_with_one_name_are_refused(void **state UNUSED)
{
	_cleanup_error_ struct error *err = parse(
		SAMPLE_LISTING(SAMPLE_PLAIN("a") "," SAMPLE_PLAIN("b") "," SAMPLE_PLAIN("a")));

	assert_true(error_is(err, &harness_error_domain, HARNESS_LISTING));
	assert_contains(error_message(err), "two tests are called a");
}

static void unknown_members_are_ignored(void **state UNUSED)
{
	assert_success(parse("{\"later\":[1],\"ktstr_api\":1,\"tests\":[{\"later\":{}," //
			     "\"name\":\"x\",\"file\":\"f\",\"line\":1,\"topology\":\"1n1l1c1t\","
			     "\"memory_mb\":0,\"duration_s\":1,\"timeout_s\":0,\"scheduler\":null,"
			     "\"files\":[],\"cgroups\":[],\"checks\":{\"progress\":true,"
			     "\"isolation\":true,\"scheduler_alive\":true,\"new\":1},\"needs\":{"
			     "\"sched_ext\":false,\"smt\":false,\"min_cpus\":0,\"max_cpus\":0,"
			     "\"min_llcs\":0,\"max_llcs\":0,\"min_nodes\":0,\"max_nodes\":0,"
			     "\"kconfig\":[]},\"expect\":\"none\",\"has_run\":false}]}"));
}

static void an_api_mismatch_names_the_older_side(void **state UNUSED)
{
	_cleanup_error_ struct error *newer = parse("{\"ktstr_api\":2,\"tests\":7}");
	_cleanup_error_ struct error *older = parse("{\"ktstr_api\":0}");

	assert_true(error_is(newer, &harness_error_domain, HARNESS_API));
	assert_string_equal(error_message(newer),
			    "this ktstr has API 1, mytests has API 2: a newer ktstr is needed");
	assert_true(error_is(older, &harness_error_domain, HARNESS_API));
	assert_string_equal(error_message(older),
			    "this ktstr has API 1, mytests has API 0: rebuild mytests");
}

static void other_output_is_of_no_test_binary(void **state UNUSED)
{
	assert_error_tag(parse(""), "not-a-test-binary");
	assert_error_tag(parse("a.c\nb.c\n"), "not-a-test-binary");
	assert_error_tag(parse("[1]"), "not-a-test-binary");
	assert_error_tag(parse("{\"tests\":[]}"), "not-a-test-binary");
	assert_error_tag(parse("{\"ktstr_api\":\"1\",\"tests\":[]}"), "not-a-test-binary");
}

/* `from` of the full sample becomes `to`. */
static struct error *parse_changed(const char *from, const char *to)
{
	static const char sample[] = SAMPLE_LISTING(SAMPLE_TEST("two_cells"));
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *at = strstr(sample, from);

	if (!at)
		fail_msg("the sample has no %s", from);
	strbuf_append_bytes(&text, sample, (size_t)(at - sample));
	strbuf_append(&text, to);
	strbuf_append(&text, at + strlen(from));
	return parse(strbuf_str(&text));
}

static void a_member_that_is_missing_is_named_with_its_path(void **state UNUSED)
{
	static const struct {
		const char *from, *path;
	} rows[] = {
		{ "\"tests\"", "tests is missing" },
		{ "\"name\":\"two_cells\"", "tests[0].name is missing" },
		{ "\"file\":", "tests[0].file " },
		{ "\"line\":", "tests[0].line " },
		{ "\"topology\":", "tests[0].topology" },
		{ "\"memory_mb\":", "tests[0].memory_mb " },
		{ "\"duration_s\":", "tests[0].duration_s " },
		{ "\"timeout_s\":", "tests[0].timeout_s " },
		{ "\"scheduler\":", "tests[0].scheduler " },
		{ "\"name\":\"cells\"", "tests[0].scheduler.name " },
		{ "\"argv\":", "tests[0].scheduler.argv " },
		{ "\"files\":[\"cells.cfg\"]", "tests[0].scheduler.files " },
		{ "\"sysctls\":", "tests[0].scheduler.sysctls " },
		{ "\"kernel_args\":", "tests[0].scheduler.kernel_args " },
		{ "\"attach_timeout_s\":", "tests[0].scheduler.attach_timeout_s " },
		{ "\"files\":[\"helper\"]", "tests[0].files " },
		{ "\"cgroups\":", "tests[0].cgroups " },
		{ "\"name\":\"left\"", "tests[0].cgroups[0].name " },
		{ "\"cpus\":\"cpus:2-3\"", "tests[0].cgroups[1].cpus " },
		{ "\"work\":{", "tests[0].cgroups[0].work " },
		{ "\"kind\":", "tests[0].cgroups[0].work.kind " },
		{ "\"workers\":", "tests[0].cgroups[0].work.workers " },
		{ "\"checks\":", "tests[0].checks " },
		{ "\"progress\":", "tests[0].checks.progress" },
		{ "\"isolation\":", "tests[0].checks.isolation " },
		{ "\"scheduler_alive\":", "tests[0].checks.scheduler_alive " },
		{ "\"needs\":", "tests[0].needs " },
		{ "\"sched_ext\":", "tests[0].needs.sched_ext " },
		{ "\"smt\":", "tests[0].needs.smt " },
		{ "\"min_cpus\":", "tests[0].needs.min_cpus " },
		{ "\"max_nodes\":", "tests[0].needs.max_nodes " },
		{ "\"kconfig\":", "tests[0].needs.kconfig " },
		{ "\"expect\":", "tests[0].expect" },
		{ "\"has_run\":", "tests[0].has_run " },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf to = STRBUF_INIT;
		_cleanup_error_ struct error *err = NULL;

		/* The member gets another name. */
		strbuf_append(&to, rows[i].from);
		to.at[1] = '~';
		err = parse_changed(rows[i].from, strbuf_str(&to));
		assert_true(error_is(err, &harness_error_domain, HARNESS_LISTING));
		assert_contains(error_message(err), rows[i].path);
	}
}

static void impossible_values_of_a_listing_are_refused(void **state UNUSED)
{
	static const struct {
		const char *from, *to, *message;
	} rows[] = {
		{ "two_cells", "", "name is not a C identifier" },
		{ "two_cells", "2cells", "name is not a C identifier" },
		{ "two_cells", "../cells", "name is not a C identifier" },
		{ "two_cells", "a-b", "name is not a C identifier" },
		{ "mytests.c", "a\\u0000b", "file holds a NUL byte" },
		{ "\"line\":12", "\"line\":-1", "line is not between 0" },
		{ "\"line\":12", "\"line\":2147483648", "line is not between 0" },
		{ "1n2l2c1t", "2n3l2c1t", "tests[0].topology: " },
		{ "1n2l2c1t", "tiny-1llc", "tests[0].topology: " },
		{ "\"memory_mb\":512", "\"memory_mb\":99999999", "memory_mb is larger than" },
		{ "\"duration_s\":5", "\"duration_s\":5.5", "duration_s is not a whole number" },
		{ "\"duration_s\":5", "\"duration_s\":604801", "duration_s is larger than" },
		{ "\"argv\":[\"scx_cells\"", "\"argv\":[\"\"", "argv begins with an empty word" },
		{ "\"argv\":[\"scx_cells\"", "\"argv\":[7", "scheduler.argv[0] is not a string" },
		{ "\"left\"", "\"../left\"", "is not the name of a cgroup" },
		{ "\"left\"", "\".\"", "is not the name of a cgroup" },
		{ "\"left\"", "\"\"", "is not the name of a cgroup" },
		{ "llc:0", "llc:", "is none of all" },
		{ "llc:0", "llc:0-1", "is none of all" },
		{ "llc:0", "llc:8192", "is none of all" },
		{ "llc:0", "llc:99999999999999999999", "is none of all" },
		{ "llc:0", "some", "is none of all" },
		{ "cpus:2-3", "cpus:3-2", "is none of all" },
		{ "cpus:2-3", "cpus:2-", "is none of all" },
		{ "cpus:2-3", "cpus:2-3,5", "is none of all" },
		{ "\"spin\"", "\"spin\\n\"", "kind is not the name of a kind" },
		{ "\"workers\":4", "\"workers\":65537", "workers is larger than" },
		{ "12.5", "\"12.5\"", "max_spread_pct: it is not a number" },
		{ "12.5", "1e999", "max_spread_pct: it is not a number" },
		{ "\"expect\":\"check\"", "\"expect\":\"chick\"", "expect: it is not the reason" },
		/* It must happen, so it must be a failure. */
		{ "\"expect\":\"check\"", "\"expect\":\"need\"", "expect: it is not the reason" },
		{ "\"expect\":\"check\"", "\"expect\":\"failed-as-expected\"",
		  "expect: it is not" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_error_ struct error *err = parse_changed(rows[i].from, rows[i].to);

		if (!err)
			fail_msg("%s was taken", rows[i].to);
		assert_string_equal(error_tag(err), "test-listing");
		assert_contains(error_message(err), rows[i].message);
	}
}

static void allowed_variations_of_a_listing_are_accepted(void **state UNUSED)
{
	assert_success(parse_changed("llc:0", "all"));
	assert_success(parse_changed("llc:0", "node:0"));
	assert_success(parse_changed("cpus:2-3", "cpus:2"));
	assert_success(parse_changed("\"left\"", "\"left.side-1_a\""));
	assert_success(parse_changed("\"max_spread_pct\"", "\"max_gap_ms\""));
	assert_success(parse_changed("\"expect\":\"check\"", "\"expect\":\"guest-panic\""));
}

/* n rows, with commas. */
static struct error *parse_rows(const char *from, const char *row, size_t n, const char *ending)
{
	_cleanup_strbuf_ struct strbuf to = STRBUF_INIT;

	strbuf_append(&to, from);
	for (size_t i = 0; i < n; i++)
		strbuf_append(&to, row);
	strbuf_append(&to, ending);
	return parse_changed(from, strbuf_str(&to));
}

static void lists_and_texts_have_a_limit(void **state UNUSED)
{
	assert_success(parse_rows("\"files\":[", "\"x\",", EXCHANGE_LIMIT_LIST - 1, ""));
	assert_error_tag(parse_rows("\"files\":[", "\"x\",", EXCHANGE_LIMIT_LIST, ""),
			 "test-listing");
	assert_error_tag(parse_rows("\"cgroups\":[",
				    "{\"name\":\"a\",\"cpus\":\"all\",\"work\":null},",
				    EXCHANGE_LIMIT_LIST, ""),
			 "test-listing");
	assert_success(
		parse_rows("\"description\":\"two", "x", EXCHANGE_LIMIT_DECLARED_TEXT - 3, ""));
	assert_error_tag(
		parse_rows("\"description\":\"two", "x", EXCHANGE_LIMIT_DECLARED_TEXT - 2, ""),
		"test-listing");
	assert_success(parse_rows("two_cells", "x", EXCHANGE_LIMIT_DECLARED_NAME - 9, ""));
	assert_error_tag(parse_rows("two_cells", "x", EXCHANGE_LIMIT_DECLARED_NAME - 8, ""),
			 "test-listing");
}

static void more_tests_than_the_limit_are_refused_before_they_are_read(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = NULL;

	strbuf_append(&text, "{\"ktstr_api\":1,\"tests\":[0");
	for (size_t i = 0; i < EXCHANGE_LIMIT_TESTS; i++)
		strbuf_append(&text, ",0");
	strbuf_append(&text, "]}");
	err = parse(strbuf_str(&text));
	assert_contains(error_message(err), "tests has more than");
}

static void a_failure_leaves_the_output_alone(void **state UNUSED)
{
	struct exchange_declared_suite suite = { .tests = { .n = 77 } };
	_cleanup_error_ struct error *err = harness_listing_parse("{}", 2, "x", &suite);

	assert_non_null(err);
	assert_int_equal(suite.tests.n, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_is_read),
		cmocka_unit_test(members_left_out_of_a_listing_are_empty_not_null),
		cmocka_unit_test(tests_are_sorted_by_name),
		cmocka_unit_test(an_empty_listing_is_accepted),
		cmocka_unit_test(two_tests_with_one_name_are_refused),
		cmocka_unit_test(unknown_members_are_ignored),
		cmocka_unit_test(an_api_mismatch_names_the_older_side),
		cmocka_unit_test(other_output_is_of_no_test_binary),
		cmocka_unit_test(a_member_that_is_missing_is_named_with_its_path),
		cmocka_unit_test(impossible_values_of_a_listing_are_refused),
		cmocka_unit_test(allowed_variations_of_a_listing_are_accepted),
		cmocka_unit_test(lists_and_texts_have_a_limit),
		cmocka_unit_test(more_tests_than_the_limit_are_refused_before_they_are_read),
		cmocka_unit_test(a_failure_leaves_the_output_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
