// SPDX-License-Identifier: GPL-2.0-or-later
#include <libelf.h>
#include <zlib.h>
#include <zstd.h>

#include "build_elf.h"
#include "elf/image.h"
#include "fixture.h"
#include "unit.h"

#define TEXT "all work and no play makes a dull section, all work and no play"

static void sections_come_as_they_are(void **state UNUSED)
{
	_cleanup_elf_builder_ struct elf_builder b = { .type = ET_EXEC };
	_cleanup_elf_image_ struct elf_image *img = NULL;
	struct bytes got;

	elf_builder_section(&b, ".data", SHT_PROGBITS, 0, "abc", 3);
	elf_builder_section(&b, ".bss", SHT_NOBITS, 0, "", 0)->sh_size = 1 << 30;
	elf_builder_section(&b, ".empty", SHT_PROGBITS, 0, "", 0);
	img = elf_builder_open(&b);
	assert_success(elf_image_section(img, ".data", &got));
	assert_int_equal(got.n, 3);
	assert_memory_equal(got.at, "abc", 3);
	assert_error_tag(elf_image_section(img, ".bss", &got), "absent");
	assert_error_tag(elf_image_section(img, ".empty", &got), "absent");
	assert_error_tag(elf_image_section(img, ".none", &got), "absent");
}

/* `claimed` bytes according to the header, `body` behind it. */
static const char *compressed(uint32_t type, uint64_t claimed, const void *body, size_t n,
			      const char *expected)
{
	_cleanup_elf_builder_ struct elf_builder b = { .type = ET_EXEC };
	_cleanup_elf_image_ struct elf_image *img = NULL;
	_cleanup_strbuf_ struct strbuf section = STRBUF_INIT;
	_cleanup_error_ struct error *err = NULL;
	Elf64_Chdr chdr = { .ch_type = type, .ch_size = claimed, .ch_addralign = 1 };
	struct bytes got;

	strbuf_append_bytes(&section, &chdr, sizeof(chdr));
	strbuf_append_bytes(&section, body, n);
	elf_builder_section(&b, ".debug_info", SHT_PROGBITS, SHF_COMPRESSED, section.at, section.n);
	img = elf_builder_open(&b);
	err = elf_image_section(img, ".debug_info", &got);
	if (err)
		return error_domain_of(err)->kinds[error_kind_of(err)].tag;
	assert_int_equal(got.n, strlen(expected));
	assert_memory_equal(got.at, expected, got.n);
	return "";
}

static void zlib_and_zstd_are_decompressed(void **state UNUSED)
{
	uint8_t out[256];
	uLongf n = sizeof(out);
	size_t zstd_n;

	assert_int_equal(compress(out, &n, (const Bytef *)TEXT, strlen(TEXT)), Z_OK);
	assert_string_equal(compressed(ELFCOMPRESS_ZLIB, strlen(TEXT), out, n, TEXT), "");
	assert_string_equal(compressed(ELFCOMPRESS_ZLIB, strlen(TEXT) - 1, out, n, ""),
			    "malformed");
	assert_string_equal(compressed(ELFCOMPRESS_ZLIB, strlen(TEXT) + 1, out, n, ""),
			    "malformed");
	assert_string_equal(compressed(ELFCOMPRESS_ZLIB, strlen(TEXT), out, n - 5, ""),
			    "malformed");
	assert_string_equal(compressed(77, strlen(TEXT), out, n, ""), "malformed");
	zstd_n = ZSTD_compress(out, sizeof(out), TEXT, strlen(TEXT), 3);
	assert_false(ZSTD_isError(zstd_n));
	assert_string_equal(compressed(ELFCOMPRESS_ZSTD, strlen(TEXT), out, zstd_n, TEXT), "");
	assert_string_equal(compressed(ELFCOMPRESS_ZSTD, strlen(TEXT) + 1, out, zstd_n, ""),
			    "malformed");
	assert_string_equal(compressed(ELFCOMPRESS_ZSTD, 4, "not zstd", 8, ""), "malformed");
}

