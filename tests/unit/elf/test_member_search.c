// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/member_search.h"

#include "made_dwarf.h"
#include "unit.h"

static const char *const first_and_second[] = { "first", "second" };
static const struct elf_member_query pair = {
	.type_name = "pair_s",
	.members = first_and_second,
	.n_members = 2,
};

/* Searches what was made; the tag of the error, or "". */
static const char *search_with(struct made_dwarf *d, const struct elf_member_query *query,
			       uint64_t offsets[2], struct strbuf *message)
{
	_cleanup_elf_builder_ struct elf_builder b = { .type = ET_EXEC };
	_cleanup_elf_image_ struct elf_image *img = NULL;
	_cleanup_elf_dwarf_view_ struct elf_dwarf_view *view = NULL;
	_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
	_cleanup_error_ struct error *err = NULL;

	made_finish(d, &b);
	img = elf_builder_open(&b);
	search.query = query;
	assert_success(elf_dwarf_view_new(img, ELF_DWARF_VIEW_MAIN, &view));
	assert_success(elf_dwarf_view_load_all(view));
	err = elf_member_search_view(&search, view, NULL, NULL);
	if (!err)
		err = elf_member_search_result(&search, "made", offsets);
	if (!err)
		return "";
	if (message)
		strbuf_append(message, error_message(err));
	return error_domain_of(err)->kinds[error_kind_of(err)].tag;
}

static const char *search(struct made_dwarf *d, uint64_t offsets[2])
{
	return search_with(d, &pair, offsets, NULL);
}

struct location {
	uint8_t form;
	const char *bytes[2];
	size_t n;
	const char *tag;
	uint64_t offsets[2];
};

