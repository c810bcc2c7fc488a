// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/sdt.h"

#include "sdt_types.h"
#include "unit.h"

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

static void members_may_stand_elsewhere(void **state)
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

static void either_arm_of_the_chunk_is_enough(void **state)
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

static void declared_and_absent_are_different_words(void **state)
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

static void another_number_of_ways_is_no_layout_of_ours(void **state)
{
	(void)state;
	assert_fails(&(struct sdt_form){ .chunk_entries = 256 }, "btf-no-member", "2048 bytes");
	assert_fails(&(struct sdt_form){ .bitmap_words = 4 }, "btf-no-member", "32 bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets_come_from_the_programs_types),
		cmocka_unit_test(members_may_stand_elsewhere),
		cmocka_unit_test(chunk_and_data_may_be_declared_only),
		cmocka_unit_test(either_arm_of_the_chunk_is_enough),
		cmocka_unit_test(declared_and_absent_are_different_words),
		cmocka_unit_test(another_number_of_ways_is_no_layout_of_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
