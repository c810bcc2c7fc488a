// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/member_search.h"

#include "base/strbuf.h"
#include "build_elf.h"
#include "elf/symbol.h"
#include "fixture.h"
#include "unit.h"

/* The quick ways must find it without a walk, whatever the compiler left as a hint. */
static void the_quick_search_finds_the_struct_for_every_compiler(void **state UNUSED)
{
	static const char *const variants[] = {
		"gcc-dwarf2",	  "gcc-dwarf3",	      "gcc-dwarf4",    "gcc-dwarf5",
		"clang-dwarf2",	  "clang-dwarf3",     "clang-dwarf4",  "clang-dwarf5",
		"gcc-no-aranges", "gcc-zlib",	      "gcc-zdebug",    "clang-zstd",
		"gcc-types4",	  "gcc-types5",	      "gcc-pubtypes",  "clang-names",
		"gcc-dwarf64",	  "gcc-gnu-pubtypes", "gcc-anonymous", "clang-class",
		"gcc-static",
	};

	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		_cleanup_elf_image_ struct elf_image *img = NULL;
		_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
		uint64_t expected[2], offsets[2] = { 0 };
		bool conclusive = false;

		if (!fixture_exists(variants[i])) {
			print_message("no tool to make %s\n", variants[i]);
			continue;
		}
		fixture_expected(variants[i], expected);
		img = fixture_open(variants[i], "prog");
		search.query = &tsd_query;
		assert_success(elf_image_search_quick(&search, img, &conclusive));
		assert_true(conclusive && search.found);
		assert_success(elf_member_search_result(&search, variants[i], offsets));
		assert_memory_equal(offsets, expected, sizeof(offsets));
	}
}

static void the_full_walk_finds_the_same_offsets(void **state UNUSED)
{
	static const char *const variants[] = { "gcc-dwarf2", "gcc-dwarf5", "clang-dwarf5",
						"gcc-types4" };

	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		_cleanup_elf_image_ struct elf_image *img = NULL;
		_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
		uint64_t expected[2], offsets[2];

		if (!fixture_exists(variants[i]))
			continue;
		fixture_expected(variants[i], expected);
		img = fixture_open(variants[i], "prog");
		search.query = &tsd_query;
		assert_success(elf_image_search_walk(&search, img));
		assert_success(elf_member_search_result(&search, variants[i], offsets));
		assert_memory_equal(offsets, expected, sizeof(offsets));
	}
}

/* The anchor's unit is searched alone: nothing else is even looked at. */
static void with_an_anchor_only_one_unit_is_read(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
	bool conclusive = false;

	search.query = &tsd_query;
	assert_success(elf_image_search_quick(&search, img, &conclusive));
	assert_int_equal(search.n_units, 1);
}

/* .debug_pubtypes and .debug_names are not read; the name alone leads to the same unit. */
static void a_compilers_index_of_types_is_not_needed(void **state UNUSED)
{
	static const char *const variants[] = { "gcc-pubtypes", "gcc-gnu-pubtypes", "clang-names" };
	struct elf_member_query query = tsd_query;

	query.anchor_symbol = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		_cleanup_elf_image_ struct elf_image *img = NULL;
		_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
		bool conclusive = false;

		if (!fixture_exists(variants[i]))
			continue;
		img = fixture_open(variants[i], "prog");
		search.query = &query;
		assert_success(elf_image_search_quick(&search, img, &conclusive));
		assert_true(conclusive && search.found);
		assert_in_range(search.n_units, 1, 2);
	}
}

static void without_an_anchor_only_units_with_the_name_are_read(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-static", "prog");
	_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
	struct elf_member_query query = tsd_query;
	bool conclusive = false;

	query.anchor_symbol = NULL;
	search.query = &query;
	assert_success(elf_image_search_quick(&search, img, &conclusive));
	assert_true(conclusive && search.found);
	assert_in_range(search.n_units, 1, 2);
}

static void a_name_absent_from_the_strings_needs_no_walk(void **state UNUSED)
{
	static const char *const members[] = { "never_mentioned_anywhere" };
	const struct elf_member_query query = { .type_name = "x",
						.members = members,
						.n_members = 1 };
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
	bool conclusive = false;

	search.query = &query;
	assert_success(elf_image_search_quick(&search, img, &conclusive));
	assert_true(conclusive);
	assert_false(search.found);
	assert_int_equal(search.n_units, 0);
}

static void a_cancelled_search_stops_at_the_first_unit(void **state UNUSED)
{
	struct cancel cancel = { 0 };
	struct elf_member_query query = tsd_query;
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
	bool conclusive;

	query.cancel = &cancel;
	cancel_request(&cancel);
	search.query = &query;
	assert_error_tag(elf_image_search_quick(&search, img, &conclusive), "cancelled");
	assert_error_tag(elf_image_search_walk(&search, img), "cancelled");
}

