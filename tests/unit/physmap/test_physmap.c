// SPDX-License-Identifier: GPL-2.0-or-later
#include "physmap/physmap.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/io.h"
#include "unit.h"

/* A file of n bytes where byte i is i % 251. */
static int counted_file(size_t n)
{
	int fd = memfd_create("physmap", MFD_CLOEXEC);
	_cleanup_free_ unsigned char *bytes = malloc(n + 1);

	assert_true(fd >= 0);
	assert_non_null(bytes);
	for (size_t i = 0; i < n; i++)
		bytes[i] = (unsigned char)(i % 251);
	assert_success(io_write_all(fd, "memfd", bytes, n));
	return fd;
}

static void segments_are_found_whatever_their_order(void **state UNUSED)
{
	_cleanup_physmap_ struct physmap *map = physmap_new();

	assert_null(physmap_find(map, 0));
	assert_success(physmap_add_process(map, 0x3000, 0x1000, 1, 0));
	assert_success(physmap_add_process(map, 0x1000, 0x1000, 2, 0));
	assert_success(physmap_add_process(map, 0x2000, 0x1000, 3, 0));
	assert_null(physmap_find(map, 0xfff));
	assert_int_equal(physmap_find(map, 0x1000)->pid, 2);
	assert_int_equal(physmap_find(map, 0x1fff)->pid, 2);
	assert_int_equal(physmap_find(map, 0x2000)->pid, 3);
	assert_int_equal(physmap_find(map, 0x3fff)->pid, 1);
	assert_null(physmap_find(map, 0x4000));
	assert_null(physmap_find(map, UINT64_MAX));
}

static void overlaps_are_refused(void **state UNUSED)
{
	static const struct {
		uint64_t start, length;
	} bad[] = {
		{ 0x1000, 0x1000 }, { 0x1fff, 1 },  { 0x0, 0x1001 },
		{ 0x1800, 0x10 },   { 0, 0x10000 }, { 0x1800, 0x1000 },
	};
	_cleanup_physmap_ struct physmap *map = physmap_new();

	assert_success(physmap_add_process(map, 0x1000, 0x1000, 1, 0));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_error_tag(physmap_add_process(map, bad[i].start, bad[i].length, 1, 0),
				 "physmap-overlap");
	assert_success(physmap_add_process(map, 0xfff, 1, 1, 0));
	assert_success(physmap_add_process(map, 0x2000, 1, 1, 0));
	assert_int_equal(map->segments.n, 3);
}

static void segments_that_wrap_are_refused(void **state UNUSED)
{
	_cleanup_physmap_ struct physmap *map = physmap_new();

	assert_error_tag(physmap_add_process(map, 0, 0, 1, 0), "physmap-range");
	assert_error_tag(physmap_add_process(map, UINT64_MAX, 1, 1, 0), "physmap-range");
	assert_error_tag(physmap_add_process(map, 2, UINT64_MAX, 1, 0), "physmap-range");
	assert_error_tag(physmap_add_process(map, 0, 2, 1, UINT64_MAX), "physmap-range");
	assert_error_tag(physmap_add_fd(map, 0, 2, 0, INT64_MAX), "physmap-range");
	assert_int_equal(map->segments.n, 0);
}

static void a_file_is_read_across_segments(void **state UNUSED)
{
	_cleanup_physmap_ struct physmap *map = physmap_new();
	_cleanup_close_ int fd = counted_file(0x3000);
	unsigned char buf[0x1800];
	uint64_t failed = 1;

	/* The two halves of what the guest sees in one piece lie swapped in the file. */
	assert_success(physmap_add_fd(map, 0x10000, 0x1000, fd, 0x2000));
	assert_success(physmap_add_fd(map, 0x11000, 0x1000, fd, 0x0));
	assert_int_equal(physmap_read(map, 0x10800, buf, sizeof(buf), NULL), PHYSMAP_READ_OK);
	for (size_t i = 0; i < sizeof(buf); i++)
		assert_int_equal(buf[i], (i < 0x800 ? 0x2800 + i : i - 0x800) % 251);
	assert_int_equal(physmap_read(map, 0x10801, buf, sizeof(buf), &failed),
			 PHYSMAP_READ_OUTSIDE);
	assert_true(failed == 0x12000);
	assert_int_equal(physmap_read(map, 0xffff, buf, 1, &failed), PHYSMAP_READ_OUTSIDE);
	assert_true(failed == 0xffff);
	assert_int_equal(physmap_read(map, 0, buf, 0, NULL), PHYSMAP_READ_OK);
}

