// SPDX-License-Identifier: GPL-2.0-or-later
#include "suite/payload.h"

#include "unit.h"

static char *const ours[] = { (char *)"A=1", (char *)"AB=2", (char *)"EMPTY=", NULL };

static void without_additions_it_is_ours(void **state UNUSED)
{
	_cleanup_suite_payload_env_ struct suite_payload_env env;

	suite_payload_env_init(&env, ours, NULL);
	assert_int_equal(env.all.n, 4);
	assert_string_equal(env.all.at[0], "A=1");
	assert_string_equal(env.all.at[2], "EMPTY=");
	assert_null(env.all.at[3]);
}

static void additions_replace_and_the_last_counts(void **state UNUSED)
{
	const char *const added[] = { "B=3", "A=4", "B=5", "A=6", NULL };
	_cleanup_suite_payload_env_ struct suite_payload_env env;

	suite_payload_env_init(&env, ours, added);
	assert_int_equal(env.all.n, 5);
	assert_string_equal(suite_payload_env_find(&env, "A"), "6");
	assert_string_equal(suite_payload_env_find(&env, "AB"), "2");
	assert_string_equal(suite_payload_env_find(&env, "B"), "5");
	assert_string_equal(suite_payload_env_find(&env, "EMPTY"), "");
	assert_null(suite_payload_env_find(&env, "C"));
}

static void an_empty_environment_is_one(void **state UNUSED)
{
	_cleanup_suite_payload_env_ struct suite_payload_env env;

	suite_payload_env_init(&env, NULL, NULL);
	assert_int_equal(env.all.n, 1);
	assert_null(suite_payload_env_find(&env, "A"));
}

static void a_setting_has_a_name_and_an_equals_sign(void **state UNUSED)
{
	assert_true(suite_payload_env_is_setting("A=1"));
	assert_true(suite_payload_env_is_setting("A="));
	assert_false(suite_payload_env_is_setting("A"));
	assert_false(suite_payload_env_is_setting("=1"));
	assert_false(suite_payload_env_is_setting(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_additions_it_is_ours),
		cmocka_unit_test(additions_replace_and_the_last_counts),
		cmocka_unit_test(an_empty_environment_is_one),
		cmocka_unit_test(a_setting_has_a_name_and_an_equals_sign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
