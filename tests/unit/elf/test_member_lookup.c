// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/member_lookup.h"

#include "fixture.h"
#include "unit.h"

struct answer {
	char *tag; /* "" on success */
	uint64_t offsets[2];
	struct strbuf source;
	struct strbuf message;
};

static void answer_deinit(struct answer *a)
{
	strbuf_deinit(&a->source);
	strbuf_deinit(&a->message);
}
#define _cleanup_answer_ __attribute__((cleanup(answer_deinit)))

static struct answer ask(struct elf_image *img, const char *path, const char *ns_root,
			 const char *debug_dir)
{
	struct elf_debug_place place = {
		.image = img, .path = path, .ns_root = ns_root, .debug_dir = debug_dir
	};
	struct answer a = { .tag = (char *)"" };
	_cleanup_error_ struct error *err = elf_member_lookup(&place, &tsd_query, a.offsets,
							      &a.source);

	if (err) {
		a.tag = (char *)(uintptr_t)error_domain_of(err)->kinds[error_kind_of(err)].tag;
		strbuf_append(&a.message, error_message(err));
	}
	return a;
}

static struct answer ask_variant(const char *variant)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open(variant, "prog");
	_cleanup_free_ char *path = fixture_path(variant, "prog");
	_cleanup_free_ char *debug_dir = fixture_path(variant, "debugdir");

	return ask(img, path, NULL, debug_dir);
}

/* The right offsets, out of the file that ends so. */
static void answers_from(const char *variant, const char *source_end)
{
	_cleanup_answer_ struct answer a = { 0 };
	uint64_t expected[2];
	size_t n = strlen(source_end);

	if (!fixture_exists(variant)) {
		print_message("no tool to make %s\n", variant);
		return;
	}
	fixture_expected(variant, expected);
	a = ask_variant(variant);
	if (a.tag[0])
		fail_msg("%s: [%s] %s", variant, a.tag, strbuf_str(&a.message));
	assert_memory_equal(a.offsets, expected, sizeof(expected));
	assert_true(a.source.n >= n);
	assert_string_equal(strbuf_str(&a.source) + a.source.n - n, source_end);
}

static void members_are_found_in_embedded_debug_information(void **state UNUSED)
{
	answers_from("gcc-dwarf2", "/prog");
	answers_from("gcc-dwarf5", "/prog");
	answers_from("clang-dwarf5", "/prog");
	answers_from("gcc-static", "/prog");
	answers_from("clang-zstd", "/prog");
	answers_from("gcc-anonymous", "/prog");
	answers_from("clang-class", "/prog");
}

static void members_are_found_in_dwo_files(void **state UNUSED)
{
	answers_from("gcc-dwo4", "fixture.dwo");
	answers_from("gcc-dwo5", "fixture.dwo");
	answers_from("clang-dwo4", "fixture.dwo");
	answers_from("clang-dwo5", "fixture.dwo");
	answers_from("gcc-dwo-types4", ".dwo");
	answers_from("gcc-dwo-types5", ".dwo");
}

static void members_are_found_in_dwp_packages(void **state UNUSED)
{
	answers_from("gcc-dwp4", "/prog.dwp");
	answers_from("gcc-dwp5", "/prog.dwp");
	answers_from("clang-dwp4", "/prog.dwp");
	answers_from("clang-dwp5", "/prog.dwp");
	answers_from("kept-dwp", "/prog.dwp");
}

static void members_are_found_in_external_debug_files(void **state UNUSED)
{
	answers_from("beside-debug", "/prog.debug");
	answers_from("beside-debuginfo", "/prog.debuginfo");
	answers_from("link", "/linked.dbg");
	answers_from("link-directory", "/.debug/linked.dbg");
	answers_from("link-global", "/linked.dbg");
	answers_from("build-id", ".debug");
}

static void the_targets_own_files_come_first(void **state UNUSED)
{
	_cleanup_free_ char *root = fixture_path("namespace", "target");
	_cleanup_elf_image_ struct elf_image *img = fixture_open("namespace",
								 "target/opt/app/prog");
	_cleanup_answer_ struct answer a = ask(img, "/opt/app/prog", root, NULL);
	uint64_t expected[2];

	fixture_expected("namespace", expected);
	assert_string_equal(a.tag, "");
	assert_memory_equal(a.offsets, expected, sizeof(expected));
	assert_contains(strbuf_str(&a.source), "/target/opt/app/prog.debug");
}

