// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/sdt.h"

#include "sdt_types.h"
#include "unit.h"
#include "../btf/build_btf.h"

static struct error *layout_of(const struct sdt_form *form, struct dump_sdt_layout *ret)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct build_btf b = { 0 };

	build_sdt_types(&b, form);
	build_btf_finish(&b, &out);
	assert_success(btf_parse(build_bytes(&out), "a program", &btf));
	return dump_sdt_layout_of(btf, ret);
}

static void offsets_come_from_the_programs_types(void **state)
{
	struct dump_sdt_layout at;

	(void)state;
	assert_success(layout_of(&(struct sdt_form){ .front = 0 }, &at));
	assert_int_equal(at.allocator_pool, 0);
	assert_int_equal(at.allocator_root, 32);
	assert_int_equal(at.allocator_size, 40);
	assert_int_equal(at.pool_elem_size, 8);
	assert_int_equal(at.desc_allocated, 0);
	assert_int_equal(at.desc_nr_free, 64);
	assert_int_equal(at.desc_chunk, 72);
	assert_int_equal(at.chunk_union, 0);
	assert_int_equal(at.data_header_size, 8);
}

static void allocator_members_may_have_other_offsets(void **state)
{
	struct dump_sdt_layout at;

	(void)state;
	assert_success(layout_of(&(struct sdt_form){ .front = 16 }, &at));
	assert_int_equal(at.allocator_pool, 16);
	assert_int_equal(at.allocator_root, 64);
	assert_int_equal(at.allocator_size, 72);
	assert_int_equal(at.pool_elem_size, 24);
	assert_int_equal(at.desc_allocated, 16);
	assert_int_equal(at.desc_nr_free, 80);
	assert_int_equal(at.desc_chunk, 88);
	assert_int_equal(at.chunk_union, 16);
	assert_int_equal(at.data_header_size, 24);
}

static void chunk_and_data_may_be_declared_only(void **state)
{
	const struct sdt_form form = { .chunk = SDT_FORWARD, .data = SDT_FORWARD };
	struct dump_sdt_layout at;

	(void)state;
	assert_success(layout_of(&form, &at));
	assert_int_equal(at.chunk_union, 0);
	assert_int_equal(at.data_header_size, 8);
}

static void the_chunk_union_is_found_by_either_member(void **state)
{
	struct dump_sdt_layout at;

	(void)state;
	assert_success(layout_of(&(struct sdt_form){ .chunk_by_data = true, .front = 8 }, &at));
	assert_int_equal(at.chunk_union, 8);
}

static void assert_fails(const struct sdt_form *form, const char *tag, const char *text)
{
	struct dump_sdt_layout at = { .allocator_size = 77 };
	struct error *err = layout_of(form, &at);

	assert_non_null(err);
	assert_string_equal(error_tag(err), tag);
	assert_contains(error_message(err), text);
	assert_int_equal(at.allocator_size, 77);
	error_free(err);
}

static void a_declared_struct_differs_from_a_missing_one(void **state)
{
	(void)state;
	assert_fails(&(struct sdt_form){ .allocator = SDT_ABSENT }, "btf-not-found",
		     "scx_allocator");
	assert_fails(&(struct sdt_form){ .allocator = SDT_FORWARD }, "btf-forward-only",
		     "scx_allocator");
	assert_fails(&(struct sdt_form){ .pool = SDT_ABSENT }, "btf-not-found", "sdt_pool");
	assert_fails(&(struct sdt_form){ .pool = SDT_FORWARD }, "btf-forward-only", "sdt_pool");
	assert_fails(&(struct sdt_form){ .desc = SDT_ABSENT }, "btf-not-found", "sdt_desc");
	assert_fails(&(struct sdt_form){ .desc = SDT_FORWARD }, "btf-forward-only", "sdt_desc");
	assert_fails(&(struct sdt_form){ .chunk = SDT_ABSENT }, "btf-not-found", "sdt_chunk");
	assert_fails(&(struct sdt_form){ .data = SDT_ABSENT }, "btf-not-found", "sdt_data");
}

