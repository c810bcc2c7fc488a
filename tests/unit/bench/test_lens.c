// SPDX-License-Identifier: GPL-2.0-or-later
#include "../../../bench/lens.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "../kmem/build_space.h"
#include "unit.h"

enum { RAM = 16 * 4096 };

/* RAM behind a physmap, seen through a direct map. */
struct fixture {
	struct physmap *map;
	struct kmem_reader reader;
	struct kmem_space space;
	struct kmem_lens *lens;
};

static void fixture_begin(struct fixture *f)
{
	f->reader = kmem_reader_of_physmap(f->map);
	kmem_space_init(&f->space, &f->reader, &(struct kmem_paging){ .levels = 4 });
	f->space.direct = (struct kmem_window){ SPACE_AT, SPACE_AT + 2 * RAM, 0 };
	f->lens = kmem_lens_new(&f->space);
}

static void fixture_end(struct fixture *f)
{
	kmem_lens_free(f->lens);
	kmem_space_deinit(&f->space);
	physmap_free(f->map);
}
#define _cleanup_fixture_ __attribute__((cleanup(fixture_end)))

static int ram_file(void)
{
	int fd = memfd_create("ram", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, RAM), 0);
	return fd;
}

static void put(int fd, uint64_t offset, const char *text)
{
	assert_int_equal(pwrite(fd, text, strlen(text), (off_t)offset), strlen(text));
}

static size_t add(struct kmem_lens *lens, uint64_t physical, size_t n)
{
	size_t i = SIZE_MAX;

	assert_success(kmem_lens_add(lens, SPACE_AT + physical, n, &i));
	return i;
}

static void assert_seen(const struct kmem_lens *lens, size_t i, const char *text)
{
	struct bytes bytes = { 0 };

	assert_int_equal(kmem_lens_at(lens, i, &bytes), KMEM_READ_OK);
	assert_int_equal(bytes.n, strlen(text));
	assert_memory_equal(bytes.at, text, bytes.n);
}

static void each_look_reads_memory_again(void **state UNUSED)
{
	_cleanup_close_ int fd = ram_file();
	_cleanup_fixture_ struct fixture f = { .map = physmap_new() };
	struct bytes bytes;

	assert_success(physmap_add_fd(f.map, 0, RAM, fd, 0));
	fixture_begin(&f);
	put(fd, 0x1ffe, "abcd"); /* across a page */
	put(fd, 0x5000, "xy");
	assert_int_equal(add(f.lens, 0x1ffe, 4), 0);
	assert_int_equal(add(f.lens, 0x5000, 2), 1);
	assert_int_equal(kmem_lens_at(f.lens, 0, &bytes), KMEM_READ_UNKNOWN);
	kmem_lens_look(f.lens);
	assert_seen(f.lens, 0, "abcd");
	assert_seen(f.lens, 1, "xy");
	put(fd, 0x1fff, "BC");
	assert_seen(f.lens, 0, "abcd");
	kmem_lens_look(f.lens);
	assert_seen(f.lens, 0, "aBCd");
	kmem_lens_clear(f.lens);
	assert_int_equal(add(f.lens, 0x5000, 1), 0);
	kmem_lens_look(f.lens);
	assert_seen(f.lens, 0, "x");
}

static void reading_does_not_fill_holes_of_the_file(void **state UNUSED)
{
	_cleanup_close_ int fd = ram_file();
	_cleanup_fixture_ struct fixture f = { .map = physmap_new() };
	struct stat before, after;
	struct bytes bytes;

	assert_success(physmap_add_fd(f.map, 0, RAM, fd, 0));
	fixture_begin(&f);
	put(fd, 0x2000, "z");
	assert_int_equal(fstat(fd, &before), 0);
	add(f.lens, 0x4000, 8);
	add(f.lens, 0x2ff8, 16); /* data, then a hole */
	kmem_lens_look(f.lens);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(kmem_lens_at(f.lens, i, &bytes), KMEM_READ_OK);
		for (size_t k = 0; k < bytes.n; k++)
			assert_int_equal(bytes.at[k], 0);
	}
	assert_int_equal(fstat(fd, &after), 0);
	assert_int_equal(after.st_blocks, before.st_blocks);
	/* What the guest puts there later is seen. */
	put(fd, 0x4000, "late");
	kmem_lens_look(f.lens);
	assert_int_equal(kmem_lens_at(f.lens, 0, &bytes), KMEM_READ_OK);
	assert_memory_equal(bytes.at, "late\0\0\0\0", 8);
}

static void a_place_may_span_two_backends(void **state UNUSED)
{
	_cleanup_close_ int first = ram_file(), second = ram_file();
	_cleanup_fixture_ struct fixture f = { .map = physmap_new() };

	assert_success(physmap_add_fd(f.map, 0, 0x3000, first, 0x1000));
	assert_success(physmap_add_fd(f.map, 0x3000, 0x3000, second, 0x800));
	fixture_begin(&f);
	put(first, 0x3ffe, "ab");
	put(second, 0x800, "cd");
	add(f.lens, 0x2ffe, 4);
	kmem_lens_look(f.lens);
	assert_seen(f.lens, 0, "abcd");
}

