// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/io.h"

#include "unit.h"

static bool parse(const char *text, struct proc_fields *ret)
{
	return proc_io_parse(text, strlen(text), ret);
}

static void seven_keys_are_known(void **state UNUSED)
{
	struct proc_fields fields;

	assert_true(parse("rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n"
			  "cancelled_write_bytes: 18446744073709551615\nother: 8\n",
			  &fields));
	for (unsigned int i = 0; i < N_PROC_IO_FIELDS - 1; i++)
		assert_int_equal(fields.at[i], i + 1);
	assert_true(fields.at[PROC_IO_CANCELLED_WRITE_BYTES] == UINT64_MAX);
	assert_int_equal(fields.known, (1 << N_PROC_IO_FIELDS) - 1);
}

static void the_last_line_of_a_key_counts(void **state UNUSED)
{
	struct proc_fields fields;

	assert_true(parse("rchar: 1\nrchar: 9\nwchar: 5\nwchar: -1\n", &fields));
	assert_int_equal(fields.at[PROC_IO_RCHAR], 9);
	assert_false(proc_fields_know(&fields, PROC_IO_WCHAR));
}

static void nothing_of_it_is_nothing(void **state UNUSED)
{
	struct proc_fields fields;

	assert_false(parse("", &fields));
	assert_false(parse("rchar 1\nRCHAR: 1\nxrchar: 1\n", &fields));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seven_keys_are_known),
		cmocka_unit_test(the_last_line_of_a_key_counts),
		cmocka_unit_test(nothing_of_it_is_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
