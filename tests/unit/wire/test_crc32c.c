// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/crc32c.h"

#include "unit.h"

/* The vectors of RFC 3720, appendix B.4, and the check value of the CRC catalogues. */
static void crc32c_matches_the_published_vectors(void **state UNUSED)
{
	uint8_t bytes[32];

	assert_int_equal(wire_crc32c(0, "123456789", 9), 0xe3069283);
	assert_int_equal(wire_crc32c(0, "", 0), 0);
	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(wire_crc32c(0, bytes, sizeof(bytes)), 0x8a9136aa);
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(wire_crc32c(0, bytes, sizeof(bytes)), 0x62a8ab43);
	for (uint8_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i;
	assert_int_equal(wire_crc32c(0, bytes, sizeof(bytes)), 0x46dd794e);
	for (uint8_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = 31 - i;
	assert_int_equal(wire_crc32c(0, bytes, sizeof(bytes)), 0x113fdb5c);
	assert_int_equal(wire_crc32c_by_table(0, bytes, sizeof(bytes)), 0x113fdb5c);
}

/* The definition, bit by bit. */
static uint32_t slow(uint32_t crc, const uint8_t *at, size_t n)
{
	crc = ~crc;
	for (size_t i = 0; i < n; i++) {
		crc ^= at[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
	}
	return ~crc;
}

static void every_length_alignment_and_cut_agrees_with_the_definition(void **state UNUSED)
{
	uint8_t bytes[80];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 151 + 7);
	for (size_t from = 0; from < 9; from++)
		for (size_t n = 0; n <= sizeof(bytes) - from; n++) {
			uint32_t expected = slow(0, bytes + from, n);
			size_t cut = n / 3;

			assert_int_equal(wire_crc32c(0, bytes + from, n), expected);
			assert_int_equal(wire_crc32c_by_table(0, bytes + from, n), expected);
			assert_int_equal(wire_crc32c(wire_crc32c(0, bytes + from, cut),
						     bytes + from + cut, n - cut),
					 expected);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crc32c_matches_the_published_vectors),
		cmocka_unit_test(every_length_alignment_and_cut_agrees_with_the_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
