// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/debug_file.h"

#include "fixture.h"
#include "unit.h"

#define ID "abcdef0123456789"

/* `expected`: one path per line, in order. */
static void check(const char *object, const char *link, const char *id, const char *expected)
{
	struct elf_path_list paths = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	elf_debug_file_candidates(object, link, id, NULL, &paths);
	for (size_t i = 0; i < paths.n; i++)
		strbuf_appendf(&text, "%s\n", paths.at[i]);
	assert_string_equal(strbuf_str(&text), expected);
	elf_path_list_deinit(&paths);
}

static void the_build_id_comes_first_then_the_link_in_three_places(void **state UNUSED)
{
	check("/usr/bin/example", "example.debug", ID,
	      "/usr/lib/debug/.build-id/ab/cdef0123456789.debug\n"
	      "/usr/bin/example.debug\n"
	      "/usr/bin/.debug/example.debug\n"
	      "/usr/lib/debug/usr/bin/example.debug\n");
	check("/usr/bin/example", NULL, ID, "/usr/lib/debug/.build-id/ab/cdef0123456789.debug\n");
	check("/usr/bin/example", "example.debug", NULL,
	      "/usr/bin/example.debug\n/usr/bin/.debug/example.debug\n"
	      "/usr/lib/debug/usr/bin/example.debug\n");
	check("/usr/bin/example", NULL, NULL, "");
}

static void debug_paths_of_an_object_in_the_root_have_no_double_slash(void **state UNUSED)
{
	check("/example", "example.debug", NULL,
	      "/example.debug\n/.debug/example.debug\n/usr/lib/debug/example.debug\n");
}

static void a_relative_path_says_nothing_about_packages(void **state UNUSED)
{
	check("./example", "example.debug", "deadbeef12345678",
	      "/usr/lib/debug/.build-id/de/adbeef12345678.debug\n"
	      "./example.debug\n./.debug/example.debug\n");
	check("example", "example.debug", NULL, "example.debug\n.debug/example.debug\n");
}

static void a_path_without_a_directory_has_no_debuglink_candidates(void **state UNUSED)
{
	check("/", "orphan.debug", ID, "/usr/lib/debug/.build-id/ab/cdef0123456789.debug\n");
	check("/", "orphan.debug", NULL, "");
	check("", "orphan.debug", NULL, "");
}

static void build_ids_shorter_than_two_digits_give_no_path(void **state UNUSED)
{
	check("/usr/bin/example", NULL, "ab", "/usr/lib/debug/.build-id/ab/.debug\n");
	check("/usr/bin/example", NULL, "a", "");
	check("/usr/bin/example", NULL, "", "");
}

static void unsafe_debuglinks_and_build_ids_give_no_path(void **state UNUSED)
{
	check("/usr/bin/example", "/etc/passwd", NULL, "");
	check("/usr/bin/example", "../../etc/passwd", NULL, "");
	check("/usr/bin/example", "/etc/passwd", ID,
	      "/usr/lib/debug/.build-id/ab/cdef0123456789.debug\n");
	check("/usr/bin/example", NULL, "/.passwd", "");
	check("/usr/bin/example", NULL, "..", "");
	check("/usr/bin/example", NULL, "ABCDEF0123456789", "");
	check("/usr/bin/example", NULL, "xyzzy012345", "");
	check("/usr/bin/example", NULL, "abc", "");
	check("/usr/bin/example", "example.debug", "/.passwd",
	      "/usr/bin/example.debug\n/usr/bin/.debug/example.debug\n"
	      "/usr/lib/debug/usr/bin/example.debug\n");
}

static void another_debug_directory_is_used_in_all_candidates(void **state UNUSED)
{
	struct elf_path_list paths = { 0 };

	elf_debug_file_candidates("/a/b", "c", "ab12", "/dbg", &paths);
	assert_int_equal(paths.n, 4);
	assert_string_equal(paths.at[0], "/dbg/.build-id/ab/12.debug");
	assert_string_equal(paths.at[3], "/dbg/a/c");
	elf_path_list_deinit(&paths);
}

