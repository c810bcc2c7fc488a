// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/member_search.h"

#include "base/strbuf.h"
#include "elf/symbol.h"
#include "fixture.h"
#include "unit.h"

#define BYTES(text) ((struct bytes){ (const uint8_t *)(text), sizeof(text) - 1 })

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
		struct elf_unit_hits hits = { .n = 0 };

		elf_aranges_find(BYTES(ARANGES), &rows[i].address, 1, &hits);
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
		struct elf_unit_hits hits = { .n = 0 };

		copy[odd[i]] = 4;
		elf_aranges_find((struct bytes){ (uint8_t *)copy, sizeof(copy) - 1 }, &address, 1,
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
	struct elf_unit_hits hits = { .n = 0 };

	elf_aranges_find(BYTES(two), addresses, 2, &hits);
	assert_int_equal(hits.n, 2);
	assert_int_equal(hits.offsets[0], 0x60);
	assert_int_equal(hits.offsets[1], 0x30);
}

/* One set: the unit holds 16 bytes from `start` on. */
static void append_set(struct strbuf *s, uint32_t unit, uint64_t start)
{
	const uint32_t head[2] = { 0x2c, unit };
	const uint64_t tuples[4] = { start, 0x10 };

	strbuf_append_bytes(s, &head[0], 4);
	strbuf_append_bytes(s, "\2\0", 2);
	strbuf_append_bytes(s, &head[1], 4);
	strbuf_append_bytes(s, "\10\0\0\0\0\0", 6);
	strbuf_append_bytes(s, tuples, sizeof(tuples));
}

static void a_unit_met_twice_counts_once(void **state UNUSED)
{
	static const uint64_t addresses[] = { 0x1000, 0x2000, 0x100f };
	struct elf_unit_hits hits = { .n = 0 };

	elf_aranges_find(BYTES(ARANGES), addresses, ARRAY_SIZE(addresses), &hits);
	elf_aranges_find(BYTES(ARANGES), addresses, ARRAY_SIZE(addresses), &hits);
	assert_int_equal(hits.n, 1);
}

static void more_units_than_the_limit_are_left_out(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	uint64_t addresses[3 * ELF_LIMIT_UNIT_HITS];
	struct elf_unit_hits hits = { .n = 0 };

	for (uint32_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		addresses[i] = 0x1000 + 0x10 * i;
		append_set(&s, 7 * i, addresses[i]);
	}
	elf_aranges_find((struct bytes){ (uint8_t *)s.at, s.n }, addresses, ARRAY_SIZE(addresses),
			 &hits);
	assert_int_equal(hits.n, ELF_LIMIT_UNIT_HITS);
	assert_int_equal(hits.offsets[0], 0);
	assert_int_equal(hits.offsets[ELF_LIMIT_UNIT_HITS - 1], 7 * (ELF_LIMIT_UNIT_HITS - 1));
}

static void a_set_of_another_version_does_not_hide_the_next(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	const uint64_t address = 0x1004;
	struct elf_unit_hits hits = { .n = 0 };

	append_set(&s, 1, 0x1000);
	s.at[4] = 9;
	append_set(&s, 2, 0x1000);
	elf_aranges_find((struct bytes){ (uint8_t *)s.at, s.n }, &address, 1, &hits);
	assert_int_equal(hits.n, 1);
	assert_int_equal(hits.offsets[0], 2);
}

static void a_cut_set_has_no_answer(void **state UNUSED)
{
	const uint64_t address = 0x1000;

	for (size_t n = 0; n < sizeof(ARANGES) - 1; n++) {
		_cleanup_free_ uint8_t *cut = malloc(n + 1);
		struct elf_unit_hits hits = { .n = 0 };

		memcpy(cut, ARANGES, n);
		elf_aranges_find((struct bytes){ cut, n }, &address, 1, &hits);
		assert_int_equal(hits.n, 0);
	}
}

static void sets_of_64_bit_dwarf_are_read(void **state UNUSED)
{
	static const char set[] = "\xff\xff\xff\xff"
				  "\x34\0\0\0\0\0\0\0"
				  "\2\0"
				  "\x20\0\0\0\0\0\0\0"
				  "\10"
				  "\0"
				  "\0\0\0\0\0\0\0\0"
				  "\0\x10\0\0\0\0\0\0"
				  "\x10\0\0\0\0\0\0\0"
				  "\0\0\0\0\0\0\0\0"
				  "\0\0\0\0\0\0\0\0";
	const uint64_t address = 0x1000;
	struct elf_unit_hits hits = { .n = 0 };

	elf_aranges_find(BYTES(set), &address, 1, &hits);
	assert_int_equal(hits.n, 1);
	assert_int_equal(hits.offsets[0], 0x20);
}

/* The linker's entry point lies in no unit, the program's functions do. */
static void real_objects_have_an_answer_for_their_functions(void **state UNUSED)
{
	static const char *const variants[] = { "gcc-dwarf2", "gcc-dwarf5", "gcc-dwarf64" };

	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		_cleanup_elf_image_ struct elf_image *img = fixture_open(variants[i], "prog");
		struct elf_unit_hits hits = { .n = 0 };
		struct elf_symbol symbol;
		struct bytes section;

		assert_success(elf_image_section(img, ".debug_aranges", &section));
		assert_success(elf_symbol_find_named(img, "_start", &symbol));
		elf_aranges_find(section, &symbol.value, 1, &hits);
		assert_int_equal(hits.n, 0);
		assert_success(elf_symbol_find_named(img, "main", &symbol));
		elf_aranges_find(section, &symbol.value, 1, &hits);
		assert_int_equal(hits.n, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aranges_name_the_unit_of_an_address),
		cmocka_unit_test(aranges_with_odd_headers_are_left_out),
		cmocka_unit_test(the_first_address_comes_first),
		cmocka_unit_test(a_unit_met_twice_counts_once),
		cmocka_unit_test(more_units_than_the_limit_are_left_out),
		cmocka_unit_test(a_set_of_another_version_does_not_hide_the_next),
		cmocka_unit_test(a_cut_set_has_no_answer),
		cmocka_unit_test(sets_of_64_bit_dwarf_are_read),
		cmocka_unit_test(real_objects_have_an_answer_for_their_functions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
