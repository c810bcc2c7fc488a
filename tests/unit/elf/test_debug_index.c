// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/debug_index.h"

#include "fixture.h"
#include "unit.h"

#define BYTES(text) ((struct bytes){ (const uint8_t *)(text), sizeof(text) - 1 })

static void hits_are_kept_once_and_within_their_limit(void **state UNUSED)
{
	struct unit_hits hits = { .n = 0 };

	unit_hits_add(&hits, 7);
	unit_hits_add(&hits, 7);
	assert_int_equal(hits.n, 1);
	for (uint64_t i = 0; i < 100; i++)
		unit_hits_add(&hits, i);
	assert_int_equal(hits.n, ELF_LIMIT_UNIT_HITS);
	assert_int_equal(hits.offsets[0], 7);
}

/* Two sets: a unit at 0x10 with `other`, one at 0x20 with `tsd_s`. */
#define PUBTYPES     \
	"\x18\0\0\0" \
	"\2\0"       \
	"\x10\0\0\0" \
	"\x50\0\0\0" \
	"\x1d\0\0\0" \
	"other\0"    \
	"\0\0\0\0"   \
	"\x18\0\0\0" \
	"\2\0"       \
	"\x20\0\0\0" \
	"\x50\0\0\0" \
	"\x1d\0\0\0" \
	"tsd_s\0"    \
	"\0\0\0\0"

static void pubtypes_name_the_unit_of_a_type(void **state UNUSED)
{
	struct unit_hits hits = { .n = 0 };

	debug_pubtypes_find(BYTES(PUBTYPES), false, "tsd_s", &hits);
	assert_int_equal(hits.n, 1);
	assert_int_equal(hits.offsets[0], 0x20);
	debug_pubtypes_find(BYTES(PUBTYPES), false, "tsd", &hits);
	assert_int_equal(hits.n, 1);
}

static void pubtypes_of_another_version_and_cut_ones_are_left_out(void **state UNUSED)
{
	struct unit_hits hits = { .n = 0 };
	char copy[sizeof(PUBTYPES)] = PUBTYPES;

	copy[4] = 9; /* the first set's version: skipped, the second still counts */
	debug_pubtypes_find((struct bytes){ (uint8_t *)copy, sizeof(copy) - 1 }, false, "tsd_s",
			    &hits);
	assert_int_equal(hits.n, 1);
	for (size_t n = 0; n < sizeof(PUBTYPES) - 1; n++) {
		_cleanup_free_ uint8_t *cut = malloc(n + 1);

		memcpy(cut, PUBTYPES, n);
		hits.n = 0;
		debug_pubtypes_find((struct bytes){ cut, n }, false, "tsd_s", &hits);
		assert_int_equal(hits.n, 0);
	}
}

static void gnu_pubtypes_have_one_more_byte(void **state UNUSED)
{
	struct unit_hits hits = { .n = 0 };
	static const char set[] = "\x19\0\0\0"
				  "\2\0"
				  "\x20\0\0\0"
				  "\x50\0\0\0"
				  "\x1d\0\0\0"
				  "\x10"
				  "tsd_s\0"
				  "\0\0\0\0";

	debug_pubtypes_find(BYTES(set), true, "tsd_s", &hits);
	assert_int_equal(hits.n, 1);
	assert_int_equal(hits.offsets[0], 0x20);
}

static void sets_of_64_bit_dwarf_are_read(void **state UNUSED)
{
	struct unit_hits hits = { .n = 0 };
	static const char set[] = "\xff\xff\xff\xff"
				  "\x28\0\0\0\0\0\0\0"
				  "\2\0"
				  "\x20\0\0\0\0\0\0\0"
				  "\x50\0\0\0\0\0\0\0"
				  "\x1d\0\0\0\0\0\0\0"
				  "tsd_s\0"
				  "\0\0\0\0\0\0\0\0";

	debug_pubtypes_find(BYTES(set), false, "tsd_s", &hits);
	assert_int_equal(hits.n, 1);
	assert_int_equal(hits.offsets[0], 0x20);
}

