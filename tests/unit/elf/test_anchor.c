// SPDX-License-Identifier: GPL-2.0-or-later

#include "build_elf.h"
#include "elf/member_search.h"
#include "fixture.h"
#include "unit.h"

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
	assert_success(elf_member_search_init(&search, &tsd_query));
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

static void a_symbol_that_is_not_there_has_no_neighbours(void **state UNUSED)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_with_the_same_stem_lead_to_the_unit),
		cmocka_unit_test(without_aranges_or_symbols_there_are_no_hits),
		cmocka_unit_test(a_symbol_that_is_not_there_has_no_neighbours),
		cmocka_unit_test(local_functions_of_the_same_source_file_lead_to_the_unit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
