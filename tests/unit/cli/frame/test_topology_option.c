// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

#include "topo/topology.h"
#include "unit.h"

static void shapes_and_names_are_taken(void **state UNUSED)
{
	struct topo t;

	assert_success(cli_parse_topology("2n4l2c1t", &t));
	assert_int_equal(topo_cpus(&t), 8);
	assert_success(cli_parse_topology("smt-2llc", &t));
	assert_int_equal(t.llcs, 2);
	assert_int_equal(t.threads, 2);
}

static void the_nearest_name_is_offered(void **state UNUSED)
{
	struct topo t;
	_cleanup_error_ struct error *err = cli_parse_topology("smt-2lcl", &t);

	assert_non_null(err);
	assert_string_equal(error_tag(err), "usage");
	assert_contains(error_message(err), "; did you mean 'smt-2llc'?");
	assert_error_tag(cli_parse_topology("0n1l1c1t", &t), "usage");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes_and_names_are_taken),
		cmocka_unit_test(the_nearest_name_is_offered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