static void a_file_that_ends_early_is_unreadable(void **state UNUSED)
{
	_cleanup_physmap_ struct physmap *map = physmap_new();
	_cleanup_close_ int fd = counted_file(0x1000);
	_cleanup_error_ struct error *err = NULL;
	unsigned char buf[16];
	uint64_t failed;

	assert_success(physmap_add_fd(map, 0, 0x2000, fd, 0));
	assert_int_equal(physmap_read(map, 0xff8, buf, 16, &failed), PHYSMAP_READ_UNREADABLE);
	assert_int_equal(errno, 0);
	assert_true(failed == 0x1000);
	err = physmap_read_exact(map, 0xff8, buf, 16);
	assert_non_null(err);
	assert_string_equal(error_tag(err), "physmap-unreadable");
	assert_contains(error_message(err), "0xff8");
}

static void a_process_is_read_as_it_is_now(void **state UNUSED)
{
	unsigned char *shared = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				     -1, 0);
	_cleanup_physmap_ struct physmap *map = physmap_new();
	unsigned char buf[32];
	pid_t child;

	assert_true(shared != MAP_FAILED);
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	assert_success(physmap_add_process(map, UINT64_C(4) << 30, 8192, child,
					   (uint64_t)(uintptr_t)shared));
	memset(shared + 4090, 0x5a, 32);
	assert_success(physmap_read_exact(map, (UINT64_C(4) << 30) + 4090, buf, sizeof(buf)));
	for (size_t i = 0; i < sizeof(buf); i++)
		assert_int_equal(buf[i], 0x5a);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(physmap_read(map, UINT64_C(4) << 30, buf, 1, NULL),
			 PHYSMAP_READ_UNREADABLE);
	assert_int_equal(errno, ESRCH);
	munmap(shared, 8192);
}

static void a_named_file_is_opened_and_closed(void **state UNUSED)
{
	char path[] = "/tmp/ktstr-physmap-XXXXXX";
	int fd = mkstemp(path);
	struct physmap *map = physmap_new();
	char buf[5] = "";

	assert_success(io_write_all(fd, path, "0123456789", 10));
	close(fd);
	assert_success(physmap_add_file(map, 0x100, 5, path, 5));
	assert_error_tag(physmap_add_file(map, 0x100, 5, path, 0), "physmap-overlap");
	assert_int_equal(map->files.n, 1);
	unlink(path);
	assert_error_tag(physmap_add_file(map, 0, 5, path, 0), "io");
	assert_success(physmap_read_exact(map, 0x100, buf, 5));
	assert_memory_equal(buf, "56789", 5);
	assert_error_tag(physmap_read_exact(map, 0x101, buf, 5), "physmap-outside");
	fd = map->files.at[0];
	physmap_free(map);
	assert_int_equal(close(fd), -1);
}

static void segments_have_a_limit(void **state UNUSED)
{
	_cleanup_physmap_ struct physmap *map = physmap_new();

	for (uint64_t i = 0; i < PHYSMAP_LIMIT_SEGMENTS; i++)
		assert_success(physmap_add_process(map, i * 2, 1, 1, 0));
	assert_error_tag(physmap_add_process(map, 1, 1, 1, 0), "limit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_are_found_whatever_their_order),
		cmocka_unit_test(overlaps_are_refused),
		cmocka_unit_test(segments_that_wrap_are_refused),
		cmocka_unit_test(a_file_is_read_across_segments),
		cmocka_unit_test(a_file_that_ends_early_is_unreadable),
		cmocka_unit_test(a_process_is_read_as_it_is_now),
		cmocka_unit_test(a_named_file_is_opened_and_closed),
		cmocka_unit_test(segments_have_a_limit),
	};

	physmap_free(NULL);
	return cmocka_run_group_tests_name("physmap/physmap", tests, NULL, NULL);
}