/* Whether the unit that the anchor names holds the struct, by reading its entries. */
static void anchor_leads_to_the_struct(const char *variant)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open(variant, "prog");
	_cleanup_elf_dwarf_view_ struct elf_dwarf_view *view = NULL;
	_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
	struct elf_unit_hits hits = { .n = 0 };
	Dwarf_CU *cu = NULL;

	elf_anchor_find_units(img, "je_tsd_tls", &hits);
	assert_int_equal(hits.n, 1);
	assert_success(elf_dwarf_view_new(img, ELF_DWARF_VIEW_MAIN, &view));
	assert_success(elf_dwarf_view_load_unit(view, hits.offsets[0]));
	assert_int_equal(
		dwarf_get_units(elf_dwarf_view_dwarf(view), NULL, &cu, NULL, NULL, NULL, NULL), 0);
	search.query = &tsd_query;
	assert_success(elf_member_search_unit(&search, view, cu));
	assert_true(search.found);
}

static void functions_with_the_same_stem_lead_to_the_unit(void **state UNUSED)
{
	anchor_leads_to_the_struct("gcc-dwarf5");
	anchor_leads_to_the_struct("gcc-dwarf2");
	anchor_leads_to_the_struct("gcc-static");
}

static void without_aranges_or_symbols_there_are_no_hits(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *no_aranges = fixture_open("gcc-no-aranges", "prog");
	_cleanup_elf_image_ struct elf_image *stripped = fixture_open("stripped", "prog");
	struct elf_unit_hits hits = { .n = 0 };

	elf_anchor_find_units(no_aranges, "je_tsd_tls", &hits);
	elf_anchor_find_units(stripped, "je_tsd_tls", &hits);
	assert_int_equal(hits.n, 0);
}

static void a_missing_symbol_leads_to_no_unit(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	struct elf_unit_hits hits = { .n = 0 };

	elf_anchor_find_units(img, "nobody", &hits);
	elf_anchor_find_units(img, "another_stem", &hits);
	assert_int_equal(hits.n, 0);
}

#define NAMES "\0a.c\0fa\0b.c\0anchor\0fb\0glob"
enum { A_C = 1, FA = 5, B_C = 8, ANCHOR = 12, FB = 19, GLOB = 22 };
#define SYM(name, bind, type, value, shndx_)    \
	{ .st_name = (name),                    \
	  .st_info = ELF64_ST_INFO(bind, type), \
	  .st_value = (value),                  \
	  .st_shndx = (shndx_) }

/* Units at 0x30 for 0x1000 and at 0x60 for 0x5000. */
static const char aranges[] = "\x2c\0\0\0"
			      "\2\0"
			      "\x30\0\0\0"
			      "\10"
			      "\0"
			      "\0\0\0\0"
			      "\0\x10\0\0\0\0\0\0"
			      "\x10\0\0\0\0\0\0\0"
			      "\0\0\0\0\0\0\0\0"
			      "\0\0\0\0\0\0\0\0"
			      "\x2c\0\0\0"
			      "\2\0"
			      "\x60\0\0\0"
			      "\10"
			      "\0"
			      "\0\0\0\0"
			      "\0\x50\0\0\0\0\0\0"
			      "\x10\0\0\0\0\0\0\0"
			      "\0\0\0\0\0\0\0\0"
			      "\0\0\0\0\0\0\0\0";

static void local_functions_of_the_same_source_file_lead_to_the_unit(void **state UNUSED)
{
	const Elf64_Sym symbols[] = {
		{ 0 },
		SYM(A_C, STB_LOCAL, STT_FILE, 0, SHN_ABS),
		SYM(FA, STB_LOCAL, STT_FUNC, 0x1000, 1),
		SYM(B_C, STB_LOCAL, STT_FILE, 0, SHN_ABS),
		SYM(ANCHOR, STB_LOCAL, STT_TLS, 0x10, 1),
		SYM(FB, STB_LOCAL, STT_FUNC, 0x5000, 1),
		SYM(GLOB, STB_GLOBAL, STT_FUNC, 0x1001, 1),
	};
	_cleanup_elf_builder_ struct elf_builder b = { .type = ET_EXEC };
	_cleanup_elf_image_ struct elf_image *img = NULL;
	struct elf_unit_hits hits = { .n = 0 };

	elf_builder_section(&b, ".strtab", SHT_STRTAB, 0, NAMES, sizeof(NAMES));
	elf_builder_section(&b, ".symtab", SHT_SYMTAB, 0, symbols, sizeof(symbols))->sh_link = 1;
	elf_builder_section(&b, ".debug_aranges", SHT_PROGBITS, 0, aranges, sizeof(aranges) - 1);
	img = elf_builder_open(&b);
	elf_anchor_find_units(img, "anchor", &hits);
	assert_int_equal(hits.n, 1);
	assert_int_equal(hits.offsets[0], 0x60);
}

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

static void units_are_found_in_the_order_of_the_addresses(void **state UNUSED)
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

static const char *const packaged[] = { "gcc-dwp4", "gcc-dwp5", "clang-dwp4", "clang-dwp5" };

