// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading is tested with harness/listing_parse, writing with suite/list. */
#include "exchange/declaration.h"

#include "unit.h"

static void the_name_in_the_guest_is_the_base_name(void **state UNUSED)
{
	assert_string_equal(exchange_declared_base_name("worker"), "worker");
	assert_string_equal(exchange_declared_base_name("./build/worker"), "worker");
	assert_string_equal(exchange_declared_base_name("/worker"), "worker");
	assert_string_equal(exchange_declared_base_name("build/"), "");
}

#define LISTING                                                                                    \
	"{\"ktstr_api\":1,\"tests\":[{\"name\":\"a\",\"file\":\"a.c\",\"line\":7,"                 \
	"\"topology\":\"1n1l2c1t\",\"memory_mb\":0,\"duration_s\":2,\"timeout_s\":0,"              \
	"\"scheduler\":null,\"files\":[\"f\"],\"cgroups\":[{\"name\":\"l\",\"cpus\":\"cpus:2-3\"," \
	"\"work\":{\"kind\":\"sleep\",\"workers\":2,\"burst_ms\":0,\"sleep_ms\":10}},"             \
	"{\"name\":\"r\",\"cpus\":\"all\",\"work\":null}],\"checks\":{\"progress\":true,"          \
	"\"isolation\":false,\"scheduler_alive\":false,\"max_gap_ms\":7.5,\"declared\":[]},"       \
	"\"needs\":{\"sched_ext\":false,\"smt\":true,\"min_cpus\":0,\"max_cpus\":4,"               \
	"\"min_llcs\":0,\"max_llcs\":0,\"min_nodes\":0,\"max_nodes\":0,\"kconfig\":[]},"           \
	"\"expect\":\"none\",\"has_run\":true}]}"

static void read_listing(struct exchange_declared_suite *ret)
{
	*ret = (struct exchange_declared_suite){ 0 };
	assert_success(
		json_rows_parse(&exchange_listing_table, LISTING, strlen(LISTING), "x", ret));
}

static void a_listing_survives_a_round_trip(void **state UNUSED)
{
	_cleanup_exchange_declared_suite_ struct exchange_declared_suite suite;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct json_writer w = json_writer_to(&text, JSON_COMPACT);

	read_listing(&suite);
	json_rows_write(&exchange_listing_table, &suite, &w);
	assert_string_equal(strbuf_str(&text), LISTING);
}

static void missing_members_of_a_declaration_are_completed(void **state UNUSED)
{
	_cleanup_exchange_declared_suite_ struct exchange_declared_suite suite;

	read_listing(&suite);
	exchange_declared_test_complete(&suite.tests.at[0]);
	assert_string_equal(suite.tests.at[0].description, "");
	assert_string_equal(suite.tests.at[0].scheduler.name, "");
	assert_null(suite.tests.at[0].scheduler.argv.at[0]);
	assert_null(suite.tests.at[0].cgroups.at[1].work);
}

/* The sanitizers see what is forgotten. */
static void a_suite_gives_back_all_it_holds_and_may_be_emptied_twice(void **state UNUSED)
{
	struct exchange_declared_suite suite;

	read_listing(&suite);
	assert_int_equal(suite.tests.n, 1);
	exchange_declared_suite_deinit(&suite);
	assert_null(suite.path);
	assert_int_equal(suite.tests.n, 0);
	exchange_declared_suite_deinit(&suite);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_name_in_the_guest_is_the_base_name),
		cmocka_unit_test(a_listing_survives_a_round_trip),
		cmocka_unit_test(missing_members_of_a_declaration_are_completed),
		cmocka_unit_test(a_suite_gives_back_all_it_holds_and_may_be_emptied_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
