// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/frame.h"

#include "unit.h"

static void numbers_and_words_belong_to_one_type_each(void **state UNUSED)
{
	for (enum wire_type a = 0; a < WIRE_N_TYPES; a++) {
		enum wire_type found = WIRE_N_TYPES;

		assert_true(wire_type_find(wire_type_number(a), &found));
		assert_int_equal(found, a);
		for (enum wire_type b = 0; b < a; b++)
			assert_string_not_equal(wire_type_word(a), wire_type_word(b));
	}
}

static void the_number_tells_who_sends(void **state UNUSED)
{
	for (enum wire_type type = 0; type < WIRE_N_TYPES; type++)
		assert_int_equal(wire_type_number(type) >> 8,
				 wire_type_sender(type) == WIRE_GUEST ? 1 : 0);
}

/* What travels never changes; these are the numbers of docs/PROTOCOL.md. */
static void numbers_of_the_protocol_stay(void **state UNUSED)
{
	assert_int_equal(wire_type_number(WIRE_HELLO), 0x001);
	assert_int_equal(wire_type_number(WIRE_POWER_OFF), 0x00b);
	assert_int_equal(wire_type_number(WIRE_READY), 0x101);
	assert_int_equal(wire_type_number(WIRE_BYE), 0x10c);
}

static void an_unknown_number_is_no_type(void **state UNUSED)
{
	enum wire_type type = WIRE_BYE;

	assert_false(wire_type_find(0, &type));
	assert_false(wire_type_find(0x00c, &type));
	assert_false(wire_type_find(0xffff, &type));
	assert_int_equal(type, WIRE_BYE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_and_words_belong_to_one_type_each),
		cmocka_unit_test(the_number_tells_who_sends),
		cmocka_unit_test(numbers_of_the_protocol_stay),
		cmocka_unit_test(an_unknown_number_is_no_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
