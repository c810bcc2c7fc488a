// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/frame.h"

#include "unit.h"

static void frame_types_have_unique_numbers_and_names(void **state UNUSED)
{
	for (enum wire_type a = 0; a < WIRE_N_TYPES; a++) {
		enum wire_type found = WIRE_N_TYPES;

		assert_true(wire_type_find(wire_type_number(a), &found));
		assert_int_equal(found, a);
		for (enum wire_type b = 0; b < a; b++)
			assert_string_not_equal(wire_type_name(a), wire_type_name(b));
	}
}

static void the_high_byte_of_a_type_number_is_the_sender(void **state UNUSED)
{
	for (enum wire_type type = 0; type < WIRE_N_TYPES; type++)
		assert_int_equal(wire_type_number(type) >> 8,
				 wire_type_sender(type) == WIRE_GUEST ? 1 : 0);
}

/* What travels never changes; these are the numbers of docs/PROTOCOL.md. */
static void frame_type_numbers_do_not_change(void **state UNUSED)
{
	assert_int_equal(wire_type_number(WIRE_HELLO), 0x001);
	assert_int_equal(wire_type_number(WIRE_POWER_OFF), 0x00b);
	assert_int_equal(wire_type_number(WIRE_READY), 0x101);
	assert_int_equal(wire_type_number(WIRE_BYE), 0x10c);
}

static void an_unknown_type_number_is_not_found(void **state UNUSED)
{
	enum wire_type type = WIRE_BYE;

	assert_false(wire_type_find(0, &type));
	assert_false(wire_type_find(0x0ff, &type));
	assert_false(wire_type_find(0xffff, &type));
	assert_int_equal(type, WIRE_BYE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frame_types_have_unique_numbers_and_names),
		cmocka_unit_test(the_high_byte_of_a_type_number_is_the_sender),
		cmocka_unit_test(frame_type_numbers_do_not_change),
		cmocka_unit_test(an_unknown_type_number_is_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