static void another_chunk_or_bitmap_size_is_refused(void **state)
{
	(void)state;
	assert_fails(&(struct sdt_form){ .chunk_entries = 256 }, "btf-no-member", "2048 bytes");
	assert_fails(&(struct sdt_form){ .bitmap_words = 4 }, "btf-no-member", "32 bytes");
}

/* Structs of 16 bytes with these names; the type is named, not numbered. */
static void assert_choice(const char *const *names, size_t n, uint64_t size, const char *name,
			  const char *reason)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct build_btf b = { 0 };
	struct dump_sdt_payload choice;
	struct btf_type type;
	uint32_t word = build_btf_int(&b, "unsigned int", 4, 0);

	BUILD_STRUCT(&b, "small_task_ctx", 4, { "x", word, 0, 0 });
	for (size_t i = 0; i < n; i++)
		BUILD_STRUCT(&b, names[i], 16, { "x", word, 0, 0 });
	build_btf_finish(&b, &out);
	assert_success(btf_parse(build_bytes(&out), "a program", &btf));
	choice = dump_sdt_payload_choose(btf, size);
	assert_string_equal(choice.reason, reason);
	if (!name) {
		assert_null(choice.guess);
		assert_int_equal(choice.type, 0);
		return;
	}
	assert_true(btf_type(btf, choice.type, &type));
	assert_string_equal(type.name, name);
	/* Whichever it is, it is a guess; with one candidate names do not count. */
	assert_string_equal(choice.guess, n == 1 || !names[0][0] ? "size" : "size and name");
}
#define CHOICE(size, name, reason, ...)                                                          \
	assert_choice((const char *const[]){ __VA_ARGS__ },                                      \
		      sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), size, name, \
		      reason)

static void the_only_struct_of_that_size_whatever_its_name(void **state)
{
	(void)state;
	CHOICE(16, "whatever", "", "whatever");
	CHOICE(16, "whatever", "", "", "whatever");
}

static void a_payload_shown_as_bytes_has_a_reason(void **state)
{
	(void)state;
	CHOICE(0, NULL, "payload_size == 0", "whatever");
	CHOICE(24, NULL, "no candidate of size 24", "whatever");
	CHOICE(16, NULL, "no candidate of size 16", "");
	CHOICE(16, NULL, "ambiguous: 3 candidates", "a", "b", "c");
}

static void names_decide_between_several(void **state)
{
	(void)state;
	CHOICE(16, "task_ctx", "", "my_task_ctx", "task_ctx", "my_arena_ctx");
	CHOICE(16, "my_arena_ctx", "", "my_task_ctx", "my_arena_ctx", "my_ctx");
	CHOICE(16, "my_task_ctx", "", "my_ctx", "my_task_ctx", "other");
	CHOICE(16, "my_ctx", "", "other", "my_ctx", "ctx");
}

static void two_of_one_pattern_leave_it_to_the_next(void **state)
{
	(void)state;
	CHOICE(16, "c_task_ctx", "", "a_arena_ctx", "b_arena_ctx", "c_task_ctx");
	CHOICE(16, NULL, "ambiguous: 2 candidates", "a_ctx", "b_ctx");
	CHOICE(16, NULL, "ambiguous: 2 candidates", "a_arena_ctx", "b_arena_ctx");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets_come_from_the_programs_types),
		cmocka_unit_test(allocator_members_may_have_other_offsets),
		cmocka_unit_test(chunk_and_data_may_be_declared_only),
		cmocka_unit_test(the_chunk_union_is_found_by_either_member),
		cmocka_unit_test(a_declared_struct_differs_from_a_missing_one),
		cmocka_unit_test(another_chunk_or_bitmap_size_is_refused),
		cmocka_unit_test(the_only_struct_of_that_size_whatever_its_name),
		cmocka_unit_test(a_payload_shown_as_bytes_has_a_reason),
		cmocka_unit_test(names_decide_between_several),
		cmocka_unit_test(two_of_one_pattern_leave_it_to_the_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
