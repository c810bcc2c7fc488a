// SPDX-License-Identifier: GPL-2.0-or-later
#include "page_diff.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "unit.h"

#define GIB (UINT64_C(1) << 30)

static int ram(uint64_t bytes)
{
	int fd = memfd_create("ram", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
	return fd;
}

static void poke(int fd, uint64_t offset, char value)
{
	assert_int_equal(pwrite(fd, &value, 1, (off_t)offset), 1);
}

static void equal_memories_have_no_page_to_list(void **state UNUSED)
{
	_cleanup_close_ int a = ram(8 << 20), b = ram(8 << 20);
	_cleanup_page_diff_ struct page_diff diff = { 0 };
	uint64_t size = 8 << 20;

	poke(a, 12345, 1);
	poke(b, 12345, 1);
	assert_success(page_diff_compare(&a, &b, &size, 1, &diff));
	assert_int_equal(diff.n_pages, 0);
	assert_int_equal(diff.pages.n, 0);
}

static void each_page_is_listed_once_with_its_first_byte(void **state UNUSED)
{
	_cleanup_close_ int a = ram(8 << 20), b = ram(8 << 20);
	_cleanup_page_diff_ struct page_diff diff = { 0 };
	uint64_t size = 8 << 20;

	/* Two in one page, the last byte of the next, and the very last of all. */
	poke(a, (1 << 20) + 100, 1);
	poke(b, (1 << 20) + 4095, 1);
	poke(b, (1 << 20) + 8191, 1);
	poke(a, (8 << 20) - 1, 1);
	assert_success(page_diff_compare(&a, &b, &size, 1, &diff));
	assert_int_equal(diff.n_pages, 3);
	assert_int_equal(diff.pages.at[0].address, 1 << 20);
	assert_int_equal(diff.pages.at[0].first, 100);
	assert_int_equal(diff.pages.at[0].bytes, 2);
	assert_int_equal(diff.pages.at[1].address, (1 << 20) + 4096);
	assert_int_equal(diff.pages.at[1].first, 4095);
	assert_int_equal(diff.pages.at[1].bytes, 1);
	assert_int_equal(diff.pages.at[2].offset, (8 << 20) - 4096);
}

/* vm-recipe: q35 with 5 GiB continues at 4 GiB what does not fit below 2 GiB. */
static void addresses_follow_the_hole_below_4_gib(void **state UNUSED)
{
	uint64_t sizes[] = { 16 << 20, 3 * GIB };
	int a[] = { ram(sizes[0]), ram(sizes[1]) }, b[] = { ram(sizes[0]), ram(sizes[1]) };
	_cleanup_page_diff_ struct page_diff diff = { 0 };
	uint64_t low = 2 * GIB - sizes[0]; /* of the second node, below the hole */

	poke(a[1], 0, 1);
	poke(b[1], low + 5, 1);
	poke(a[0], 0xb8000, 1); /* the legacy area shows devices, not this page */
	assert_success(page_diff_compare(a, b, sizes, 2, &diff));
	assert_int_equal(diff.n_pages, 3);
	assert_int_equal(diff.pages.at[0].node, 0);
	assert_true(diff.pages.at[0].address == UINT64_MAX);
	assert_int_equal(diff.pages.at[1].node, 1);
	assert_int_equal(diff.pages.at[1].address, 16 << 20);
	assert_true(diff.pages.at[2].address == 4 * GIB);
	for (int i = 0; i < 2; i++) {
		close(a[i]);
		close(b[i]);
	}
}

static void a_long_list_ends_but_the_count_goes_on(void **state UNUSED)
{
	uint64_t size = (PAGE_DIFF_LIMIT + UINT64_C(10)) * PAGE_DIFF_PAGE;
	_cleanup_close_ int a = ram(size), b = ram(size);
	_cleanup_page_diff_ struct page_diff diff = { 0 };

	for (uint64_t at = 0; at < size; at += PAGE_DIFF_PAGE)
		poke(a, at, 1);
	assert_success(page_diff_compare(&a, &b, &size, 1, &diff));
	assert_int_equal(diff.n_pages, PAGE_DIFF_LIMIT + 10);
	assert_int_equal(diff.pages.n, PAGE_DIFF_LIMIT);
}

static void a_file_that_is_too_short_is_an_error(void **state UNUSED)
{
	_cleanup_close_ int a = ram(8 << 20), b = ram(4 << 20);
	struct page_diff diff = { .n_pages = 77 };
	uint64_t size = 8 << 20;

	assert_error_tag(page_diff_compare(&a, &b, &size, 1, &diff), "qemu-failed");
	assert_int_equal(diff.n_pages, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_memories_have_no_page_to_list),
		cmocka_unit_test(each_page_is_listed_once_with_its_first_byte),
		cmocka_unit_test(addresses_follow_the_hole_below_4_gib),
		cmocka_unit_test(a_long_list_ends_but_the_count_goes_on),
		cmocka_unit_test(a_file_that_is_too_short_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
