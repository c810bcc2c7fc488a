// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/build_id.h"

#include "fixture.h"
#include "unit.h"

static bool safe(const char *hex)
{
	return build_id_hex_is_safe(hex, strlen(hex));
}

static void lower_case_hexadecimal_is_safe(void **state UNUSED)
{
	assert_true(safe("ab"));
	assert_true(safe("abcd"));
	assert_true(safe("0123456789abcdef"));
	assert_true(safe("abcdef0123456789abcdef0123456789abcdef01"));
	assert_true(safe("0011223344556677889900112233445566778899001122334455667788990011"));
}

static void anything_else_is_unsafe(void **state UNUSED)
{
	static const char *const bad[] = { "",	     "/",     "/.",    "/.passwd",
					   "../etc", "a/b",   "..",    "AB",
					   "ABCD",   "xx",    "xy",    "zz",
					   "abc",    "ab cd", "ab-cd", "ABCDEF0123456789" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(safe(bad[i]));
	assert_false(build_id_hex_is_safe("\0\0", 2));
}

static void parse(const void *bytes, size_t n, const char *expected_tag, const char *expected_hex)
{
	_cleanup_strbuf_ struct strbuf hex = STRBUF_INIT;
	_cleanup_error_ struct error *err = build_id_parse((struct bytes){ bytes, n }, &hex);

	assert_string_equal(err ? error_tag(err) : "", expected_tag);
	assert_string_equal(strbuf_str(&hex), expected_hex);
}

static void the_note_of_gnu_is_found_behind_others(void **state UNUSED)
{
	static const uint8_t notes[] = "\4\0\0\0\1\0\0\0\3\0\0\0XYZ\0Q\0\0\0"
				       "\4\0\0\0\3\0\0\0\3\0\0\0GNU\0\xde\xad\x01";

	parse(notes, sizeof(notes) - 1, "", "dead01");
}

static void notes_that_lie_are_refused(void **state UNUSED)
{
	static const uint8_t huge[] = "\xff\xff\xff\xff\4\0\0\0\3\0\0\0GNU\0abcd";
	static const uint8_t long_id[] = "\4\0\0\0\x21\0\0\0\3\0\0\0GNU\0abcd";
	static const uint8_t empty_id[] = "\4\0\0\0\0\0\0\0\3\0\0\0GNU\0";

	parse(huge, sizeof(huge) - 1, "parse", "");
	parse(long_id, sizeof(long_id) - 1, "parse", "");
	parse(empty_id, sizeof(empty_id) - 1, "parse", "");
	parse("\4\0\0", 3, "parse", "");
	parse("", 0, "absent", "");
}

/* readelf -n wrote the file. */
static void a_real_build_id_agrees_with_readelf(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("build-id", "prog");
	_cleanup_free_ char *path = fixture_path("build-id", "id");
	_cleanup_file_ FILE *f = fopen(path, "r");
	_cleanup_strbuf_ struct strbuf hex = STRBUF_INIT;
	char expected[128] = "";

	assert_non_null(f);
	assert_non_null(fgets(expected, sizeof(expected), f));
	expected[strcspn(expected, "\n")] = '\0';
	assert_success(elf_build_id(img, &hex));
	assert_string_equal(strbuf_str(&hex), expected);
	assert_true(safe(strbuf_str(&hex)));
}

static void an_object_without_the_note_has_none(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-nodebug", "prog");
	_cleanup_strbuf_ struct strbuf hex = STRBUF_INIT;

	assert_error_tag(elf_build_id(img, &hex), "absent");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lower_case_hexadecimal_is_safe),
		cmocka_unit_test(anything_else_is_unsafe),
		cmocka_unit_test(the_note_of_gnu_is_found_behind_others),
		cmocka_unit_test(notes_that_lie_are_refused),
		cmocka_unit_test(a_real_build_id_agrees_with_readelf),
		cmocka_unit_test(an_object_without_the_note_has_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
