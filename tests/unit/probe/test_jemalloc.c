// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/jemalloc.h"

#include <stdlib.h>

#include "hostile_elf.h"
#include "target.h"
#include "unit.h"

#define HASH	"54eaed1d8b56b1aa528be3bdd1877e59c56fa90c"
#define VERSION "5.3.0-0-g" HASH
#define SIGN	"<jemalloc>: Error\0"

static void the_bare_name_and_any_prefix_are_accepted(void **state UNUSED)
{
	static const char *const names[] = {
		"tsd_tls",
		"je_tsd_tls",
		"_rjem_je_tsd_tls",
		"jemalloc_je_tsd_tls",
		"custom_prefix_tsd_tls",
		"x_tsd_tls",
		"__tsd_tls",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!probe_jemalloc_is_tsd_symbol(names[i], strlen(names[i])))
			fail_msg("%s", names[i]);
}

static void similar_symbol_names_are_refused(void **state UNUSED)
{
	static const char *const names[] = {
		"mytsd_tls", "tsd_tls_v2", "je_tsd_tls_extra", "tsd", "je_tsd", "_tsd_tls",
		"",	     "tls",	   "TSD_TLS",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (probe_jemalloc_is_tsd_symbol(names[i], strlen(names[i])))
			fail_msg("%s", names[i]);
}

/* A copy of its own on the heap, so that the sanitizer sees a byte too far. */
static bool find(const void *bytes, size_t n, char ret[PROBE_LIMIT_JEMALLOC_VERSION])
{
	uint8_t *copy = malloc(n ? n : 1);
	bool found;

	assert_non_null(copy);
	memcpy(copy, bytes, n);
	found = probe_jemalloc_find_version((struct bytes){ copy, n }, ret);
	free(copy);
	return found;
}

#define assert_version(literal, expected)                                                          \
	do {                                                                                       \
		char got_[PROBE_LIMIT_JEMALLOC_VERSION] = "before";                                \
		assert_int_equal(find(literal, sizeof(literal) - 1, got_), (expected)[0] != '\0'); \
		assert_string_equal(got_, expected);                                               \
	} while (0)

static void a_version_is_found_anywhere_in_the_section(void **state UNUSED)
{
	assert_version(SIGN VERSION "\0", VERSION);
	assert_version(VERSION "\0" SIGN, VERSION);
	assert_version("junk\0\0\0" SIGN "more\0" VERSION "\0end\0", VERSION);
	assert_version(SIGN "5.2.1-0-gea6b3e9\0", "5.2.1-0-gea6b3e9");
	assert_version(SIGN "5.3.0-186-gabcdef0\0", "5.3.0-186-gabcdef0");
}

static void a_malformed_version_is_refused(void **state UNUSED)
{
	assert_version(SIGN "5.3.0-0-gea6b3e\0", ""); /* six digits of hash */
	assert_version(SIGN "5.3.0-0-g\0", "");
	assert_version(SIGN "5.3.0-0\0", "");
	assert_version(SIGN "5.3.0\0", "");
	assert_version(SIGN "5.3-0-gea6b3e9\0", "");
	assert_version(SIGN ".3.0-0-gea6b3e9\0", "");
	assert_version(SIGN "5.3.0-0-gea6b3e9x\0", "");
	assert_version(SIGN "5.3.0-0-gEA6B3E9\0", "");
	assert_version(SIGN "5.3.0-0-xea6b3e9\0", "");
	assert_version(SIGN "x5.3.0-0-gea6b3e9\0", "");
	assert_version(SIGN "5.3.0-0-gea6b3e9 \0", "");
}

static void an_unterminated_version_is_refused(void **state UNUSED)
{
	assert_version(SIGN VERSION, "");
	assert_version(SIGN "5.3.0-0-g", "");
	assert_version(SIGN "5", "");
	assert_version(SIGN, "");
	assert_version("", "");
}

/* Git describes other programs in the same way. */
static void a_version_without_the_jemalloc_marker_is_refused(void **state UNUSED)
{
	assert_version(VERSION "\0", "");
	assert_version("jemalloc\0" VERSION "\0", "");
	assert_version("<jemalloc\0" VERSION "\0", "");
}

static void a_version_longer_than_the_room_for_it_is_passed_over(void **state UNUSED)
{
	assert_version(SIGN "5.3.0-0-g" HASH HASH HASH "\0" VERSION "\0", VERSION);
	assert_version(SIGN "5.3.0-0-g" HASH HASH HASH "\0", "");
}

static struct elf_image *open_image(const char *path)
{
	struct elf_image *image = NULL;

	assert_success(elf_image_open(path, &image));
	return image;
}

static void a_program_without_jemalloc_shows_no_sign(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *image = open_image(target_path("KTSTR_TARGET"));
	struct probe_jemalloc_signs signs;

	memset(&signs, 0xff, sizeof(signs));
	assert_success(probe_jemalloc_recognise(image, NULL, &signs));
	assert_false(signs.any);
}

static void a_static_program_with_jemalloc_shows_all_signs(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *image = NULL;
	struct probe_jemalloc_signs signs;
	struct elf_tls tls;

	skip_unless(getenv("KTSTR_JEMALLOC_TARGET"), "needs the jemalloc that set-up builds");
	image = open_image(target_path("KTSTR_JEMALLOC_TARGET"));
	assert_success(elf_image_tls(image, &tls));
	assert_success(probe_jemalloc_recognise(image, NULL, &signs));
	assert_true(signs.any);
	assert_true(signs.has_symbol);
	assert_true(probe_jemalloc_is_tsd_symbol(signs.symbol_name, strlen(signs.symbol_name)));
	assert_true(signs.exports_mallctl);
	assert_true(signs.symbol_bytes > 1024);
	assert_true(signs.symbol_offset + signs.symbol_bytes <= tls.memsz);
	assert_true(strncmp(signs.version, "5.", 2) == 0);
}

static void debians_stripped_library_has_no_symbol_but_the_rest(void **state UNUSED)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_elf_image_ struct elf_image *image = NULL;
	struct probe_jemalloc_signs signs;

	if (asprintf(&path, "%s/debian/usr/lib/x86_64-linux-gnu/libjemalloc.so.2",
		     getenv("KTSTR_JEMALLOC_DIR")) < 0)
		fail();
	skip_unless(access(path, R_OK) == 0, "needs the library that set-up unpacks");
	image = open_image(path);
	assert_success(probe_jemalloc_recognise(image, NULL, &signs));
	assert_true(signs.any);
	assert_false(signs.has_symbol);
	assert_true(signs.exports_mallctl);
	assert_true(strncmp(signs.version, "5.", 2) == 0);
}