static void an_unreadable_place_does_not_affect_the_others(void **state UNUSED)
{
	_cleanup_close_ int fd = ram_file();
	_cleanup_fixture_ struct fixture f = { .map = physmap_new() };
	struct bytes bytes;
	size_t i;

	assert_success(physmap_add_fd(f.map, 0, RAM, fd, 0));
	fixture_begin(&f);
	put(fd, 0x1000, "ok");
	assert_success(kmem_lens_add(f.lens, 0x1234, 8, &i));
	assert_int_equal(add(f.lens, RAM - 4, 8), 1);
	assert_int_equal(add(f.lens, 0x1000, 2), 2);
	for (int look = 0; look < 2; look++) {
		kmem_lens_look(f.lens);
		assert_int_not_equal(kmem_lens_at(f.lens, 0, &bytes), KMEM_READ_OK);
		assert_int_equal(kmem_lens_at(f.lens, 1, &bytes), KMEM_READ_OUTSIDE);
		assert_seen(f.lens, 2, "ok");
	}
}

/* The process is ourselves. */
static void memory_of_a_process_is_read_around_what_is_missing(void **state UNUSED)
{
	uint8_t *ram = mmap(NULL, RAM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	_cleanup_fixture_ struct fixture f = { .map = physmap_new() };
	struct bytes bytes;

	assert_true(ram != MAP_FAILED);
	memcpy(ram + 0x1000, "one", 3);
	memcpy(ram + 0x5000, "two", 3);
	assert_int_equal(munmap(ram + 0x3000, 0x1000), 0);
	assert_success(physmap_add_process(f.map, 0, RAM, getpid(), (uintptr_t)ram));
	fixture_begin(&f);
	add(f.lens, 0x1000, 3);
	add(f.lens, 0x3000, 3);
	add(f.lens, 0x5000, 3);
	kmem_lens_look(f.lens);
	assert_seen(f.lens, 0, "one");
	assert_int_equal(kmem_lens_at(f.lens, 1, &bytes), KMEM_READ_UNREADABLE);
	assert_seen(f.lens, 2, "two");
	memcpy(ram + 0x1000, "ONE", 3);
	kmem_lens_look(f.lens);
	assert_seen(f.lens, 0, "ONE");
	munmap(ram, RAM);
}

static void more_places_than_one_call_takes(void **state UNUSED)
{
	enum { N = 3000 };
	_cleanup_free_ uint16_t *ram = xcalloc(RAM, 1);
	_cleanup_fixture_ struct fixture f = { .map = physmap_new() };
	struct bytes bytes;

	assert_success(physmap_add_process(f.map, 0, RAM, getpid(), (uintptr_t)ram));
	fixture_begin(&f);
	for (uint16_t i = 0; i < N; i++) {
		ram[2 * i] = i;
		add(f.lens, 4 * (uint64_t)i, 2);
	}
	kmem_lens_look(f.lens);
	for (uint16_t i = 0; i < N; i++) {
		assert_int_equal(kmem_lens_at(f.lens, i, &bytes), KMEM_READ_OK);
		assert_memory_equal(bytes.at, &i, 2);
	}
}

/* A disk may fail under a mapping, so such files are read. */
static void files_that_are_not_ram_and_buffers_are_read(void **state UNUSED)
{
	struct build_space *s = build_space_new(RAM);
	_cleanup_kmem_lens_ struct kmem_lens *lens = kmem_lens_new(&s->space);
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	_cleanup_fixture_ struct fixture f = { .map = physmap_new() };

	build_word(s, SPACE_AT + 0x1000, UINT64_C(0x4847464544434241));
	add(lens, 0x1000, 8);
	kmem_lens_look(lens);
	assert_seen(lens, 0, "ABCDEFGH");
	build_word(s, SPACE_AT + 0x1000, UINT64_C(0x4847464544434258));
	kmem_lens_look(lens);
	assert_seen(lens, 0, "XBCDEFGH");
	assert_success(physmap_add_fd(f.map, 0, 4096, fd, 0));
	fixture_begin(&f);
	add(f.lens, 0, 4);
	kmem_lens_look(f.lens);
	assert_seen(f.lens, 0, "\177ELF");
	kmem_lens_free(take_ptr(lens));
	build_space_free(s);
}

static void places_of_a_lens_are_limited_in_number_and_size(void **state UNUSED)
{
	_cleanup_close_ int fd = ram_file();
	_cleanup_fixture_ struct fixture f = { .map = physmap_new() };
	size_t i;

	assert_success(physmap_add_fd(f.map, 0, RAM, fd, 0));
	fixture_begin(&f);
	assert_error_tag(kmem_lens_add(f.lens, SPACE_AT, (size_t)KMEM_LIMIT_LENS_BYTES + 1, &i),
			 "limit");
	for (i = 0; i < KMEM_LIMIT_LENS_PLACES; i++)
		add(f.lens, 0, 1);
	assert_error_tag(kmem_lens_add(f.lens, SPACE_AT, 1, &i), "limit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_look_reads_memory_again),
		cmocka_unit_test(reading_does_not_fill_holes_of_the_file),
		cmocka_unit_test(a_place_may_span_two_backends),
		cmocka_unit_test(an_unreadable_place_does_not_affect_the_others),
		cmocka_unit_test(memory_of_a_process_is_read_around_what_is_missing),
		cmocka_unit_test(more_places_than_one_call_takes),
		cmocka_unit_test(files_that_are_not_ram_and_buffers_are_read),
		cmocka_unit_test(places_of_a_lens_are_limited_in_number_and_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
