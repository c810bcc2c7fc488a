// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/debug_file.h"

#include "fixture.h"
#include "unit.h"

#define ID "abcdef0123456789"

/* `expected`: one path per line, in order. */
static void check(const char *object, const char *link, const char *id, const char *expected)
{
	struct path_list paths = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	debug_file_candidates(object, link, id, NULL, &paths);
	for (size_t i = 0; i < paths.n; i++)
		strbuf_appendf(&text, "%s\n", paths.at[i]);
	assert_string_equal(strbuf_str(&text), expected);
	path_list_deinit(&paths);
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

static void an_object_in_the_root_keeps_its_slashes_apart(void **state UNUSED)
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

static void a_path_without_a_folder_has_no_link(void **state UNUSED)
{
	check("/", "orphan.debug", ID, "/usr/lib/debug/.build-id/ab/cdef0123456789.debug\n");
	check("/", "orphan.debug", NULL, "");
	check("", "orphan.debug", NULL, "");
}

static void short_build_ids(void **state UNUSED)
{
	check("/usr/bin/example", NULL, "ab", "/usr/lib/debug/.build-id/ab/.debug\n");
	check("/usr/bin/example", NULL, "a", "");
	check("/usr/bin/example", NULL, "", "");
}

static void unsafe_names_contribute_nothing(void **state UNUSED)
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

static void another_debug_folder_is_used_throughout(void **state UNUSED)
{
	struct path_list paths = { 0 };

	debug_file_candidates("/a/b", "c", "ab12", "/dbg", &paths);
	assert_int_equal(paths.n, 4);
	assert_string_equal(paths.at[0], "/dbg/.build-id/ab/12.debug");
	assert_string_equal(paths.at[3], "/dbg/a/c");
	path_list_deinit(&paths);
}

static void nothing_to_go_on_has_three_reasons(void **state UNUSED)
{
	assert_error_tag(debug_file_no_candidate("/x", NULL, NULL), "no-debug-info");
	assert_error_tag(debug_file_no_candidate("/x", "../y", NULL), "unsafe-debuglink");
	assert_error_tag(debug_file_no_candidate("/x", NULL, "ABCD"), "unsafe-build-id");
	assert_error_tag(debug_file_no_candidate("/x", "../y", "ABCD"), "unsafe-debuglink");
	assert_error_tag(debug_file_no_candidate("/x", NULL, "a"), "no-debug-info");
}

static void an_absolute_link_stays_in_the_targets_root(void **state UNUSED)
{
	_cleanup_free_ char *root = fixture_path("namespace", "target");
	_cleanup_elf_image_ struct elf_image *img = NULL;

	assert_success(debug_file_open(root, "/opt/app/prog.debug", &img));
	assert_contains(elf_image_label(img), "/target/opt/app/prog.debug");
}

static void what_is_not_there_or_not_a_file_is_an_error(void **state UNUSED)
{
	_cleanup_free_ char *root = fixture_path("namespace", "target");
	struct elf_image *img = NULL;

	assert_error_tag(debug_file_open(root, "/nothing", &img), "io");
	assert_error_tag(debug_file_open("/nonexistent", "/nothing", &img), "io");
	assert_error_tag(debug_file_open(NULL, "/nonexistent/x", &img), "io");
	assert_error_tag(debug_file_open(root, "/opt", &img), "not-elf");
	assert_null(img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_build_id_comes_first_then_the_link_in_three_places),
		cmocka_unit_test(an_object_in_the_root_keeps_its_slashes_apart),
		cmocka_unit_test(a_relative_path_says_nothing_about_packages),
		cmocka_unit_test(a_path_without_a_folder_has_no_link),
		cmocka_unit_test(short_build_ids),
		cmocka_unit_test(unsafe_names_contribute_nothing),
		cmocka_unit_test(another_debug_folder_is_used_throughout),
		cmocka_unit_test(nothing_to_go_on_has_three_reasons),
		cmocka_unit_test(an_absolute_link_stays_in_the_targets_root),
		cmocka_unit_test(what_is_not_there_or_not_a_file_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