static void fails(const char *variant, const char *tag, const char *why)
{
	_cleanup_answer_ struct answer a = ask_variant(variant);

	if (strcmp(a.tag, tag) != 0)
		fail_msg("%s: [%s] %s", variant, a.tag, strbuf_str(&a.message));
	assert_contains(strbuf_str(&a.message), why);
	assert_int_equal(a.source.n, 0);
}

static void a_file_with_another_checksum_is_refused(void **state UNUSED)
{
	_cleanup_answer_ struct answer a = ask_variant("link-wrong-crc");

	assert_string_equal(a.tag, "crc-mismatch");
	assert_contains(strbuf_str(&a.message), "linked.dbg: its CRC is 0x");
	assert_contains(strbuf_str(&a.message), "says 0x");
}

static void a_file_of_another_build_is_refused(void **state UNUSED)
{
	fails("beside-stale", "build-id-mismatch", "prog.debug: its build-id is ");
}

static void unsafe_links_are_never_followed(void **state UNUSED)
{
	fails("link-hostile", "unsafe-debuglink", "../link-hostile/x.dbg");
}

static void the_message_lists_what_was_tried(void **state UNUSED)
{
	fails("stripped", "no-debug-info", "prog.dwp: No such file or directory");
	fails("stripped", "no-debug-info", "prog.debuginfo");
	fails("stripped", "no-debug-info", ".build-id/");
	fails("gcc-nodebug", "no-debug-info", "neither .gnu_debuglink nor a build-id");
}

static void a_struct_that_lacks_a_member_is_reported_as_such(void **state UNUSED)
{
	fails("gcc-partial", "member-missing", MANGLED("thread_deallocated"));
}

static void lookup_in_one_image_has_its_own_error_tags(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *partial = fixture_open("gcc-partial", "prog");
	_cleanup_elf_image_ struct elf_image *none = fixture_open("gcc-nodebug", "prog");
	_cleanup_elf_image_ struct elf_image *split = fixture_open("gcc-dwo5", "prog");
	uint64_t offsets[2] = { 5, 6 };

	assert_error_tag(elf_member_lookup_in_image(partial, &tsd_query, offsets),
			 "member-missing");
	assert_error_tag(elf_member_lookup_in_image(none, &tsd_query, offsets), "no-debug-info");
	assert_error_tag(elf_member_lookup_in_image(split, &tsd_query, offsets), "type-missing");
	assert_int_equal(offsets[0], 5);
}

static void a_cancelled_lookup_tries_nothing_else(void **state UNUSED)
{
	static const char *const variants[] = { "gcc-dwarf5", "gcc-dwo5", "beside-debug" };
	struct cancel cancel = { 0 };
	struct elf_member_query query = tsd_query;

	query.cancel = &cancel;
	cancel_request(&cancel);
	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		_cleanup_elf_image_ struct elf_image *img = fixture_open(variants[i], "prog");
		_cleanup_free_ char *path = fixture_path(variants[i], "prog");
		struct elf_debug_place place = { .image = img, .path = path };
		uint64_t offsets[2];

		assert_error_tag(elf_member_lookup(&place, &query, offsets, NULL), "cancelled");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_found_in_embedded_debug_information),
		cmocka_unit_test(members_are_found_in_dwo_files),
		cmocka_unit_test(members_are_found_in_dwp_packages),
		cmocka_unit_test(members_are_found_in_external_debug_files),
		cmocka_unit_test(the_targets_own_files_come_first),
		cmocka_unit_test(a_file_with_another_checksum_is_refused),
		cmocka_unit_test(a_file_of_another_build_is_refused),
		cmocka_unit_test(unsafe_links_are_never_followed),
		cmocka_unit_test(the_message_lists_what_was_tried),
		cmocka_unit_test(a_struct_that_lacks_a_member_is_reported_as_such),
		cmocka_unit_test(lookup_in_one_image_has_its_own_error_tags),
		cmocka_unit_test(a_cancelled_lookup_tries_nothing_else),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
