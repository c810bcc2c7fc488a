// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/paging.h"

#include "build_memory.h"
#include "unit.h"

#define KERNEL UINT64_C(0xffffffff81234567)
#define USER   UINT64_C(0x00007f1234567abc)

static enum kmem_status walk(const struct build_memory *m, uint64_t address,
			     struct kmem_mapping *ret)
{
	struct kmem_reader r = build_reader(m);
	struct kmem_pages pages;
	enum kmem_status status;

	kmem_pages_init(&pages, &r);
	status = kmem_paging_walk(&m->paging, &pages, address, ret);
	kmem_pages_deinit(&pages);
	return status;
}

/* Each size of page, with 4 and with 5 levels. */
static void page_of(unsigned int levels, unsigned int shift)
{
	_cleanup_build_memory_ struct build_memory m = build_memory_new(1 << 20, 0x1000, levels);
	uint64_t inside = (UINT64_C(1) << shift) - 1, physical = UINT64_C(0x240000000);
	struct kmem_mapping mapping = { 0 };

	build_map(&m, KERNEL & ~inside, physical, shift, MAP_WRITABLE | MAP_NO_EXECUTE);
	assert_int_equal(walk(&m, KERNEL, &mapping), KMEM_READ_OK);
	assert_int_equal(mapping.physical, physical + (KERNEL & inside));
	assert_int_equal(mapping.left, inside + 1 - (KERNEL & inside));
	assert_int_equal(mapping.page_shift, shift);
	assert_true(mapping.writable);
	assert_false(mapping.user);
	assert_false(mapping.executable);
	/* The neighbour of the same size is not there. */
	assert_int_equal(walk(&m, KERNEL ^ (inside + 1), &mapping), KMEM_READ_UNMAPPED);
	assert_int_equal(mapping.left, inside + 1 - (KERNEL & inside));
}

static void pages_of_all_sizes_with_4_and_5_levels(void **state UNUSED)
{
	for (unsigned int levels = 4; levels <= 5; levels++) {
		page_of(levels, 12);
		page_of(levels, 21);
		page_of(levels, 30);
	}
}

static void fifth_level_tells_apart_what_four_would_mix_up(void **state UNUSED)
{
	_cleanup_build_memory_ struct build_memory m = build_memory_new(1 << 20, 0x1000, 5);
	uint64_t low = UINT64_C(0xff11000000000000), high = UINT64_C(0xff12000000000000);
	struct kmem_mapping mapping;

	build_map(&m, low, 0x10000, 12, 0);
	build_map(&m, high, 0x20000, 12, 0);
	assert_int_equal(walk(&m, low, &mapping), KMEM_READ_OK);
	assert_int_equal(mapping.physical, 0x10000);
	assert_int_equal(walk(&m, high, &mapping), KMEM_READ_OK);
	assert_int_equal(mapping.physical, 0x20000);
}

static void address_must_be_canonical(void **state UNUSED)
{
	_cleanup_build_memory_ struct build_memory four = build_memory_new(1 << 20, 0x1000, 4);
	_cleanup_build_memory_ struct build_memory five = build_memory_new(1 << 20, 0x1000, 5);
	struct kmem_mapping mapping;

	build_map(&four, USER & ~UINT64_C(4095), 0x10000, 12, MAP_USER);
	assert_int_equal(walk(&four, USER, &mapping), KMEM_READ_OK);
	assert_int_equal(walk(&four, USER | UINT64_C(1) << 48, &mapping), KMEM_READ_UNMAPPED);
	assert_int_equal(walk(&four, USER | UINT64_C(0xffff) << 48, &mapping), KMEM_READ_UNMAPPED);
	assert_false(kmem_paging_is_canonical(&four.paging, UINT64_C(1) << 47));
	assert_true(kmem_paging_is_canonical(&five.paging, UINT64_C(1) << 47));
	assert_true(kmem_paging_is_canonical(&five.paging, (UINT64_C(1) << 56) - 1));
	assert_false(kmem_paging_is_canonical(&five.paging, UINT64_C(1) << 56));
	assert_true(kmem_paging_is_canonical(&four.paging, UINT64_C(0xffff800000000000)));
	assert_false(kmem_paging_is_canonical(&four.paging, UINT64_C(0xff11800000000000)));
	assert_true(kmem_paging_is_canonical(&five.paging, UINT64_C(0xff11800000000000)));
}