static void every_form_of_a_constant_offset_is_read(void **state UNUSED)
{
	static const struct location rows[] = {
		{ DW_FORM_data1, { "\x10", "\xf0" }, 1, "", { 0x10, 0xf0 } },
		{ DW_FORM_data2, { "\x10\x01", "\xff\xff" }, 2, "", { 0x110, 0xffff } },
		{ DW_FORM_data4,
		  { "\0\0\1\0", "\xff\xff\xff\xff" },
		  4,
		  "",
		  { 0x10000, UINT32_MAX } },
		{ DW_FORM_data8,
		  { "\1\0\0\0\0\0\0\0", "\0\0\0\0\1\0\0\0" },
		  8,
		  "",
		  { 1, UINT64_C(1) << 32 } },
		{ DW_FORM_udata, { "\x80\x01", "\xff\x7f" }, 2, "", { 128, 16383 } },
		{ DW_FORM_sdata, { "\x80\x01", "\xff\x3f" }, 2, "", { 128, 8191 } },
		/* DWARF 2: an expression of DW_OP_plus_uconst in a block. */
		{ DW_FORM_block1, { "\3\x23\x80\x01", "\3\x23\xff\x7f" }, 4, "", { 128, 16383 } },
		{ DW_FORM_exprloc, { "\2\x23\x18", "\2\x23\x28" }, 3, "", { 24, 40 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct made_dwarf d;
		uint64_t offsets[2] = { 0 };

		made_init(&d, rows[i].form);
		made_open(&d, 2, "pair_s");
		made_member(&d, "first", rows[i].bytes[0], rows[i].n);
		made_member(&d, "second", rows[i].bytes[1], rows[i].n);
		made_close(&d);
		assert_string_equal(search(&d, offsets), rows[i].tag);
		assert_int_equal(offsets[0], rows[i].offsets[0]);
		assert_int_equal(offsets[1], rows[i].offsets[1]);
	}
}

static void other_expressions_and_negative_offsets_are_errors(void **state UNUSED)
{
	static const struct location rows[] = {
		{ .form = DW_FORM_sdata, { "\x7f", "\x08" }, 1, .tag = "member-location" },
		{ .form = DW_FORM_exprloc, { "\1\x12", "\1\x12" }, 2, .tag = "member-location" },
		{ .form = DW_FORM_exprloc,
		  { "\3\x23\x18\x06", "\2\x23\x18" },
		  4,
		  .tag = "member-location" },
		{ .form = DW_FORM_exprloc,
		  { "\2\x23\x80", "\2\x23\x18" },
		  3,
		  .tag = "member-location" },
		{ .form = DW_FORM_exprloc, { "\0", "\0" }, 1, .tag = "member-location" },
		{ .form = DW_FORM_string, { "8", "9" }, 2, .tag = "member-location" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf message = STRBUF_INIT;
		struct made_dwarf d;
		uint64_t offsets[2] = { 7, 7 };

		made_init(&d, rows[i].form);
		made_open(&d, 2, "pair_s");
		made_member(&d, "first", rows[i].bytes[0], rows[i].n);
		made_member(&d, "second", rows[i].bytes[1], rows[i].n);
		made_close(&d);
		assert_string_equal(search_with(&d, &pair, offsets, &message), rows[i].tag);
		assert_contains(strbuf_str(&message), "first");
		assert_int_equal(offsets[0], 7);
	}
}

static void pair_at(struct made_dwarf *d, char abbrev, const char *name, const char *first,
		    const char *second)
{
	made_open(d, abbrev, name);
	made_member(d, "first", first, 1);
	made_member(d, "second", second, 1);
	made_close(d);
}

static void the_named_struct_wins_over_an_earlier_look_alike(void **state UNUSED)
{
	struct made_dwarf d;
	uint64_t offsets[2];

	made_init(&d, DW_FORM_data1);
	pair_at(&d, 2, "other_s", "\1", "\2");
	made_open(&d, 7, "pair_s"); /* a declaration only */
	made_open(&d, 2, "pair_s"); /* the name, but no such members */
	made_member(&d, "third", "\5", 1);
	made_close(&d);
	pair_at(&d, 2, "pair_s", "\3", "\4");
	assert_string_equal(search(&d, offsets), "");
	assert_int_equal(offsets[0], 3);
	assert_int_equal(offsets[1], 4);
}

static void an_anonymous_struct_is_found_by_its_members(void **state UNUSED)
{
	struct made_dwarf d;
	uint64_t offsets[2];

	made_init(&d, DW_FORM_data1);
	pair_at(&d, 5, NULL, "\1", "\2");
	assert_string_equal(search(&d, offsets), "");
	assert_int_equal(offsets[1], 2);
}

static void classes_in_namespaces_count(void **state UNUSED)
{
	struct made_dwarf d;
	uint64_t offsets[2];

	made_init(&d, DW_FORM_data1);
	made_open(&d, 6, "space");
	made_open(&d, 6, "inner");
	pair_at(&d, 4, "pair_s", "\1", "\2");
	made_close(&d);
	made_close(&d);
	pair_at(&d, 5, NULL, "\6", "\7");
	assert_string_equal(search(&d, offsets), "");
	assert_int_equal(offsets[0], 1);
}

/* The inner struct's offsets count from the inner struct: they must not be mixed in. */
static void members_of_a_struct_inside_do_not_count(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf message = STRBUF_INIT;
	struct made_dwarf d;
	uint64_t offsets[2];

	made_init(&d, DW_FORM_data1);
	made_open(&d, 2, "pair_s");
	made_member(&d, "first", "\1", 1);
	made_open(&d, 5, NULL);
	made_member(&d, "second", "\2", 1);
	made_close(&d);
	made_close(&d);
	assert_string_equal(search_with(&d, &pair, offsets, &message), "member-missing");
	assert_contains(strbuf_str(&message), "second");
}

static void a_missing_member_is_named_and_a_missing_type_too(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf message = STRBUF_INIT;
	struct made_dwarf d;
	uint64_t offsets[2];

	made_init(&d, DW_FORM_data1);
	made_open(&d, 2, "pair_s");
	made_member(&d, "second", "\1", 1);
	made_close(&d);
	assert_string_equal(search_with(&d, &pair, offsets, &message), "member-missing");
	assert_contains(strbuf_str(&message), "no member first");

	strbuf_clear(&message);
	made_init(&d, DW_FORM_data1);
	assert_string_equal(search_with(&d, &pair, offsets, &message), "type-missing");
	assert_contains(strbuf_str(&message), "pair_s");
}

static void a_sibling_that_points_back_ends_the_search(void **state UNUSED)
{
	struct made_dwarf d;
	uint64_t offsets[2];

	made_init(&d, DW_FORM_data1);
	made_open(&d, 9, NULL);
	strbuf_append_bytes(&d.entries, "\x0c\0\0\0", 4); /* itself */
	pair_at(&d, 2, "pair_s", "\1", "\2");
	assert_string_equal(search(&d, offsets), "bad-dwarf");
}

static void entries_nested_without_end_reach_the_limit(void **state UNUSED)
{
	struct made_dwarf d;
	uint64_t offsets[2];

	made_init(&d, DW_FORM_data1);
	for (int i = 0; i < 1000; i++)
		made_open(&d, 5, NULL);
	assert_string_equal(search(&d, offsets), "limit");
}

static void a_cancelled_search_says_so(void **state UNUSED)
{
	struct cancel cancel = { 0 };
	struct elf_member_query query = pair;
	struct made_dwarf d;
	uint64_t offsets[2];

	query.cancel = &cancel;
	cancel_request(&cancel);
	made_init(&d, DW_FORM_data1);
	pair_at(&d, 2, "pair_s", "\1", "\2");
	assert_string_equal(search_with(&d, &query, offsets, NULL), "cancelled");
}

static bool admits_none(const void *arg UNUSED, Dwarf_CU *cu UNUSED)
{
	return false;
}

/* Units that nobody asks for take time as well: listing them looks at the cancel too. */
static void a_cancelled_search_need_not_pass_all_units(void **state UNUSED)
{
	_cleanup_elf_builder_ struct elf_builder b = { 0 };
	_cleanup_elf_image_ struct elf_image *img = NULL;
	_cleanup_elf_dwarf_view_ struct elf_dwarf_view *view = NULL;
	_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
	struct cancel cancel = { 0 };
	struct elf_member_query query = pair;
	struct made_dwarf d;

	query.cancel = &cancel;
	made_init(&d, DW_FORM_data1);
	pair_at(&d, 2, "pair_s", "\1", "\2");
	made_finish(&d, &b);
	img = elf_builder_open(&b);
	search.query = &query;
	assert_success(elf_dwarf_view_new(img, ELF_DWARF_VIEW_MAIN, &view));
	assert_success(elf_dwarf_view_load_all(view));
	assert_success(elf_member_search_view(&search, view, admits_none, NULL));
	cancel_request(&cancel);
	assert_error_tag(elf_member_search_view(&search, view, admits_none, NULL), "cancelled");
}

static void a_query_for_nothing_or_too_much_is_refused(void **state UNUSED)
{
	struct elf_member_query query = pair;
	uint64_t offsets[2];

	query.n_members = 0;
	assert_error_tag(elf_member_lookup_in_image(NULL, &query, offsets), "limit");
	query.n_members = ELF_LIMIT_QUERY_MEMBERS + 1;
	assert_error_tag(elf_member_lookup_in_image(NULL, &query, offsets), "limit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_of_a_constant_offset_is_read),
		cmocka_unit_test(other_expressions_and_negative_offsets_are_errors),
		cmocka_unit_test(the_named_struct_wins_over_an_earlier_look_alike),
		cmocka_unit_test(an_anonymous_struct_is_found_by_its_members),
		cmocka_unit_test(classes_in_namespaces_count),
		cmocka_unit_test(members_of_a_struct_inside_do_not_count),
		cmocka_unit_test(a_missing_member_is_named_and_a_missing_type_too),
		cmocka_unit_test(a_sibling_that_points_back_ends_the_search),
		cmocka_unit_test(entries_nested_without_end_reach_the_limit),
		cmocka_unit_test(a_cancelled_search_says_so),
		cmocka_unit_test(a_cancelled_search_need_not_pass_all_units),
		cmocka_unit_test(a_query_for_nothing_or_too_much_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