/* 64 MiB of zeroes in some 6 KiB of zstd, and headers that only claim to be large. */
static void decompression_bombs_are_refused_before_inflating(void **state UNUSED)
{
	const size_t large = 64 << 20;
	_cleanup_free_ void *zeroes = calloc(1, large);
	_cleanup_free_ void *out = malloc(ZSTD_compressBound(large));
	size_t n = ZSTD_compress(out, ZSTD_compressBound(large), zeroes, large, 3);

	assert_false(ZSTD_isError(n));
	assert_true(n * ELF_LIMIT_INFLATION < large);
	assert_string_equal(compressed(ELFCOMPRESS_ZSTD, large, out, n, ""), "limit");
	/* A header that lies low is stopped by the room it was given. */
	assert_string_equal(compressed(ELFCOMPRESS_ZSTD, 1000, out, n, ""), "malformed");
	assert_string_equal(compressed(ELFCOMPRESS_ZLIB, UINT64_MAX, "x", 1, ""), "limit");
	assert_string_equal(compressed(ELFCOMPRESS_ZLIB, UINT64_C(2) << 30, out, n, ""), "limit");
}

static void the_older_zdebug_form_is_found_by_the_new_name(void **state UNUSED)
{
	_cleanup_elf_builder_ struct elf_builder b = { .type = ET_EXEC };
	_cleanup_elf_image_ struct elf_image *img = NULL;
	uint8_t body[256] = "ZLIB\0\0\0\0\0\0\0\0";
	uLongf n = sizeof(body) - 12;
	struct bytes got;

	body[11] = (uint8_t)strlen(TEXT);
	assert_int_equal(compress(body + 12, &n, (const Bytef *)TEXT, strlen(TEXT)), Z_OK);
	elf_builder_section(&b, ".zdebug_str", SHT_PROGBITS, 0, body, n + 12);
	elf_builder_section(&b, ".zdebug_info", SHT_PROGBITS, 0, "ZLIX\0\0\0\0\0\0\0\0", 12);
	elf_builder_section(&b, ".zdebug_line", SHT_PROGBITS, 0, "ZLIB", 4);
	img = elf_builder_open(&b);
	assert_success(elf_image_section(img, ".debug_str", &got));
	assert_int_equal(got.n, strlen(TEXT));
	assert_memory_equal(got.at, TEXT, got.n);
	assert_error_tag(elf_image_section(img, ".debug_info", &got), "malformed");
	assert_error_tag(elf_image_section(img, ".debug_line", &got), "malformed");
}

static void sections_outside_the_file_are_truncated(void **state UNUSED)
{
	_cleanup_elf_builder_ struct elf_builder b = { .type = ET_EXEC };
	_cleanup_elf_image_ struct elf_image *img = NULL;
	struct bytes got;

	elf_builder_section(&b, ".far", SHT_PROGBITS, 0, "abc", 3)->sh_offset = UINT64_MAX - 1;
	elf_builder_section(&b, ".long", SHT_PROGBITS, 0, "abc", 3)->sh_size = 1 << 20;
	elf_builder_section(&b, ".chdr", SHT_PROGBITS, SHF_COMPRESSED, "abc", 3);
	img = elf_builder_open(&b);
	assert_error_tag(elf_image_section(img, ".far", &got), "truncated");
	assert_error_tag(elf_image_section(img, ".long", &got), "truncated");
	assert_error_tag(elf_image_section(img, ".chdr", &got), "malformed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_come_as_they_are),
		cmocka_unit_test(zlib_and_zstd_are_decompressed),
		cmocka_unit_test(decompression_bombs_are_refused_before_inflating),
		cmocka_unit_test(the_older_zdebug_form_is_found_by_the_new_name),
		cmocka_unit_test(sections_outside_the_file_are_truncated),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