static void pat_is_no_part_of_the_address(void **state UNUSED)
{
	_cleanup_build_memory_ struct build_memory m = build_memory_new(1 << 20, 0x1000, 4);
	struct kmem_mapping mapping;

	build_map(&m, KERNEL & ~UINT64_C(0x1fffff), 0x200000, 21, MAP_LARGE_PAT);
	assert_int_equal(walk(&m, KERNEL, &mapping), KMEM_READ_OK);
	assert_int_equal(mapping.physical, 0x200000 + (KERNEL & 0x1fffff));
	/* In the last level the bit of large pages means PAT. */
	build_map(&m, USER & ~UINT64_C(4095), 0x7000, 12, MAP_PAT | MAP_USER);
	assert_int_equal(walk(&m, USER, &mapping), KMEM_READ_OK);
	assert_int_equal(mapping.physical, 0x7000 + (USER & 4095));
	assert_int_equal(mapping.page_shift, 12);
	assert_true(mapping.user);
	assert_false(mapping.writable);
}

static void rights_are_those_of_all_levels(void **state UNUSED)
{
	_cleanup_build_memory_ struct build_memory m = build_memory_new(1 << 20, 0x1000, 4);
	struct kmem_mapping mapping;
	uint64_t upper;

	build_map(&m, USER & ~UINT64_C(4095), 0x7000, 12, MAP_USER | MAP_WRITABLE);
	upper = m.paging.root + 8 * (USER >> 39 & 511);
	build_put_u64(&m, upper,
		      (build_get_u64(&m, upper) & ~(uint64_t)MAP_WRITABLE) | MAP_NO_EXECUTE);
	assert_int_equal(walk(&m, USER, &mapping), KMEM_READ_OK);
	assert_false(mapping.writable);
	assert_true(mapping.user);
	assert_false(mapping.executable);
}

static void page_larger_than_there_are_maps_nothing(void **state UNUSED)
{
	_cleanup_build_memory_ struct build_memory m = build_memory_new(1 << 20, 0x1000, 5);
	struct kmem_mapping mapping;

	for (unsigned int shift = 39; shift <= 48; shift += 9) {
		build_map(&m, KERNEL & -(UINT64_C(1) << shift), 0, shift, 0);
		assert_int_equal(walk(&m, KERNEL, &mapping), KMEM_READ_UNMAPPED);
		assert_int_equal(mapping.left,
				 (UINT64_C(1) << shift) - (KERNEL & ((UINT64_C(1) << shift) - 1)));
	}
}

static void missing_entry_says_how_much_is_missing(void **state UNUSED)
{
	_cleanup_build_memory_ struct build_memory m = build_memory_new(1 << 20, 0x1000, 4);
	struct kmem_mapping mapping;

	assert_int_equal(walk(&m, 0, &mapping), KMEM_READ_UNMAPPED);
	assert_int_equal(mapping.left, UINT64_C(1) << 39);
	build_map(&m, 0, 0, 12, 0);
	assert_int_equal(walk(&m, 0x1000, &mapping), KMEM_READ_UNMAPPED);
	assert_int_equal(mapping.left, 4096);
	assert_int_equal(walk(&m, 0x200000 + 5, &mapping), KMEM_READ_UNMAPPED);
	assert_int_equal(mapping.left, 0x200000 - 5);
	assert_int_equal(walk(&m, UINT64_C(1) << 30, &mapping), KMEM_READ_UNMAPPED);
	assert_int_equal(mapping.left, UINT64_C(1) << 30);
}

static void table_outside_ram_is_not_unmapped(void **state UNUSED)
{
	_cleanup_build_memory_ struct build_memory m = build_memory_new(1 << 20, 0x1000, 4);
	struct kmem_mapping mapping;

	build_put_u64(&m, build_entry(&m, KERNEL, 21), UINT64_C(0x5000000000) | MAP_PRESENT);
	assert_int_equal(walk(&m, KERNEL, &mapping), KMEM_READ_OUTSIDE);
}

static void bits_of_encryption_are_taken_off(void **state UNUSED)
{
	_cleanup_build_memory_ struct build_memory m = build_memory_new(1 << 20, 0x1000, 4);
	uint64_t mask = UINT64_C(1) << 47, entry;
	struct kmem_mapping mapping;

	build_map(&m, KERNEL & ~UINT64_C(4095), 0x9000, 12, mask);
	entry = build_entry(&m, KERNEL, 21);
	build_put_u64(&m, entry, build_get_u64(&m, entry) | mask);
	m.paging.encryption_mask = mask;
	assert_int_equal(walk(&m, KERNEL, &mapping), KMEM_READ_OK);
	assert_int_equal(mapping.physical, 0x9000 + (KERNEL & 4095));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_of_all_sizes_with_4_and_5_levels),
		cmocka_unit_test(fifth_level_tells_apart_what_four_would_mix_up),
		cmocka_unit_test(address_must_be_canonical),
		cmocka_unit_test(pat_is_no_part_of_the_address),
		cmocka_unit_test(rights_are_those_of_all_levels),
		cmocka_unit_test(page_larger_than_there_are_maps_nothing),
		cmocka_unit_test(missing_entry_says_how_much_is_missing),
		cmocka_unit_test(table_outside_ram_is_not_unmapped),
		cmocka_unit_test(bits_of_encryption_are_taken_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