static void no_debug_file_candidate_has_one_of_three_reasons(void **state UNUSED)
{
	assert_error_tag(elf_debug_file_no_candidate("/x", NULL, NULL), "no-debug-info");
	assert_error_tag(elf_debug_file_no_candidate("/x", "../y", NULL), "unsafe-debuglink");
	assert_error_tag(elf_debug_file_no_candidate("/x", NULL, "ABCD"), "unsafe-build-id");
	assert_error_tag(elf_debug_file_no_candidate("/x", "../y", "ABCD"), "unsafe-debuglink");
	assert_error_tag(elf_debug_file_no_candidate("/x", NULL, "a"), "no-debug-info");
}

static void an_absolute_link_stays_in_the_targets_root(void **state UNUSED)
{
	_cleanup_free_ char *root = fixture_path("namespace", "target");
	_cleanup_elf_image_ struct elf_image *img = NULL;

	assert_success(elf_debug_file_open(root, "/opt/app/prog.debug", &img));
	assert_contains(elf_image_label(img), "/target/opt/app/prog.debug");
}

static void what_is_not_there_or_not_a_file_is_an_error(void **state UNUSED)
{
	_cleanup_free_ char *root = fixture_path("namespace", "target");
	struct elf_image *img = NULL;

	assert_error_tag(elf_debug_file_open(root, "/nothing", &img), "io");
	assert_error_tag(elf_debug_file_open("/nonexistent", "/nothing", &img), "io");
	assert_error_tag(elf_debug_file_open(NULL, "/nonexistent/x", &img), "io");
	assert_error_tag(elf_debug_file_open(root, "/opt", &img), "not-elf");
	assert_null(img);
}

static bool safe(const char *name)
{
	return elf_debuglink_name_is_safe(name, strlen(name));
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
	assert_false(elf_debuglink_name_is_safe("\0", 1));
	assert_false(elf_debuglink_name_is_safe("foo\0bar.debug", 13));
}

static void the_debuglink_crc_follows_the_padded_name(void **state UNUSED)
{
	struct elf_debuglink link = { 0 };

	assert_success(
		elf_debuglink_parse((struct bytes){ (const uint8_t *)"abc\0\1\2\3\4", 8 }, &link));
	assert_string_equal(link.name, "abc");
	assert_int_equal(link.crc, 0x04030201);
	elf_debuglink_deinit(&link);
	assert_success(elf_debuglink_parse(
		(struct bytes){ (const uint8_t *)"abcd\0\0\0\0\1\2\3\4", 12 }, &link));
	assert_int_equal(link.crc, 0x04030201);
	elf_debuglink_deinit(&link);
}

static void sections_cut_short_are_refused(void **state UNUSED)
{
	struct elf_debuglink link = { 0 };

	assert_error_tag(elf_debuglink_parse((struct bytes){ (const uint8_t *)"abc", 3 }, &link),
			 "parse");
	assert_error_tag(
		elf_debuglink_parse((struct bytes){ (const uint8_t *)"abc\0\1\2\3", 7 }, &link),
		"parse");
	assert_error_tag(elf_debuglink_parse((struct bytes){ (const uint8_t *)"", 0 }, &link),
			 "parse");
	assert_null(link.name);
}

/* objcopy computed the checksum that it wrote into the link. */
static void the_crc_of_a_file_is_that_of_objcopy(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("link", "prog");
	_cleanup_elf_image_ struct elf_image *file = fixture_open("link", "linked.dbg");
	struct elf_debuglink link = { 0 };
	uint32_t crc;

	assert_success(elf_debuglink(img, &link));
	assert_string_equal(link.name, "linked.dbg");
	assert_success(elf_image_crc32(file, &crc));
	assert_int_equal(crc, link.crc);
	elf_debuglink_deinit(&link);
}

