// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/bytes.h"

#include "unit.h"

static struct cursor over(const void *p, size_t n)
{
	return cursor_over((struct bytes){ p, n });
}

static void cursor_reads_little_endian(void **state UNUSED)
{
	const uint8_t raw[] = { 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08 };
	struct cursor c = over(raw, sizeof(raw));

	assert_int_equal(cursor_u16(&c), 0x0201);
	assert_int_equal(cursor_u32(&c), 0x06050403);
	assert_int_equal(cursor_u8(&c), 7);
	assert_int_equal(cursor_left(&c), 1);
	assert_false(c.failed);
}

static void cursor_past_the_end_fails_and_stays_failed(void **state UNUSED)
{
	const uint8_t raw[] = { 1, 2, 3 };
	struct cursor c = over(raw, sizeof(raw));

	assert_int_equal(cursor_u32(&c), 0);
	assert_true(c.failed);
	assert_int_equal(cursor_u8(&c), 0);
	assert_int_equal(cursor_left(&c), 0);
	assert_null(cursor_string(&c));
}

static void cursor_reads_the_last_byte(void **state UNUSED)
{
	const uint8_t raw[] = { 9 };
	struct cursor c = over(raw, sizeof(raw));

	assert_int_equal(cursor_u8(&c), 9);
	assert_false(c.failed);
}

static void uleb128_reads_several_bytes(void **state UNUSED)
{
	/* The example of the DWARF standard: 624485. */
	const uint8_t raw[] = { 0xe5, 0x8e, 0x26 };
	struct cursor c = over(raw, sizeof(raw));

	assert_int_equal(cursor_uleb128(&c), 624485);
	assert_false(c.failed);
}

static void uleb128_takes_64_bits_and_no_more(void **state UNUSED)
{
	const uint8_t max[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 };
	const uint8_t over64[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02 };
	struct cursor c = over(max, sizeof(max));

	assert_true(cursor_uleb128(&c) == UINT64_MAX);
	assert_false(c.failed);
	c = over(over64, sizeof(over64));
	assert_int_equal(cursor_uleb128(&c), 0);
	assert_true(c.failed);
}

static void string_needs_its_nul_inside_the_range(void **state UNUSED)
{
	struct cursor c = over("ab\0cd", 5);

	assert_string_equal(cursor_string(&c), "ab");
	assert_null(cursor_string(&c));
	assert_true(c.failed);
}

static void seek_allows_the_end_but_not_past_it(void **state UNUSED)
{
	struct cursor c = over("ab", 2);

	cursor_seek(&c, 2);
	assert_false(c.failed);
	cursor_seek(&c, 3);
	assert_true(c.failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cursor_reads_little_endian),
		cmocka_unit_test(cursor_past_the_end_fails_and_stays_failed),
		cmocka_unit_test(cursor_reads_the_last_byte),
		cmocka_unit_test(uleb128_reads_several_bytes),
		cmocka_unit_test(uleb128_takes_64_bits_and_no_more),
		cmocka_unit_test(string_needs_its_nul_inside_the_range),
		cmocka_unit_test(seek_allows_the_end_but_not_past_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
