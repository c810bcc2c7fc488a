// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/qemu/machine_args.h"

#include "unit.h"

static void arguments_are_in_order_and_null_terminated(void **state UNUSED)
{
	_cleanup_vm_argv_ struct vm_argv argv = { 0 };
	const char *const *strings;

	vm_argv_add(&argv, "qemu");
	vm_argv_option(&argv, "-m", "%dM", 512);
	vm_argv_add(&argv, "-S");
	strings = vm_argv_strings(&argv);
	assert_string_equal(strings[0], "qemu");
	assert_string_equal(strings[1], "-m");
	assert_string_equal(strings[2], "512M");
	assert_string_equal(strings[3], "-S");
	assert_null(strings[4]);
	/* Asking does not lengthen it. */
	vm_argv_add(&argv, "more");
	assert_string_equal(vm_argv_strings(&argv)[4], "more");
	assert_null(vm_argv_strings(&argv)[5]);
}

static void formatted_words_are_joined_by_spaces(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_vm_argv_ struct vm_argv argv = { 0 };

	vm_argv_format(&argv, &text);
	assert_string_equal(strbuf_str(&text), "");
	vm_argv_add(&argv, "a");
	vm_argv_add(&argv, "b");
	vm_argv_format(&argv, &text);
	assert_string_equal(strbuf_str(&text), "a b");
}

static void commas_of_a_value_are_written_twice(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	vm_argv_append_value(&text, "/a,b,,c=d");
	assert_string_equal(strbuf_str(&text), "/a,,b,,,,c=d");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_are_in_order_and_null_terminated),
		cmocka_unit_test(formatted_words_are_joined_by_spaces),
		cmocka_unit_test(commas_of_a_value_are_written_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
