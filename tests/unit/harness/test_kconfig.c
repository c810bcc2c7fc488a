// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/needs.h"

#include "unit.h"

static const char text[] = "#\n"
			   "# Automatically generated file; DO NOT EDIT.\n"
			   "#\n"
			   "CONFIG_CC_VERSION_TEXT=\"gcc (Debian) 14 # CONFIG_PSI is not set\"\n"
			   "CONFIG_PSI=y\n"
			   "# CONFIG_PSI_DEFAULT_DISABLED is not set\n"
			   "CONFIG_HZ=250\n"
			   "CONFIG_HZ_250=y\n"
			   "CONFIG_DUMMY=m\n"
			   "CONFIG_EMPTY=\n"
			   "# CONFIG_SCHED_CLASS_EXT is not set\n"
			   "CONFIG_TWICE=y\n"
			   "# CONFIG_TWICE is not set\n"
			   "# CONFIG_BACK is not set\n"
			   "CONFIG_BACK=y\r\n"
			   "CONFIG_LAST=n";

static const struct bytes config = { (const uint8_t *)text, sizeof(text) - 1 };

static void check(const char *wanted, const char *why)
{
	_cleanup_strbuf_ struct strbuf said = STRBUF_INIT;
	bool has = harness_kconfig_has(config, wanted, &said);

	assert_string_equal(strbuf_str(&said), why);
	assert_int_equal(has, !*why);
}

static void an_option_alone_may_be_built_in_or_a_module(void **state UNUSED)
{
	check("CONFIG_PSI", "");
	check("CONFIG_DUMMY", "");
	check("CONFIG_PSI_DEFAULT_DISABLED", "CONFIG_PSI_DEFAULT_DISABLED is not set");
	check("CONFIG_HZ", "CONFIG_HZ is 250, not y or m");
	check("CONFIG_EMPTY", "CONFIG_EMPTY is , not y or m");
	check("CONFIG_LAST", "CONFIG_LAST is n, not y or m");
}

static void a_value_is_compared_whole(void **state UNUSED)
{
	check("CONFIG_HZ=250", "");
	check("CONFIG_HZ=25", "CONFIG_HZ is 250, not 25");
	check("CONFIG_HZ=2500", "CONFIG_HZ is 250, not 2500");
	check("CONFIG_DUMMY=y", "CONFIG_DUMMY is m, not y");
	check("CONFIG_DUMMY=m", "");
	check("CONFIG_EMPTY=", "");
	check("CONFIG_SCHED_CLASS_EXT=y", "CONFIG_SCHED_CLASS_EXT is not set");
}

static void a_name_is_compared_whole(void **state UNUSED)
{
	check("CONFIG_H", "the config of the kernel does not mention CONFIG_H");
	check("CONFIG_HZ_25", "the config of the kernel does not mention CONFIG_HZ_25");
	check("CONFIG_HZ_250", "");
	check("CONFIG_PSI_DEFAULT", "the config of the kernel does not mention CONFIG_PSI_DEFAULT");
	check("PSI", "the config of the kernel does not mention PSI");
}

static void no_is_not_set_or_absent(void **state UNUSED)
{
	check("CONFIG_SCHED_CLASS_EXT=n", "");
	check("CONFIG_NOBODY_KNOWS=n", "");
	check("CONFIG_LAST=n", "");
	check("CONFIG_PSI=n", "CONFIG_PSI is y, not n");
}

static void the_last_line_counts(void **state UNUSED)
{
	check("CONFIG_TWICE", "CONFIG_TWICE is not set");
	check("CONFIG_BACK", "");
}

static void the_three_states_are_told_apart(void **state UNUSED)
{
	struct bytes value = { 0 };

	assert_int_equal(harness_kconfig_find(config, "CONFIG_HZ", 9, &value), HARNESS_KCONFIG_SET);
	assert_int_equal(value.n, 3);
	assert_memory_equal(value.at, "250", 3);
	assert_int_equal(harness_kconfig_find(config, "CONFIG_TWICE", 12, &value),
			 HARNESS_KCONFIG_NOT_SET);
	assert_int_equal(harness_kconfig_find(config, "CONFIG_ABSENT", 13, &value),
			 HARNESS_KCONFIG_ABSENT);
	/* Untouched when there is none. */
	assert_int_equal(value.n, 3);
	assert_int_equal(harness_kconfig_find((struct bytes){ 0 }, "CONFIG_HZ", 9, &value),
			 HARNESS_KCONFIG_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_option_alone_may_be_built_in_or_a_module),
		cmocka_unit_test(a_value_is_compared_whole),
		cmocka_unit_test(a_name_is_compared_whole),
		cmocka_unit_test(no_is_not_set_or_absent),
		cmocka_unit_test(the_last_line_counts),
		cmocka_unit_test(the_three_states_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
