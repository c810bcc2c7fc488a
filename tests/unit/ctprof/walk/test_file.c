// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/walk/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include "fake_proc.h"
#include "unit.h"

static int open_root(const char *root)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void the_read_buffer_is_reused(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_close_ int dir = open_root(root);
	struct ctprof_walk_buffer buffer;
	char *first;

	fake_text(root, "/7/long", "a longer text\n");
	fake_text(root, "/7/short", "x");
	ctprof_walk_buffer_init(&buffer);
	first = buffer.at;
	assert_int_equal(ctprof_walk_file_read(dir, "7/long", &buffer), 0);
	assert_int_equal(buffer.n, 14);
	assert_memory_equal(buffer.at, "a longer text\n", 14);
	assert_int_equal(ctprof_walk_file_read(dir, "7/short", &buffer), 0);
	assert_int_equal(buffer.n, 1);
	assert_ptr_equal(buffer.at, first);
	ctprof_walk_buffer_deinit(&buffer);
	staged_root_free(root);
}

static void a_large_file_is_read_whole_and_a_huge_one_not(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_close_ int dir = open_root(root);
	_cleanup_free_ char *bytes = xcalloc(1, CTPROF_LIMIT_FILE_BYTES);
	struct ctprof_walk_buffer buffer;

	memset(bytes, 'g', CTPROF_LIMIT_FILE_BYTES);
	staged_file(root, "/7/status", bytes, CTPROF_LIMIT_FILE_BYTES - 1);
	staged_file(root, "/8/status", bytes, CTPROF_LIMIT_FILE_BYTES);
	ctprof_walk_buffer_init(&buffer);
	assert_int_equal(ctprof_walk_file_read(dir, "7/status", &buffer), 0);
	assert_int_equal(buffer.n, CTPROF_LIMIT_FILE_BYTES - 1);
	assert_memory_equal(buffer.at, bytes, buffer.n);
	assert_int_equal(ctprof_walk_file_read(dir, "8/status", &buffer), EFBIG);
	ctprof_walk_buffer_deinit(&buffer);
	staged_root_free(root);
}

static void a_missing_file_of_a_living_thread_is_no_such_file(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_close_ int dir = open_root(root);
	struct ctprof_walk_buffer buffer;

	fake_text(root, "/7/stat", "");
	ctprof_walk_buffer_init(&buffer);
	assert_int_equal(ctprof_walk_file_read(dir, "7/io", &buffer), ENOENT);
	assert_int_equal(ctprof_walk_file_reason(dir, "7/io", ENOENT),
			 CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE);
	assert_int_equal(ctprof_walk_file_read(dir, "8/io", &buffer), ENOENT);
	assert_int_equal(ctprof_walk_file_reason(dir, "8/io", ENOENT),
			 CTPROF_SNAPSHOT_REASON_VANISHED);
	/* A directory can be opened and not read. */
	assert_int_equal(ctprof_walk_file_read(dir, "7", &buffer), EISDIR);
	assert_int_equal(ctprof_walk_file_reason(dir, "7", EISDIR), CTPROF_SNAPSHOT_REASON_OTHER);
	ctprof_walk_buffer_deinit(&buffer);
	staged_root_free(root);
}

static void every_errno_has_its_reason(void **state UNUSED)
{
	assert_int_equal(ctprof_walk_file_reason(-1, "7/io", EACCES),
			 CTPROF_SNAPSHOT_REASON_NO_PERMISSION);
	assert_int_equal(ctprof_walk_file_reason(-1, "7/io", EPERM),
			 CTPROF_SNAPSHOT_REASON_NO_PERMISSION);
	assert_int_equal(ctprof_walk_file_reason(-1, "7/io", ESRCH),
			 CTPROF_SNAPSHOT_REASON_VANISHED);
	assert_int_equal(ctprof_walk_file_reason(-1, "7/io", EIO), CTPROF_SNAPSHOT_REASON_OTHER);
	assert_int_equal(ctprof_walk_file_reason(-1, "", ESRCH), CTPROF_SNAPSHOT_REASON_VANISHED);
}

static void our_own_mask_is_that_of_the_c_library(void **state UNUSED)
{
	_cleanup_procfs_cpu_ids_ struct procfs_cpu_ids ids = { VEC_INIT };
	struct ctprof_affinity affinity;
	cpu_set_t set;
	size_t n = 0;
	bool same;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	ctprof_affinity_init(&affinity);
	assert_int_equal(ctprof_affinity_read(&affinity, getpid(), &same), 0);
	assert_false(same);
	ctprof_affinity_ids(&affinity, &ids);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			assert_int_equal(ids.ids.at[n++], cpu);
	assert_int_equal(ids.ids.n, n);
	ctprof_affinity_deinit(&affinity);
}

static void a_changed_affinity_mask_is_noticed(void **state UNUSED)
{
	_cleanup_procfs_cpu_ids_ struct procfs_cpu_ids ids = { VEC_INIT };
	struct ctprof_affinity affinity;
	cpu_set_t all, one;
	bool same;

	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	skip_unless(CPU_COUNT(&all) > 1, "one CPU has one mask");
	ctprof_affinity_init(&affinity);
	assert_int_equal(ctprof_affinity_read(&affinity, getpid(), &same), 0);
	assert_int_equal(ctprof_affinity_read(&affinity, getpid(), &same), 0);
	assert_true(same);
	ctprof_affinity_ids(&affinity, &ids);
	CPU_ZERO(&one);
	CPU_SET(ids.ids.at[1], &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(ctprof_affinity_read(&affinity, getpid(), &same), 0);
	assert_false(same);
	ctprof_affinity_ids(&affinity, &ids);
	assert_int_equal(ids.ids.n, 1);
	assert_true(CPU_ISSET(ids.ids.at[0], &one));
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	ctprof_affinity_deinit(&affinity);
}

static void a_missing_thread_has_no_affinity(void **state UNUSED)
{
	struct ctprof_affinity affinity;
	bool same;

	ctprof_affinity_init(&affinity);
	assert_int_equal(ctprof_affinity_read(&affinity, INT32_MAX, &same), ESRCH);
	assert_int_equal(affinity.used_words, 0);
	ctprof_affinity_deinit(&affinity);
}

static void a_kernel_with_more_cpus_gets_more_room(void **state UNUSED)
{
	struct ctprof_affinity affinity;
	bool same;

	ctprof_affinity_init(&affinity);
	/* No kernel takes a mask of no words. */
	affinity.n_words = 0;
	assert_int_equal(ctprof_affinity_read(&affinity, getpid(), &same), 0);
	assert_true(affinity.n_words > 0 && affinity.used_words > 0);
	ctprof_affinity_deinit(&affinity);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_read_buffer_is_reused),
		cmocka_unit_test(a_large_file_is_read_whole_and_a_huge_one_not),
		cmocka_unit_test(a_missing_file_of_a_living_thread_is_no_such_file),
		cmocka_unit_test(every_errno_has_its_reason),
		cmocka_unit_test(our_own_mask_is_that_of_the_c_library),
		cmocka_unit_test(a_changed_affinity_mask_is_noticed),
		cmocka_unit_test(a_missing_thread_has_no_affinity),
		cmocka_unit_test(a_kernel_with_more_cpus_gets_more_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
