// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/template/template.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "dirs.h"

enum { PAGE = 4096, MIB = 1 << 20 };

static int open_new(const struct dirs *f, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", f->top, name);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	return fd;
}

static uint64_t blocks_bytes(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

static void assert_same_content(int a, int b)
{
	static char of_a[MIB], of_b[MIB];
	struct stat in_a, in_b;

	assert_int_equal(fstat(a, &in_a), 0);
	assert_int_equal(fstat(b, &in_b), 0);
	assert_int_equal(in_a.st_size, in_b.st_size);
	for (off_t at = 0; at < in_a.st_size; at += MIB) {
		ssize_t n = pread(a, of_a, MIB, at);

		assert_int_equal(pread(b, of_b, MIB, at), n);
		assert_memory_equal(of_a, of_b, (size_t)n);
	}
}

static void default_memory_grows_with_the_cpus(void **state UNUSED)
{
	struct topo t = TOPO_DEFAULT;

	assert_int_equal(vm_ram_default_bytes(&t), UINT64_C(512) << 20);
	t.cores = 8;
	assert_int_equal(vm_ram_default_bytes(&t), UINT64_C(512) << 20);
	t.cores = 9;
	assert_int_equal(vm_ram_default_bytes(&t), UINT64_C(544) << 20);
	t.cores = 32;
	assert_int_equal(vm_ram_default_bytes(&t), UINT64_C(1280) << 20);
	t.has_memory = true;
	t.memory_bytes[0] = UINT64_C(300) << 20;
	assert_int_equal(vm_ram_default_bytes(&t), UINT64_C(300) << 20);
}

static void a_memory_file_is_empty_and_has_its_size(void **state UNUSED)
{
	_cleanup_close_ int fd = -1;
	int untouched = -7;
	struct stat st;

	assert_success(vm_ram_make_memfd(3, UINT64_C(4) << 30, &fd));
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, INT64_C(4) << 30);
	assert_int_equal(st.st_blocks, 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_error_tag(vm_ram_make_memfd(0, UINT64_MAX, &untouched), "qemu-failed");
	assert_int_equal(untouched, -7);
}

static void holes_and_zero_pages_take_no_room(void **state)
{
	_cleanup_close_ int from = -1, to = open_new(*state, "copy");
	char page[PAGE] = { 0 };
	uint64_t bytes = 0;

	assert_success(vm_ram_make_memfd(0, 64 * MIB, &from));
	/* Present in the memory file, but zero. */
	for (int i = 0; i < 1000; i++)
		assert_int_equal(pwrite(from, page, PAGE, (off_t)i * 7 * PAGE), PAGE);
	assert_true(blocks_bytes(from) >= 1000 * PAGE);
	assert_success(vm_ram_copy_sparse(from, to, "copy", &bytes));
	assert_int_equal(bytes, 0);
	assert_int_equal(blocks_bytes(to), 0);
	assert_same_content(from, to);
	/* One byte keeps its page, the last of the file as well. */
	assert_int_equal(pwrite(from, "x", 1, 3 * PAGE + PAGE - 1), 1);
	assert_int_equal(pwrite(from, "y", 1, 64 * MIB - 1), 1);
	assert_int_equal(ftruncate(to, 0), 0);
	assert_success(vm_ram_copy_sparse(from, to, "copy", &bytes));
	assert_int_equal(bytes, 2 * PAGE);
	assert_int_equal(blocks_bytes(to), 2 * PAGE);
	assert_same_content(from, to);
}

static void empty_and_unaligned_memory_is_copied(void **state)
{
	_cleanup_close_ int from = -1, empty = -1, to = open_new(*state, "copy");
	uint64_t bytes = 1;

	assert_success(vm_ram_make_memfd(0, 0, &empty));
	assert_success(vm_ram_copy_sparse(empty, to, "copy", &bytes));
	assert_int_equal(bytes, 0);
	assert_success(vm_ram_make_memfd(0, 3 * PAGE + 5, &from));
	assert_int_equal(pwrite(from, "end", 3, 3 * PAGE + 2), 3);
	assert_success(vm_ram_copy_sparse(from, to, "copy", &bytes));
	assert_int_equal(bytes, 5);
	assert_same_content(from, to);
}

/* Any pattern: the copy is equal, and holds exactly the pages that are not zero. */
static void copies_are_equal_whatever_the_pattern(void **state)
{
	uint64_t seed = 88172645463325252ULL;

	for (int round = 0; round < 60; round++) {
		_cleanup_free_ char *name = xasprintf("copy.%d", round);
		_cleanup_close_ int from = -1, to = open_new(*state, name);
		unsigned int pages = 1 + (unsigned int)(seed % 900), full = 0;
		unsigned int one_in = 1 + (unsigned int)((seed >> 20) % 9);
		uint64_t bytes;

		assert_success(vm_ram_make_memfd(0, (uint64_t)pages * PAGE, &from));
		for (unsigned int i = 0; i < pages; i++) {
			char page[PAGE] = { 0 };

			seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
			if (seed % 3 == 0)
				continue; /* a hole */
			if ((seed >> 8) % one_in == 0) {
				page[(seed >> 16) % PAGE] = (char)(1 + (seed >> 32) % 255);
				full++;
			}
			assert_int_equal(pwrite(from, page, PAGE, (off_t)i * PAGE), PAGE);
		}
		assert_success(vm_ram_copy_sparse(from, to, name, &bytes));
		assert_int_equal(bytes, (uint64_t)full * PAGE);
		assert_same_content(from, to);
		/* ext4 counts the blocks of its extent tree too, once they are written back. */
		assert_true(blocks_bytes(to) <= blocks_bytes(from) + 8 * PAGE);
	}
}

static void a_copy_that_cannot_be_written_is_an_error(void **state UNUSED)
{
	_cleanup_close_ int from = -1, to = open("/dev/null", O_RDONLY | O_CLOEXEC);
	uint64_t bytes = 7;

	assert_success(vm_ram_make_memfd(0, MIB, &from));
	assert_error_tag(vm_ram_copy_sparse(from, to, "the copy", &bytes), "template");
	assert_error_tag(vm_ram_copy_sparse(-1, to, "the copy", &bytes), "template");
	assert_int_equal(bytes, 7);
}

/* In a child with its own mounts: 0 is as expected. */
static int fill_small_disk(const char *where)
{
	_cleanup_close_ int from = -1, to = -1;
	_cleanup_free_ char *path = xasprintf("%s/ram.0", where);
	struct error *err;
	uint64_t bytes;
	char *all;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", where, "tmpfs", 0, "size=2m") < 0)
		return 77;
	to = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (to < 0 || vm_ram_make_memfd(0, 8 * MIB, &from))
		return 2;
	all = mmap(NULL, 8 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED, from, 0);
	if (all == MAP_FAILED)
		return 3;
	memset(all, 0x5a, 8 * MIB);
	err = vm_ram_copy_sparse(from, to, path, &bytes);
	if (!error_is(err, &vm_error_domain, VM_CACHE_FULL))
		return 4;
	return strstr(error_message(err), "8 MiB") && strstr(error_message(err), "2 MiB written") &&
			       strstr(error_message(err), "0 MiB free") &&
			       strstr(error_message(err), path)
		       ? 0
		       : 5;
}

static void a_full_disk_is_reported_with_sizes(void **state)
{
	struct dirs *f = *state;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(fill_small_disk(f->top));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	skip_unless(WEXITSTATUS(status) != 77, "a file system cannot be mounted here");
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define IN_DIRS(name) cmocka_unit_test_setup_teardown(name, make_dirs, remove_dirs)
		cmocka_unit_test(default_memory_grows_with_the_cpus),
		cmocka_unit_test(a_memory_file_is_empty_and_has_its_size),
		IN_DIRS(holes_and_zero_pages_take_no_room),
		IN_DIRS(empty_and_unaligned_memory_is_copied),
		IN_DIRS(copies_are_equal_whatever_the_pattern),
		cmocka_unit_test(a_copy_that_cannot_be_written_is_an_error),
		IN_DIRS(a_full_disk_is_reported_with_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
