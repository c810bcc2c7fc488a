// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/space.h"

#include "build_memory.h"
#include "unit.h"

#define BASE UINT64_C(0xffffc90000000000)

struct fixture {
	struct build_memory memory;
	struct kmem_reader reader;
	struct kmem_space space;
};

/* Three pages in a row whose frames are not: 0x20000, 0x30000, 0x10000; then none. */
static int set_up(void **state)
{
	struct fixture *f = xnew(struct fixture);

	f->memory = build_memory_new(1 << 20, 0x80000, 4);
	build_map(&f->memory, BASE, 0x20000, 12, 0);
	build_map(&f->memory, BASE + 4096, 0x30000, 12, 0);
	build_map(&f->memory, BASE + 8192, 0x10000, 12, 0);
	f->reader = build_reader(&f->memory);
	kmem_space_init(&f->space, &f->reader, &f->memory.paging);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	kmem_space_deinit(&f->space);
	build_memory_deinit(&f->memory);
	free(f);
	return 0;
}

static void object_across_pages_is_read_from_both(void **state)
{
	struct fixture *f = *state;
	char buf[5000];
	uint64_t value = 0;

	build_put(&f->memory, 0x20ffc, "abcd", 4);
	build_put(&f->memory, 0x30000, "efgh", 4);
	/* What stands behind the first frame is somebody else's. */
	build_put(&f->memory, 0x21000, "WRONG", 5);
	assert_int_equal(kmem_read(&f->space, BASE + 4092, buf, 8, NULL), KMEM_READ_OK);
	assert_memory_equal(buf, "abcdefgh", 8);
	assert_int_equal(kmem_read_u64(&f->space, BASE + 4092, &value), KMEM_READ_OK);
	assert_memory_equal(&value, "abcdefgh", 8);
	build_put(&f->memory, 0x10000, "ijkl", 4);
	kmem_space_forget(&f->space);
	assert_int_equal(kmem_read(&f->space, BASE + 4092, buf, 4104, NULL), KMEM_READ_OK);
	assert_memory_equal(buf, "abcdefgh", 8);
	assert_memory_equal(buf + 4100, "ijkl", 4);
}

static void failure_names_the_first_address_that_fails(void **state)
{
	struct fixture *f = *state;
	uint64_t failed = 0, value = 7;
	char buf[8192];

	assert_int_equal(kmem_read(&f->space, BASE + 8000, buf, 8192, &failed), KMEM_READ_UNMAPPED);
	assert_int_equal(failed, BASE + 12288);
	assert_int_equal(kmem_read_u64(&f->space, BASE + 12284, &value), KMEM_READ_UNMAPPED);
	assert_int_equal(value, 7);
	build_map(&f->memory, BASE + 12288, 0x200000, 12, 0);
	kmem_space_forget(&f->space);
	assert_int_equal(kmem_read(&f->space, BASE + 8000, buf, 8192, &failed), KMEM_READ_OUTSIDE);
	assert_int_equal(failed, BASE + 12288);

	struct error *err = kmem_read_exact(&f->space, BASE + 12284, buf, 8, "a thing");

	assert_non_null(err);
	assert_contains(error_message(err), "a thing: address 0xffffc90000003000 is outside RAM");
	error_free(err);
}

static void end_of_the_address_space_does_not_wrap(void **state)
{
	struct fixture *f = *state;
	char buf[16];

	build_map(&f->memory, -UINT64_C(4096), 0x20000, 12, 0);
	build_map(&f->memory, 0, 0x30000, 12, 0);
	assert_int_equal(kmem_read(&f->space, UINT64_MAX - 7, buf, 8, NULL), KMEM_READ_OK);
	assert_int_equal(kmem_read(&f->space, UINT64_MAX - 7, buf, 16, NULL), KMEM_READ_UNMAPPED);
}