/* One set: the unit at 0x30 holds [0x1000, 0x1010) and [0x2000, 0x2001). */
#define ARANGES              \
	"\x3c\0\0\0"         \
	"\2\0"               \
	"\x30\0\0\0"         \
	"\10"                \
	"\0"                 \
	"\0\0\0\0"           \
	"\0\x10\0\0\0\0\0\0" \
	"\x10\0\0\0\0\0\0\0" \
	"\0\x20\0\0\0\0\0\0" \
	"\1\0\0\0\0\0\0\0"   \
	"\0\0\0\0\0\0\0\0"   \
	"\0\0\0\0\0\0\0\0"

static void aranges_name_the_unit_of_an_address(void **state UNUSED)
{
	static const struct {
		uint64_t address;
		size_t n;
	} rows[] = { { 0xfff, 0 },  { 0x1000, 1 }, { 0x100f, 1 }, { 0x1010, 0 },
		     { 0x2000, 1 }, { 0x2001, 0 }, { 0, 0 },	  { UINT64_MAX, 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct unit_hits hits = { .n = 0 };

		debug_aranges_find(BYTES(ARANGES), &rows[i].address, 1, &hits);
		assert_int_equal(hits.n, rows[i].n);
		if (hits.n)
			assert_int_equal(hits.offsets[0], 0x30);
	}
}

static void aranges_with_odd_headers_are_left_out(void **state UNUSED)
{
	static const size_t odd[] = { 4, 10, 11 }; /* version, address size, segment size */
	const uint64_t address = 0x1000;

	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		char copy[sizeof(ARANGES)] = ARANGES;
		struct unit_hits hits = { .n = 0 };

		copy[odd[i]] = 4;
		debug_aranges_find((struct bytes){ (uint8_t *)copy, sizeof(copy) - 1 }, &address, 1,
				   &hits);
		assert_int_equal(hits.n, 0);
	}
}

static void the_first_address_comes_first(void **state UNUSED)
{
	static const char two[] = ARANGES "\x2c\0\0\0"
					  "\2\0"
					  "\x60\0\0\0"
					  "\10"
					  "\0"
					  "\0\0\0\0"
					  "\0\x50\0\0\0\0\0\0"
					  "\x10\0\0\0\0\0\0\0"
					  "\0\0\0\0\0\0\0\0"
					  "\0\0\0\0\0\0\0\0";
	static const uint64_t addresses[] = { 0x5001, 0x1001 };
	struct unit_hits hits = { .n = 0 };

	debug_aranges_find(BYTES(two), addresses, 2, &hits);
	assert_int_equal(hits.n, 2);
	assert_int_equal(hits.offsets[0], 0x60);
	assert_int_equal(hits.offsets[1], 0x30);
}

/* In real objects the unit that is named must hold the struct: libdw is asked elsewhere. */
static void real_indexes_have_an_answer(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *old = fixture_open("gcc-pubtypes", "prog");
	_cleanup_elf_image_ struct elf_image *gnu = fixture_open("gcc-gnu-pubtypes", "prog");
	struct unit_hits hits = { .n = 0 };
	struct bytes section;

	assert_success(elf_image_section(old, ".debug_pubtypes", &section));
	debug_pubtypes_find(section, false, "tsd_s", &hits);
	assert_in_range(hits.n, 1, 2);
	hits.n = 0;
	assert_success(elf_image_section(gnu, ".debug_gnu_pubtypes", &section));
	debug_pubtypes_find(section, true, "tsd_s", &hits);
	assert_in_range(hits.n, 1, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hits_are_kept_once_and_within_their_limit),
		cmocka_unit_test(pubtypes_name_the_unit_of_a_type),
		cmocka_unit_test(pubtypes_of_another_version_and_cut_ones_are_left_out),
		cmocka_unit_test(gnu_pubtypes_have_one_more_byte),
		cmocka_unit_test(sets_of_64_bit_dwarf_are_read),
		cmocka_unit_test(aranges_name_the_unit_of_an_address),
		cmocka_unit_test(aranges_with_odd_headers_are_left_out),
		cmocka_unit_test(the_first_address_comes_first),
		cmocka_unit_test(real_indexes_have_an_answer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
