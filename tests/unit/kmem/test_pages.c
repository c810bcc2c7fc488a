// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/pages.h"

#include "build_memory.h"
#include "unit.h"

enum { RAM = 3 * 4096 + 100 };

static void small_reads_of_a_page_ask_once(void **state UNUSED)
{
	uint8_t ram[RAM];
	struct kmem_reader r = kmem_reader_of_bytes((struct bytes){ ram, RAM }, 0);
	struct kmem_pages pages;
	uint8_t buf[600];

	for (size_t i = 0; i < RAM; i++)
		ram[i] = (uint8_t)(i * 7 + i / 256);
	kmem_pages_init(&pages, &r);
	for (uint64_t at = 0; at + 8 <= 4096; at += 8) {
		assert_int_equal(kmem_pages_read(&pages, at, buf, 8), KMEM_READ_OK);
		assert_memory_equal(buf, ram + at, 8);
	}
	assert_int_equal(pages.n_reads, 1);
	/* Across the end of a page. */
	assert_int_equal(kmem_pages_read(&pages, 4096 - 300, buf, 600), KMEM_READ_OK);
	assert_memory_equal(buf, ram + 4096 - 300, 600);
	assert_int_equal(pages.n_reads, 2);
	kmem_pages_deinit(&pages);
}

static void what_was_read_stays_until_it_is_forgotten(void **state UNUSED)
{
	uint8_t ram[4096] = { 1 };
	struct kmem_reader r = kmem_reader_of_bytes((struct bytes){ ram, sizeof(ram) }, 0);
	struct kmem_pages pages;
	uint8_t byte;

	kmem_pages_init(&pages, &r);
	assert_int_equal(kmem_pages_read(&pages, 0, &byte, 1), KMEM_READ_OK);
	ram[0] = 2;
	assert_int_equal(kmem_pages_read(&pages, 0, &byte, 1), KMEM_READ_OK);
	assert_int_equal(byte, 1);
	kmem_pages_forget(&pages);
	assert_int_equal(kmem_pages_read(&pages, 0, &byte, 1), KMEM_READ_OK);
	assert_int_equal(byte, 2);
	kmem_pages_deinit(&pages);
}

static void last_page_may_be_cut_short(void **state UNUSED)
{
	uint8_t ram[RAM] = { 0 };
	struct kmem_reader r = kmem_reader_of_bytes((struct bytes){ ram, RAM }, 0);
	struct kmem_pages pages;
	uint8_t buf[200];

	memset(ram + 3 * 4096, 9, 100);
	kmem_pages_init(&pages, &r);
	assert_int_equal(kmem_pages_read(&pages, 3 * 4096 - 100, buf, 200), KMEM_READ_OK);
	assert_int_equal(buf[199], 9);
	assert_int_equal(kmem_pages_read(&pages, 3 * 4096, buf, 101), KMEM_READ_OUTSIDE);
	assert_int_equal(kmem_pages_read(&pages, UINT64_MAX - 3, buf, 8), KMEM_READ_OUTSIDE);
	assert_int_equal(kmem_pages_read(&pages, UINT64_MAX, buf, 0), KMEM_READ_OK);
	kmem_pages_deinit(&pages);
}

static void two_pages_of_one_slot_are_not_confused(void **state UNUSED)
{
	size_t n = 4 * KMEM_CACHED_PAGES * (size_t)KMEM_PAGE_BYTES;
	_cleanup_free_ uint8_t *ram = xcalloc(n, 1);
	struct kmem_reader r = kmem_reader_of_bytes((struct bytes){ ram, n }, 0);
	struct kmem_pages pages;
	uint16_t number;

	for (uint16_t i = 0; i < 4 * KMEM_CACHED_PAGES; i++)
		memcpy(ram + (size_t)i * KMEM_PAGE_BYTES, &i, 2);
	kmem_pages_init(&pages, &r);
	for (uint64_t i = 0; i < 8 * KMEM_CACHED_PAGES; i++) {
		uint64_t page = i * 37 % (4 * KMEM_CACHED_PAGES);

		assert_int_equal(kmem_pages_read(&pages, page * KMEM_PAGE_BYTES, &number, 2),
				 KMEM_READ_OK);
		assert_int_equal(number, page);
	}
	kmem_pages_deinit(&pages);
}

static void pages_far_apart_do_not_push_each_other_out(void **state UNUSED)
{
	unsigned int n_used = 0, taken[KMEM_CACHED_PAGES] = { 0 };

	/* 64 copies of a per-CPU variable, 4 MiB apart. */
	for (uint64_t i = 0; i < 64; i++)
		n_used += !taken[kmem_page_slot(i * 1024 + 77, KMEM_CACHED_PAGES)]++;
	assert_true(n_used > 48);
}

static void whole_pages_pass_the_memory_by(void **state UNUSED)
{
	uint8_t ram[2 * 4096] = { 0 }, buf[4096];
	struct kmem_reader r = kmem_reader_of_bytes((struct bytes){ ram, sizeof(ram) }, 0);
	struct kmem_pages pages;

	kmem_pages_init(&pages, &r);
	assert_int_equal(kmem_pages_read(&pages, 10, buf, 4096), KMEM_READ_OK);
	ram[10] = 5;
	assert_int_equal(kmem_pages_read(&pages, 10, buf, 4096), KMEM_READ_OK);
	assert_int_equal(buf[0], 5);
	kmem_pages_deinit(&pages);
}

static void note_touch(void *context, uint64_t physical, size_t n)
{
	uint64_t *seen = context;

	seen[0] = physical;
	seen[1] = n;
}

static void listener_is_told_what_was_asked_for(void **state UNUSED)
{
	uint8_t ram[4096] = { 0 }, buf[8];
	struct kmem_reader r = kmem_reader_of_bytes((struct bytes){ ram, sizeof(ram) }, 0);
	uint64_t seen[2] = { 0 };
	struct kmem_pages pages;

	r.context = seen;
	r.touched = note_touch;
	kmem_pages_init(&pages, &r);
	/* The bytes, not the page around them; and when they are remembered, too. */
	for (uint64_t at = 100; at < 116; at += 8) {
		assert_int_equal(kmem_pages_read(&pages, at, buf, 8), KMEM_READ_OK);
		assert_int_equal(seen[0], at);
		assert_int_equal(seen[1], 8);
	}
	kmem_pages_deinit(&pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_reads_of_a_page_ask_once),
		cmocka_unit_test(what_was_read_stays_until_it_is_forgotten),
		cmocka_unit_test(last_page_may_be_cut_short),
		cmocka_unit_test(two_pages_of_one_slot_are_not_confused),
		cmocka_unit_test(pages_far_apart_do_not_push_each_other_out),
		cmocka_unit_test(whole_pages_pass_the_memory_by),
		cmocka_unit_test(listener_is_told_what_was_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