/* A small file; its names would take hours. */
static void very_many_symbols_of_one_very_long_name_are_a_limit(void **state UNUSED)
{
	_cleanup_free_ char *path = hostile_symbols(target_path("KTSTR_TLS_LIBRARY"));
	_cleanup_elf_image_ struct elf_image *image = open_image(path);
	struct cancel cancel = { 0 };
	struct probe_jemalloc_signs signs;
	struct elf_symbol symbol;

	unlink(path);
	assert_error_tag(probe_jemalloc_recognise(image, NULL, &signs), "limit");
	assert_error_tag(probe_jemalloc_find_tsd_symbol(image, NULL, &symbol), "limit");
	cancel_request(&cancel);
	assert_error_tag(probe_jemalloc_recognise(image, &cancel, &signs), "cancelled");
	assert_error_tag(probe_jemalloc_find_tsd_symbol(image, &cancel, &symbol), "cancelled");
}

/* What the other signs say stays true. */
static void a_version_is_found_though_symbols_reach_the_limit(void **state UNUSED)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_elf_image_ struct elf_image *image = NULL;
	struct probe_jemalloc_signs signs;

	skip_unless(getenv("KTSTR_JEMALLOC_TARGET"), "needs the jemalloc that set-up builds");
	path = hostile_symbols(target_path("KTSTR_JEMALLOC_TARGET"));
	image = open_image(path);
	unlink(path);
	assert_success(probe_jemalloc_recognise(image, NULL, &signs));
	assert_true(signs.any && signs.version[0]);
	assert_false(signs.has_symbol || signs.exports_mallctl);
}

static void an_unreadable_section_is_not_a_missing_jemalloc(void **state UNUSED)
{
	_cleanup_free_ char *rodata = hostile_rodata(target_path("KTSTR_TLS_LIBRARY"), 1 << 20,
						     false);
	struct hostile h = hostile_begin(target_path("KTSTR_TLS_LIBRARY"));
	_cleanup_free_ char *symbols = NULL;
	_cleanup_elf_image_ struct elf_image *no_rodata = open_image(rodata), *no_symbols = NULL;
	struct probe_jemalloc_signs signs = { .any = true };

	hostile_section(&h, ".symtab")->sh_link = 0;
	symbols = hostile_end(&h);
	no_symbols = open_image(symbols);
	unlink(rodata);
	unlink(symbols);
	assert_error_tag(probe_jemalloc_recognise(no_rodata, NULL, &signs), "truncated");
	assert_error_tag(probe_jemalloc_recognise(no_symbols, NULL, &signs), "malformed");
	assert_true(signs.any);
}

static void the_tsd_symbol_is_found_without_the_other_signs(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *image = NULL;
	_cleanup_elf_image_ struct elf_image *none = open_image(target_path("KTSTR_TLS_LIBRARY"));
	struct probe_jemalloc_signs signs;
	struct elf_symbol symbol;

	assert_error_tag(probe_jemalloc_find_tsd_symbol(none, NULL, &symbol), "absent");
	skip_unless(getenv("KTSTR_JEMALLOC_TARGET"), "needs the jemalloc that set-up builds");
	image = open_image(target_path("KTSTR_JEMALLOC_TARGET"));
	assert_success(probe_jemalloc_find_tsd_symbol(image, NULL, &symbol));
	assert_success(probe_jemalloc_recognise(image, NULL, &signs));
	assert_string_equal(symbol.name, signs.symbol_name);
	assert_true(symbol.value == signs.symbol_offset);
}

