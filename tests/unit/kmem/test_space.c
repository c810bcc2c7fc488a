// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/space.h"

#include "build_memory.h"
#include "build_space.h"
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

static void a_read_past_the_last_address_does_not_wrap(void **state)
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

enum { RAM = 3 * 4096 + 100 };

static void small_reads_of_one_page_cost_one_read(void **state UNUSED)
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

static void a_page_is_cached_until_it_is_forgotten(void **state UNUSED)
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

static void reads_of_whole_pages_bypass_the_cache(void **state UNUSED)
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

static void the_touched_callback_gets_the_requested_bytes(void **state UNUSED)
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

static void addresses_differing_in_the_fifth_level_are_distinct(void **state UNUSED)
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

static void the_pat_bit_is_not_part_of_the_address(void **state UNUSED)
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

static void pages_larger_than_1_gib_are_unmapped(void **state UNUSED)
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

static void a_missing_entry_reports_the_unmapped_length(void **state UNUSED)
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

static void the_encryption_mask_is_removed_from_addresses(void **state UNUSED)
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

enum { BYTES = 1 << 18, FILLED = 200001 };

static int fingerprint_set_up(void **state)
{
	struct build_space *s = build_space_new(BYTES);

	for (size_t i = 0; i < BYTES; i++)
		s->memory.at[i] = (uint8_t)(i * i >> 3);
	*state = s;
	return 0;
}

static int fingerprint_tear_down(void **state)
{
	build_space_free(*state);
	return 0;
}

static uint64_t print(struct build_space *s, uint64_t from, uint64_t n)
{
	uint64_t ret = 0;

	kmem_space_forget(&s->space);
	assert_success(kmem_fingerprint(&s->space, SPACE_AT + from, n, "bytes", &ret));
	return ret;
}

static void any_changed_bit_changes_the_fingerprint(void **state)
{
	struct build_space *s = *state;
	uint64_t all = print(s, 5, FILLED);

	assert_true(print(s, 5, FILLED) == all);
	for (size_t i = 0; i < FILLED; i += 997) {
		s->memory.at[5 + i] ^= 1 << i % 8;
		assert_true(print(s, 5, FILLED) != all);
		s->memory.at[5 + i] ^= 1 << i % 8;
	}
	s->memory.at[5 + FILLED - 1] ^= 1;
	assert_true(print(s, 5, FILLED) != all);
	s->memory.at[5 + FILLED - 1] ^= 1;
	/* What stands beside does not. */
	s->memory.at[4] ^= 1;
	s->memory.at[5 + FILLED] ^= 1;
	assert_true(print(s, 5, FILLED) == all);
}

static void order_and_length_change_the_fingerprint(void **state)
{
	struct build_space *s = *state;
	uint64_t before, word;

	memset(s->memory.at, 0, BYTES);
	/* Zeros are not all the same. */
	for (uint64_t n = 0; n < 100; n++)
		assert_true(print(s, 0, n) != print(s, 0, n + 1));
	for (uint64_t i = 0; i < 64; i++)
		build_put_u64(&s->memory, 8 * i, i);
	before = print(s, 0, 512);
	word = build_get_u64(&s->memory, 0);
	build_put_u64(&s->memory, 0, build_get_u64(&s->memory, 256));
	build_put_u64(&s->memory, 256, word);
	assert_true(print(s, 0, 512) != before);
}

static void what_cannot_be_read_is_an_error(void **state)
{
	struct build_space *s = *state;
	uint64_t ret;

	assert_error_tag(kmem_fingerprint(&s->space, SPACE_AT + BYTES - 100, 101, "bytes", &ret),
			 "guest-memory");
	assert_error_tag(kmem_fingerprint(&s->space, 0x1000, 8, "bytes", &ret), "guest-memory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(object_across_pages_is_read_from_both, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(failure_names_the_first_address_that_fails, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_read_past_the_last_address_does_not_wrap, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(direct_map_needs_no_tables, set_up, tear_down),
		cmocka_unit_test_setup_teardown(translation_is_kept_until_it_is_forgotten, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(text_may_end_before_a_page_that_is_missing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(numbers_have_the_width_asked_for, set_up,
						tear_down),
		cmocka_unit_test(small_reads_of_one_page_cost_one_read),
		cmocka_unit_test(a_page_is_cached_until_it_is_forgotten),
		cmocka_unit_test(last_page_may_be_cut_short),
		cmocka_unit_test(two_pages_of_one_slot_are_not_confused),
		cmocka_unit_test(pages_far_apart_do_not_push_each_other_out),
		cmocka_unit_test(reads_of_whole_pages_bypass_the_cache),
		cmocka_unit_test(the_touched_callback_gets_the_requested_bytes),
		cmocka_unit_test(pages_of_all_sizes_with_4_and_5_levels),
		cmocka_unit_test(addresses_differing_in_the_fifth_level_are_distinct),
		cmocka_unit_test(address_must_be_canonical),
		cmocka_unit_test(the_pat_bit_is_not_part_of_the_address),
		cmocka_unit_test(rights_are_those_of_all_levels),
		cmocka_unit_test(pages_larger_than_1_gib_are_unmapped),
		cmocka_unit_test(a_missing_entry_reports_the_unmapped_length),
		cmocka_unit_test(table_outside_ram_is_not_unmapped),
		cmocka_unit_test(the_encryption_mask_is_removed_from_addresses),
		cmocka_unit_test_setup_teardown(any_changed_bit_changes_the_fingerprint,
						fingerprint_set_up, fingerprint_tear_down),
		cmocka_unit_test_setup_teardown(order_and_length_change_the_fingerprint,
						fingerprint_set_up, fingerprint_tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_be_read_is_an_error, fingerprint_set_up,
						fingerprint_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
