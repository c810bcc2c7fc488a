// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/symbol.h"

#include "build_elf.h"
#include "fixture.h"
#include "unit.h"

#define NAMES "\0alpha\0beta\0gamma_tsd_tls\0delta_tsd_tls"
enum { ALPHA = 1, BETA = 7, GAMMA = 12, DELTA = 26 };

/* Counts the symbols it is shown, and ends the walk at the first whose name has this ending. */
struct ending {
	const char *suffix;
	struct elf_symbol hit;
	size_t n_seen;
};

static bool stop_at_ending(const struct elf_symbol *symbol, void *arg)
{
	struct ending *ending = arg;
	size_t n = strlen(symbol->name), suffix = strlen(ending->suffix);

	ending->n_seen++;
	if (n <= suffix || strcmp(symbol->name + n - suffix, ending->suffix) != 0)
		return true;
	ending->hit = *symbol;
	return false;
}

/* .symtab: undefined alpha, gamma; .dynsym: alpha, delta, gamma elsewhere. */
static struct elf_image *two_tables(struct elf_builder *b)
{
	const Elf64_Sym symtab[] = {
		{ 0 },
		{ .st_name = ALPHA, .st_value = 0x10 },
		{ .st_name = GAMMA,
		  .st_value = 0x20,
		  .st_size = 8,
		  .st_shndx = 3,
		  .st_info = ELF64_ST_INFO(STB_LOCAL, STT_TLS) },
		{ .st_name = 60000, .st_value = 0x30, .st_shndx = 3 },
	};
	const Elf64_Sym dynsym[] = {
		{ 0 },
		{ .st_name = ALPHA, .st_value = 0x11, .st_shndx = 4 },
		{ .st_name = DELTA, .st_value = 0x40, .st_shndx = 4 },
		{ .st_name = GAMMA, .st_value = 0x21, .st_shndx = 4 },
	};

	elf_builder_section(b, ".strtab", SHT_STRTAB, 0, NAMES, sizeof(NAMES));
	elf_builder_section(b, ".dynsym", SHT_DYNSYM, 0, dynsym, sizeof(dynsym))->sh_link = 1;
	elf_builder_section(b, ".symtab", SHT_SYMTAB, 0, symtab, sizeof(symtab))->sh_link = 1;
	return elf_builder_open(b);
}

static void symtab_comes_before_dynsym_and_undefined_does_not_count(void **state UNUSED)
{
	_cleanup_elf_builder_ struct elf_builder b = { .type = ET_DYN };
	_cleanup_elf_image_ struct elf_image *img = two_tables(&b);
	struct elf_symbol s;

	assert_success(elf_symbol_find_named(img, "alpha", &s));
	assert_int_equal(s.value, 0x11);
	assert_success(elf_symbol_find_named(img, "gamma_tsd_tls", &s));
	assert_int_equal(s.value, 0x20);
	assert_int_equal(s.size, 8);
	assert_int_equal(s.type, STT_TLS);
	assert_int_equal(s.bind, STB_LOCAL);
	assert_int_equal(s.shndx, 3);
	assert_success(elf_symbol_find_named(img, "delta_tsd_tls", &s));
	assert_error_tag(elf_symbol_find_named(img, "beta", &s), "absent");
}

static void the_first_match_wins(void **state UNUSED)
{
	_cleanup_elf_builder_ struct elf_builder b = { .type = ET_DYN };
	_cleanup_elf_image_ struct elf_image *img = two_tables(&b);
	struct ending tls = { .suffix = "_tsd_tls" }, none = { .suffix = "_none" };

	assert_success(elf_symbol_visit(img, stop_at_ending, &tls));
	assert_string_equal(tls.hit.name, "gamma_tsd_tls");
	assert_success(elf_symbol_visit(img, stop_at_ending, &none));
	assert_null(none.hit.name);
	assert_true(none.n_seen > tls.n_seen);
}

static void many_names_take_one_pass(void **state UNUSED)
{
	static const char *const names[] = { "delta_tsd_tls", "missing", "alpha" };
	_cleanup_elf_builder_ struct elf_builder b = { .type = ET_DYN };
	_cleanup_elf_image_ struct elf_image *img = two_tables(&b);
	struct elf_symbol s[3];
	bool found[3];

	assert_success(elf_symbol_find_all_named(img, names, 3, s, found));
	assert_true(found[0] && !found[1] && found[2]);
	assert_int_equal(s[0].value, 0x40);
	assert_int_equal(s[2].value, 0x11);
}

static void no_tables_means_no_symbols(void **state UNUSED)
{
	_cleanup_elf_builder_ struct elf_builder b = { .type = ET_DYN };
	_cleanup_elf_image_ struct elf_image *img = NULL;
	struct elf_symbol s;

	elf_builder_section(&b, ".text", SHT_PROGBITS, 0, "x", 1);
	img = elf_builder_open(&b);
	assert_error_tag(elf_symbol_find_named(img, "alpha", &s), "absent");
}

static void tables_without_strings_are_malformed(void **state UNUSED)
{
	static const uint32_t links[] = { 0, 2, 99 };
	const Elf64_Sym symbols[] = { { 0 }, { .st_name = 1, .st_shndx = 1 } };

	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		_cleanup_elf_builder_ struct elf_builder b = { .type = ET_DYN };
		_cleanup_elf_image_ struct elf_image *img = NULL;
		struct elf_symbol s;

		elf_builder_section(&b, ".symtab", SHT_SYMTAB, 0, symbols, sizeof(symbols))
			->sh_link = links[i];
		elf_builder_section(&b, ".text", SHT_PROGBITS, 0, "\0a", 3);
		img = elf_builder_open(&b);
		assert_error_tag(elf_symbol_find_named(img, "a", &s), "malformed");
	}
}

/* A name that runs out of its table is no name. */
static void unterminated_names_are_not_read(void **state UNUSED)
{
	const Elf64_Sym symbols[] = { { 0 }, { .st_name = 1, .st_shndx = 1 } };
	_cleanup_elf_builder_ struct elf_builder b = { .type = ET_DYN };
	_cleanup_elf_image_ struct elf_image *img = NULL;
	struct elf_symbol s;

	elf_builder_section(&b, ".symtab", SHT_SYMTAB, 0, symbols, sizeof(symbols))->sh_link = 2;
	elf_builder_section(&b, ".strtab", SHT_STRTAB, 0, "\0abc", 4);
	img = elf_builder_open(&b);
	assert_error_tag(elf_symbol_find_named(img, "abc", &s), "absent");
}

static void a_real_variable_is_found(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-pie", "prog");
	struct elf_symbol s;
	uint64_t size, align;

	fixture_expected_size("gcc-pie", &size, &align);
	assert_success(elf_symbol_find_named(img, "je_tsd_tls", &s));
	assert_int_equal(s.type, STT_TLS);
	assert_int_equal(s.size, size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symtab_comes_before_dynsym_and_undefined_does_not_count),
		cmocka_unit_test(the_first_match_wins),
		cmocka_unit_test(many_names_take_one_pass),
		cmocka_unit_test(no_tables_means_no_symbols),
		cmocka_unit_test(tables_without_strings_are_malformed),
		cmocka_unit_test(unterminated_names_are_not_read),
		cmocka_unit_test(a_real_variable_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