static void direct_map_needs_no_tables(void **state)
{
	struct fixture *f = *state;
	uint64_t base = UINT64_C(0xffff888000000000), physical = 0, left = 0;
	char buf[4];

	build_put(&f->memory, 0x5000, "here", 4);
	assert_int_equal(kmem_read(&f->space, base + 0x5000, buf, 4, NULL), KMEM_READ_UNMAPPED);
	f->space.direct = (struct kmem_window){ base, base + (2 << 20), 0 };
	assert_int_equal(kmem_read(&f->space, base + 0x5000, buf, 4, NULL), KMEM_READ_OK);
	assert_memory_equal(buf, "here", 4);
	assert_int_equal(kmem_translate(&f->space, base + 0x5000, &physical, &left), KMEM_READ_OK);
	assert_int_equal(physical, 0x5000);
	assert_int_equal(left, (2 << 20) - 0x5000);
	/* RAM has a hole where the direct map has none. */
	assert_int_equal(kmem_read(&f->space, base + (1 << 20), buf, 4, NULL), KMEM_READ_OUTSIDE);
	assert_int_equal(kmem_read(&f->space, base + (2 << 20), buf, 4, NULL), KMEM_READ_UNMAPPED);
	assert_int_equal(kmem_read(&f->space, base - 1, buf, 1, NULL), KMEM_READ_UNMAPPED);
}

static void translation_is_kept_until_it_is_forgotten(void **state)
{
	struct fixture *f = *state;
	uint64_t physical = 0;

	assert_int_equal(kmem_translate(&f->space, BASE, &physical, NULL), KMEM_READ_OK);
	build_map(&f->memory, BASE, 0x40000, 12, 0);
	assert_int_equal(kmem_translate(&f->space, BASE + 8, &physical, NULL), KMEM_READ_OK);
	assert_int_equal(physical, 0x20008);
	kmem_space_forget(&f->space);
	assert_int_equal(kmem_translate(&f->space, BASE + 8, &physical, NULL), KMEM_READ_OK);
	assert_int_equal(physical, 0x40008);
}

static void text_may_end_before_a_page_that_is_missing(void **state)
{
	struct fixture *f = *state;
	char buf[64];

	build_put(&f->memory, 0x10ffa, "hello", 6);
	assert_int_equal(kmem_read_text(&f->space, BASE + 12282, buf, sizeof(buf)), KMEM_READ_OK);
	assert_string_equal(buf, "hello");
	build_put(&f->memory, 0x10ffa, "hello!", 6);
	kmem_space_forget(&f->space);
	assert_int_equal(kmem_read_text(&f->space, BASE + 12282, buf, sizeof(buf)),
			 KMEM_READ_UNMAPPED);
	assert_int_equal(kmem_read_text(&f->space, BASE + 12282, buf, 4), KMEM_READ_OK);
	assert_string_equal(buf, "hel");
}

static void numbers_have_the_width_asked_for(void **state)
{
	struct fixture *f = *state;
	uint64_t value = 0;

	build_put_u64(&f->memory, 0x20010, UINT64_C(0x8877665544332211));
	assert_int_equal(kmem_read_uint(&f->space, BASE + 16, 1, &value), KMEM_READ_OK);
	assert_int_equal(value, 0x11);
	assert_int_equal(kmem_read_uint(&f->space, BASE + 16, 2, &value), KMEM_READ_OK);
	assert_int_equal(value, 0x2211);
	assert_int_equal(kmem_read_uint(&f->space, BASE + 16, 4, &value), KMEM_READ_OK);
	assert_int_equal(value, 0x44332211);
	assert_int_equal(kmem_read_uint(&f->space, BASE + 16, 8, &value), KMEM_READ_OK);
	assert_true(value == UINT64_C(0x8877665544332211));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(object_across_pages_is_read_from_both, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(failure_names_the_first_address_that_fails, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(end_of_the_address_space_does_not_wrap, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(direct_map_needs_no_tables, set_up, tear_down),
		cmocka_unit_test_setup_teardown(translation_is_kept_until_it_is_forgotten, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(text_may_end_before_a_page_that_is_missing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(numbers_have_the_width_asked_for, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