static void skeletons_name_their_files(void **state UNUSED)
{
	static const char *const variants[] = { "gcc-dwo4", "gcc-dwo5", "clang-dwo4",
						"clang-dwo5" };

	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		_cleanup_elf_image_ struct elf_image *img = NULL;
		_cleanup_elf_skeletons_ struct elf_skeletons skeletons = { 0 };

		if (!fixture_exists(variants[i]))
			continue;
		img = fixture_open(variants[i], "prog");
		assert_success(elf_skeletons_read(img, NULL, &skeletons));
		assert_int_equal(skeletons.n, 2);
		assert_true(skeletons.at[0].id < skeletons.at[1].id);
		for (size_t s = 0; s < 2; s++) {
			assert_contains(skeletons.at[s].dwo_name, ".dwo");
			assert_contains(skeletons.at[s].comp_dir, variants[i]);
		}
	}
}

static void ordinary_units_are_not_skeletons(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	_cleanup_elf_skeletons_ struct elf_skeletons skeletons = { 0 };

	assert_success(elf_skeletons_read(img, NULL, &skeletons));
	assert_int_equal(skeletons.n, 0);
}

static void listing_skeletons_can_be_cancelled(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	_cleanup_elf_skeletons_ struct elf_skeletons skeletons = { 0 };
	struct cancel cancel = { .requested = true };

	assert_error_tag(elf_skeletons_read(img, &cancel, &skeletons), "cancelled");
}

static bool found_in_package(const char *variant, const struct elf_skeletons *skeletons,
			     uint64_t offsets[2])
{
	_cleanup_elf_image_ struct elf_image *package = fixture_open(variant, "prog.dwp");
	_cleanup_elf_member_search_ struct elf_member_search search = { 0 };

	search.query = &tsd_query;
	assert_success(elf_split_dwarf_search(&search, package, skeletons));
	if (search.found)
		assert_success(elf_member_search_result(&search, variant, offsets));
	return search.found;
}

static void packages_of_both_makers_and_versions_answer(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(packaged); i++) {
		_cleanup_elf_image_ struct elf_image *img = NULL;
		_cleanup_elf_skeletons_ struct elf_skeletons skeletons = { 0 };
		uint64_t expected[2], offsets[2];

		if (!fixture_exists(packaged[i])) {
			print_message("no tool to make %s\n", packaged[i]);
			continue;
		}
		fixture_expected(packaged[i], expected);
		img = fixture_open(packaged[i], "prog");
		assert_success(elf_skeletons_read(img, NULL, &skeletons));
		assert_true(found_in_package(packaged[i], &skeletons, offsets));
		assert_memory_equal(offsets, expected, sizeof(offsets));
	}
}

/* A package of another program must not answer for this one. */
static void units_without_a_skeleton_do_not_count(void **state UNUSED)
{
	struct elf_skeleton stranger = { .id = 12345 };
	struct elf_skeletons skeletons = { .at = &stranger, .n = 1 };
	uint64_t offsets[2];

	for (size_t i = 0; i < ARRAY_SIZE(packaged); i++) {
		if (fixture_exists(packaged[i]))
			assert_false(found_in_package(packaged[i], &skeletons, offsets));
	}
}

static void a_file_that_is_not_a_dwp_package_is_an_error(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
	struct elf_skeletons none = { 0 };

	search.query = &tsd_query;
	assert_error_tag(elf_split_dwarf_search(&search, img, &none), "no-debug-info");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_quick_search_finds_the_struct_for_every_compiler),
		cmocka_unit_test(the_full_walk_finds_the_same_offsets),
		cmocka_unit_test(with_an_anchor_only_one_unit_is_read),
		cmocka_unit_test(a_compilers_index_of_types_is_not_needed),
		cmocka_unit_test(without_an_anchor_only_units_with_the_name_are_read),
		cmocka_unit_test(a_name_absent_from_the_strings_needs_no_walk),
		cmocka_unit_test(a_cancelled_search_stops_at_the_first_unit),
		cmocka_unit_test(functions_with_the_same_stem_lead_to_the_unit),
		cmocka_unit_test(without_aranges_or_symbols_there_are_no_hits),
		cmocka_unit_test(a_missing_symbol_leads_to_no_unit),
		cmocka_unit_test(local_functions_of_the_same_source_file_lead_to_the_unit),
		cmocka_unit_test(aranges_name_the_unit_of_an_address),
		cmocka_unit_test(aranges_with_odd_headers_are_left_out),
		cmocka_unit_test(units_are_found_in_the_order_of_the_addresses),
		cmocka_unit_test(a_unit_met_twice_counts_once),
		cmocka_unit_test(more_units_than_the_limit_are_left_out),
		cmocka_unit_test(a_set_of_another_version_does_not_hide_the_next),
		cmocka_unit_test(a_cut_set_has_no_answer),
		cmocka_unit_test(sets_of_64_bit_dwarf_are_read),
		cmocka_unit_test(real_objects_have_an_answer_for_their_functions),
		cmocka_unit_test(skeletons_name_their_files),
		cmocka_unit_test(ordinary_units_are_not_skeletons),
		cmocka_unit_test(listing_skeletons_can_be_cancelled),
		cmocka_unit_test(packages_of_both_makers_and_versions_answer),
		cmocka_unit_test(units_without_a_skeleton_do_not_count),
		cmocka_unit_test(a_file_that_is_not_a_dwp_package_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
