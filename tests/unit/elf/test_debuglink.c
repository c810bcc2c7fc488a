// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/debuglink.h"

#include "fixture.h"
#include "unit.h"

static bool safe(const char *name)
{
	return debuglink_name_is_safe(name, strlen(name));
}

static void bare_file_names_are_safe(void **state UNUSED)
{
	assert_true(safe("example.debug"));
	assert_true(safe("ktstr.debug"));
	assert_true(safe("libfoo-1.2.3.so.debug"));
	assert_true(safe(".hidden.debug"));
	assert_true(safe("..."));
	assert_true(safe("a"));
}

static void names_that_lead_elsewhere_are_unsafe(void **state UNUSED)
{
	static const char *const bad[] = { "",
					   "/",
					   "/etc/passwd",
					   "/etc/shadow",
					   "../etc/passwd",
					   "../../etc/passwd",
					   "subdir/foo.debug",
					   "./foo.debug",
					   ".",
					   ".." };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(safe(bad[i]));
	assert_false(debuglink_name_is_safe("\0", 1));
	assert_false(debuglink_name_is_safe("foo\0bar.debug", 13));
}

static void the_checksum_stands_behind_the_padded_name(void **state UNUSED)
{
	struct debuglink link = { 0 };

	assert_success(
		debuglink_parse((struct bytes){ (const uint8_t *)"abc\0\1\2\3\4", 8 }, &link));
	assert_string_equal(link.name, "abc");
	assert_int_equal(link.crc, 0x04030201);
	debuglink_deinit(&link);
	assert_success(debuglink_parse(
		(struct bytes){ (const uint8_t *)"abcd\0\0\0\0\1\2\3\4", 12 }, &link));
	assert_int_equal(link.crc, 0x04030201);
	debuglink_deinit(&link);
}

static void sections_cut_short_are_refused(void **state UNUSED)
{
	struct debuglink link = { 0 };

	assert_error_tag(debuglink_parse((struct bytes){ (const uint8_t *)"abc", 3 }, &link),
			 "parse");
	assert_error_tag(
		debuglink_parse((struct bytes){ (const uint8_t *)"abc\0\1\2\3", 7 }, &link),
		"parse");
	assert_error_tag(debuglink_parse((struct bytes){ (const uint8_t *)"", 0 }, &link), "parse");
	assert_null(link.name);
}

/* objcopy computed the checksum that it wrote into the link. */
static void the_crc_of_a_file_is_that_of_objcopy(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("link", "prog");
	_cleanup_elf_image_ struct elf_image *file = fixture_open("link", "linked.dbg");
	struct debuglink link = { 0 };
	uint32_t crc;

	assert_success(elf_debuglink(img, &link));
	assert_string_equal(link.name, "linked.dbg");
	assert_success(elf_image_crc32(file, &crc));
	assert_int_equal(crc, link.crc);
	debuglink_deinit(&link);
}

static void an_object_without_a_link_has_none(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	struct debuglink link = { 0 };

	assert_error_tag(elf_debuglink(img, &link), "absent");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bare_file_names_are_safe),
		cmocka_unit_test(names_that_lead_elsewhere_are_unsafe),
		cmocka_unit_test(the_checksum_stands_behind_the_padded_name),
		cmocka_unit_test(sections_cut_short_are_refused),
		cmocka_unit_test(the_crc_of_a_file_is_that_of_objcopy),
		cmocka_unit_test(an_object_without_a_link_has_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