enum { IMAGE_BYTES = 4096, BEFORE = PROBE_TSD_RTREE_BYTES };

/* Initial values as jemalloc's source has them: 5.3 with the cache in front, 5.2 all zero. */
static void put_tsd(uint8_t *image, size_t state, bool rtree_is_before)
{
	image[state] = 6;
	for (size_t i = 0; rtree_is_before && i < 24; i++)
		image[state - BEFORE + 16 * i] = 1;
}

static size_t find_tsd(const uint8_t *image, size_t n, struct probe_tsd_place *ret, size_t max)
{
	return probe_tsd_image_find((struct bytes){ image, n }, ret, max);
}

static void both_tsd_layouts_are_found_at_any_offset(void **state UNUSED)
{
	for (int before = 0; before < 2; before++) {
		for (size_t at = BEFORE; at < 1024; at += 8) {
			uint8_t image[IMAGE_BYTES] = { 0 };
			struct probe_tsd_place place;

			put_tsd(image, at, before);
			assert_int_equal(find_tsd(image, sizeof(image), &place, 1), 1);
			assert_int_equal(place.state, at);
			assert_int_equal(place.rtree_is_before, before);
		}
	}
}

static void tsd_places_past_the_array_are_counted(void **state UNUSED)
{
	uint8_t image[IMAGE_BYTES] = { 0 };
	struct probe_tsd_place places[2] = { { 0 } };

	put_tsd(image, 512, true);
	put_tsd(image, 2048, true);
	assert_int_equal(find_tsd(image, sizeof(image), places, 2), 2);
	assert_int_equal(places[1].state, 2048);
	places[1].state = 7;
	assert_int_equal(find_tsd(image, sizeof(image), places, 1), 2);
	assert_int_equal(places[1].state, 7);
}

static void one_differing_byte_is_not_a_tsd(void **state UNUSED)
{
	static const size_t spoiled[] = { 512 - BEFORE, 512 - 8, 512 - 16, 513, 520, 551 };

	for (size_t i = 0; i < ARRAY_SIZE(spoiled); i++) {
		uint8_t image[640] = { 0 };
		struct probe_tsd_place place;

		put_tsd(image, 512, true);
		image[spoiled[i]] ^= 2;
		assert_int_equal(find_tsd(image, sizeof(image), &place, 1), 0);
	}
}

static void a_truncated_image_holds_no_tsd(void **state UNUSED)
{
	uint8_t image[IMAGE_BYTES] = { 0 };
	struct probe_tsd_place place;

	put_tsd(image, 512, true);
	assert_int_equal(find_tsd(image, 512 + 40, &place, 1), 1);
	for (size_t n = 0; n < 512 + 40; n++)
		assert_int_equal(find_tsd(image, n, &place, 1), 0);
	memset(image, 0, sizeof(image));
	put_tsd(image, 0, false);
	assert_int_equal(find_tsd(image, 0x30 + BEFORE, &place, 1), 1);
	assert_int_equal(find_tsd(image, 0x30 + BEFORE - 1, &place, 1), 0);
}

static void an_image_of_zeros_holds_no_tsd(void **state UNUSED)
{
	uint8_t image[IMAGE_BYTES] = { 0 };
	struct probe_tsd_place place;

	assert_int_equal(find_tsd(image, sizeof(image), &place, 1), 0);
	assert_int_equal(find_tsd(NULL, 0, &place, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_bare_name_and_any_prefix_are_accepted),
		cmocka_unit_test(similar_symbol_names_are_refused),
		cmocka_unit_test(a_version_is_found_anywhere_in_the_section),
		cmocka_unit_test(a_malformed_version_is_refused),
		cmocka_unit_test(an_unterminated_version_is_refused),
		cmocka_unit_test(a_version_without_the_jemalloc_marker_is_refused),
		cmocka_unit_test(a_version_longer_than_the_room_for_it_is_passed_over),
		cmocka_unit_test(a_program_without_jemalloc_shows_no_sign),
		cmocka_unit_test(a_static_program_with_jemalloc_shows_all_signs),
		cmocka_unit_test(debians_stripped_library_has_no_symbol_but_the_rest),
		cmocka_unit_test(very_many_symbols_of_one_very_long_name_are_a_limit),
		cmocka_unit_test(a_version_is_found_though_symbols_reach_the_limit),
		cmocka_unit_test(an_unreadable_section_is_not_a_missing_jemalloc),
		cmocka_unit_test(the_tsd_symbol_is_found_without_the_other_signs),
		cmocka_unit_test(both_tsd_layouts_are_found_at_any_offset),
		cmocka_unit_test(tsd_places_past_the_array_are_counted),
		cmocka_unit_test(one_differing_byte_is_not_a_tsd),
		cmocka_unit_test(a_truncated_image_holds_no_tsd),
		cmocka_unit_test(an_image_of_zeros_holds_no_tsd),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