static void an_object_without_a_link_has_none(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	struct elf_debuglink link = { 0 };

	assert_error_tag(elf_debuglink(img, &link), "absent");
}

static bool hex_is_safe(const char *hex)
{
	return elf_build_id_is_safe(hex, strlen(hex));
}

static void lower_case_hexadecimal_is_safe(void **state UNUSED)
{
	assert_true(hex_is_safe("ab"));
	assert_true(hex_is_safe("abcd"));
	assert_true(hex_is_safe("0123456789abcdef"));
	assert_true(hex_is_safe("abcdef0123456789abcdef0123456789abcdef01"));
	assert_true(
		hex_is_safe("0011223344556677889900112233445566778899001122334455667788990011"));
}

static void build_ids_that_are_not_lower_case_hex_are_unsafe(void **state UNUSED)
{
	static const char *const bad[] = { "",	     "/",     "/.",    "/.passwd",
					   "../etc", "a/b",   "..",    "AB",
					   "ABCD",   "xx",    "xy",    "zz",
					   "abc",    "ab cd", "ab-cd", "ABCDEF0123456789" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(hex_is_safe(bad[i]));
	assert_false(elf_build_id_is_safe("\0\0", 2));
}

static void parse(const void *bytes, size_t n, const char *expected_tag, const char *expected_hex)
{
	_cleanup_strbuf_ struct strbuf hex = STRBUF_INIT;
	_cleanup_error_ struct error *err = elf_build_id_parse((struct bytes){ bytes, n }, &hex);

	assert_string_equal(err ? error_tag(err) : "", expected_tag);
	assert_string_equal(strbuf_str(&hex), expected_hex);
}

static void the_note_of_gnu_is_found_behind_others(void **state UNUSED)
{
	static const uint8_t notes[] = "\4\0\0\0\1\0\0\0\3\0\0\0XYZ\0Q\0\0\0"
				       "\4\0\0\0\3\0\0\0\3\0\0\0GNU\0\xde\xad\x01";

	parse(notes, sizeof(notes) - 1, "", "dead01");
}

static void notes_with_wrong_lengths_are_refused(void **state UNUSED)
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
	assert_true(hex_is_safe(strbuf_str(&hex)));
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
		cmocka_unit_test(the_build_id_comes_first_then_the_link_in_three_places),
		cmocka_unit_test(debug_paths_of_an_object_in_the_root_have_no_double_slash),
		cmocka_unit_test(a_relative_path_says_nothing_about_packages),
		cmocka_unit_test(a_path_without_a_directory_has_no_debuglink_candidates),
		cmocka_unit_test(build_ids_shorter_than_two_digits_give_no_path),
		cmocka_unit_test(unsafe_debuglinks_and_build_ids_give_no_path),
		cmocka_unit_test(another_debug_directory_is_used_in_all_candidates),
		cmocka_unit_test(no_debug_file_candidate_has_one_of_three_reasons),
		cmocka_unit_test(an_absolute_link_stays_in_the_targets_root),
		cmocka_unit_test(what_is_not_there_or_not_a_file_is_an_error),
		cmocka_unit_test(bare_file_names_are_safe),
		cmocka_unit_test(names_that_lead_elsewhere_are_unsafe),
		cmocka_unit_test(the_debuglink_crc_follows_the_padded_name),
		cmocka_unit_test(sections_cut_short_are_refused),
		cmocka_unit_test(the_crc_of_a_file_is_that_of_objcopy),
		cmocka_unit_test(an_object_without_a_link_has_none),
		cmocka_unit_test(lower_case_hexadecimal_is_safe),
		cmocka_unit_test(build_ids_that_are_not_lower_case_hex_are_unsafe),
		cmocka_unit_test(the_note_of_gnu_is_found_behind_others),
		cmocka_unit_test(notes_with_wrong_lengths_are_refused),
		cmocka_unit_test(a_real_build_id_agrees_with_readelf),
		cmocka_unit_test(an_object_without_the_note_has_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
