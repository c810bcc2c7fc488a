// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "physmap/physmap.h"
#include "unit.h"

static int memory_file(uint64_t n)
{
	int fd = memfd_create("ram", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)n), 0);
	return fd;
}

static void write_at(int fd, uint64_t offset, const char *text)
{
	assert_int_equal(pwrite(fd, text, strlen(text), (off_t)offset), strlen(text));
}

static void buffer_is_read_inside_its_bounds(void **state UNUSED)
{
	static const uint8_t bytes[] = "0123456789abcdef";
	struct kmem_reader r = kmem_reader_of_bytes((struct bytes){ bytes, 16 }, 0x1000);
	uint64_t start = 0, end = 0;
	char buf[17] = "";

	assert_int_equal(r.read(&r, 0x1000, buf, 16), KMEM_READ_OK);
	assert_string_equal(buf, "0123456789abcdef");
	assert_int_equal(r.read(&r, 0x100f, buf, 1), KMEM_READ_OK);
	assert_int_equal(r.read(&r, 0x100f, buf, 2), KMEM_READ_OUTSIDE);
	assert_int_equal(r.read(&r, 0xfff, buf, 1), KMEM_READ_OUTSIDE);
	assert_int_equal(r.read(&r, 0x1010, buf, 1), KMEM_READ_OUTSIDE);
	assert_int_equal(r.read(&r, UINT64_MAX, buf, 8), KMEM_READ_OUTSIDE);
	assert_true(r.next_data(&r, 0, &start, &end));
	assert_int_equal(start, 0x1000);
	assert_int_equal(end, 0x1010);
	assert_true(r.next_data(&r, 0x1008, &start, &end));
	assert_int_equal(start, 0x1008);
	assert_false(r.next_data(&r, 0x1010, &start, &end));
}

static void backends_and_the_hole_between_them(void **state UNUSED)
{
	_cleanup_physmap_layout_ struct physmap_layout layout = { VEC_INIT };
	_cleanup_close_ int first = memory_file(2 << 20);
	_cleanup_close_ int second = memory_file(2 << 20);
	_cleanup_physmap_ struct physmap *map = NULL;
	char buf[8];

	write_at(first, (2 << 20) - 3, "abc");
	write_at(second, 0, "def");
	assert_success(
		physmap_from_backends(PHYSMAP_Q35, (uint64_t[]){ 2 << 20, 2 << 20 }, 2, &layout));
	assert_success(physmap_layout_bind(&layout, (int[]){ first, second }, 0, NULL, &map));

	struct kmem_reader r = kmem_reader_of_physmap(map);

	assert_int_equal(r.read(&r, (2 << 20) - 3, buf, 6), KMEM_READ_OK);
	assert_memory_equal(buf, "abcdef", 6);
	assert_int_equal(r.read(&r, 0xb0000, buf, 1), KMEM_READ_OUTSIDE);
	assert_int_equal(r.read(&r, 0x9fffc, buf, 8), KMEM_READ_OUTSIDE);
	assert_int_equal(r.read(&r, (4 << 20) - 1, buf, 2), KMEM_READ_OUTSIDE);
	assert_int_equal(ftruncate(second, 4096), 0);
	assert_int_equal(r.read(&r, 3 << 20, buf, 8), KMEM_READ_UNREADABLE);
}

/* The bytes that the file takes on disk or in memory. */
static uint64_t allocated(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

static void data_search_skips_holes_without_filling_them(void **state UNUSED)
{
	_cleanup_physmap_ struct physmap *map = physmap_new();
	_cleanup_close_ int fd = memory_file(UINT64_C(1) << 30);
	struct kmem_reader r = kmem_reader_of_physmap(map);
	uint64_t start = 0, end = 0, before, looked = 0;

	write_at(fd, 100 << 20, "data");
	write_at(fd, 700 << 20, "data");
	assert_success(physmap_add_fd(map, 0, 512 << 20, fd, 0));
	assert_success(physmap_add_fd(map, UINT64_C(4) << 30, 512 << 20, fd, 512 << 20));
	before = allocated(fd);
	assert_true(r.next_data(&r, 0, &start, &end));
	assert_int_equal(start, 100 << 20);
	looked += end - start;
	assert_true(r.next_data(&r, end, &start, &end));
	assert_int_equal(start, (UINT64_C(4) << 30) + (188 << 20));
	looked += end - start;
	assert_false(r.next_data(&r, end, &start, &end));
	assert_true(looked <= 2 << 20);
	assert_int_equal(allocated(fd), before);
}

static void process_memory_counts_as_data_throughout(void **state UNUSED)
{
	static char own[8192] = "of this very process";
	_cleanup_physmap_ struct physmap *map = physmap_new();
	struct kmem_reader r = kmem_reader_of_physmap(map);
	uint64_t start = 0, end = 0;
	char buf[8];

	assert_success(
		physmap_add_process(map, 0x5000, sizeof(own), getpid(), (uint64_t)(uintptr_t)own));
	assert_true(r.next_data(&r, 0, &start, &end));
	assert_int_equal(start, 0x5000);
	assert_int_equal(end, 0x7000);
	assert_false(r.next_data(&r, 0x7000, &start, &end));
	assert_int_equal(r.read(&r, 0x5003, buf, 4), KMEM_READ_OK);
	assert_memory_equal(buf, "this", 4);
}

/* As QEMU maps a template's RAM for a clone. */
static void clone_is_read_from_its_process_and_searched_by_its_files(void **state UNUSED)
{
	_cleanup_physmap_ struct physmap *map = physmap_new(), *files = physmap_new();
	_cleanup_close_ int fd = memory_file(64 << 20);
	struct kmem_reader r = kmem_reader_of_clone(map, files);
	uint64_t start = 0, end = 0, before;
	char buf[4], *own;

	write_at(fd, 8 << 20, "file");
	own = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(own, MAP_FAILED);
	memcpy(own + (8 << 20), "mine", 4);
	assert_success(physmap_add_process(map, 0, 64 << 20, getpid(), (uint64_t)(uintptr_t)own));
	assert_success(physmap_add_fd(files, 0, 64 << 20, fd, 0));
	before = allocated(fd);
	assert_true(r.next_data(&r, 0, &start, &end));
	assert_int_equal(start, 8 << 20);
	assert_false(r.next_data(&r, end, &start, &end));
	assert_int_equal(r.read(&r, 8 << 20, buf, 4), KMEM_READ_OK);
	assert_memory_equal(buf, "mine", 4);
	assert_int_equal(allocated(fd), before);
	munmap(own, 64 << 20);
}

static void every_read_status_has_a_name(void **state UNUSED)
{
	assert_string_equal(kmem_status_name(KMEM_READ_OK), "ok");
	assert_string_equal(kmem_status_name(KMEM_READ_UNMAPPED), "unmapped");
	assert_string_equal(kmem_status_name(KMEM_READ_OUTSIDE), "outside RAM");
	assert_string_equal(kmem_status_name(KMEM_READ_UNREADABLE), "unreadable");
	assert_string_equal(kmem_status_name(KMEM_READ_TORN), "torn");
	assert_string_equal(kmem_status_name(KMEM_READ_UNKNOWN), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buffer_is_read_inside_its_bounds),
		cmocka_unit_test(backends_and_the_hole_between_them),
		cmocka_unit_test(data_search_skips_holes_without_filling_them),
		cmocka_unit_test(process_memory_counts_as_data_throughout),
		cmocka_unit_test(clone_is_read_from_its_process_and_searched_by_its_files),
		cmocka_unit_test(every_read_status_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
