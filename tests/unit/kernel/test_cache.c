// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/cache.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "cached.h"

static void a_cache_that_does_not_exist_is_empty(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_kernel_list_ struct kernel_list list = { 0 };

	assert_success(kernel_list_read(&list));
	assert_int_equal(list.n, 0);
	sample_cache_end(cache);
}

static void newest_come_first_and_damaged_ones_last(void **state UNUSED)
{
	static const char *const expected[] = { "9.10.1", "9.9.20", "9.9.3", "3.0.0", "zzz" };
	char *cache = sample_cache_begin();
	_cleanup_free_ char *broken = xasprintf("%s/kernels/zzz", cache);
	_cleanup_free_ char *file = xasprintf("%s/kernels", cache);
	_cleanup_kernel_list_ struct kernel_list list = { 0 };

	cached_add(cache, &(struct sample){ .banner = "9.9.3 x" }, NULL);
	cached_add(cache, &(struct sample){ .banner = "9.10.1 x" }, NULL);
	cached_add(cache, &(struct sample){ .banner = "3.0.0 x" }, NULL);
	cached_add(cache, &(struct sample){ .banner = "9.9.20 x" }, NULL);
	assert_success(paths_make(broken, 0755));
	free(sample_write_text(file, "stray-file", "is no kernel"));
	assert_success(kernel_list_read(&list));
	assert_int_equal(list.n, ARRAY_SIZE(expected));
	for (size_t i = 0; i < list.n; i++) {
		assert_string_equal(list.at[i].id, expected[i]);
		assert_int_equal(!list.at[i].kernel, i == 4);
		assert_int_equal(!list.at[i].damage, i != 4);
	}
	assert_contains(list.at[4].damage, "metadata.json");
	sample_cache_end(cache);
}

static void of_equal_versions_the_cloud_build_comes_first(void **state UNUSED)
{
	char version[] = "6.18.15", cloud[] = "cloud", rt[] = "rt", a[] = "a", b[] = "b";
	struct kernel first = { .id = a, .version = version, .flavour = cloud };
	struct kernel second = { .id = b, .version = version, .flavour = rt };

	assert_true(kernel_compare(&first, &second) < 0);
	assert_true(kernel_compare(&second, &first) > 0);
}

static void locking_the_cache_removes_leftovers_of_killed_processes(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_free_ char *left = xasprintf("%s/kernels/.new-kernel", cache);
	_cleanup_free_ char *deep = xasprintf("%s/a/b", left);
	_cleanup_close_ int lock = -1;

	cached_add(cache, &(struct sample){ .banner = SAMPLE_BANNER }, NULL);
	assert_success(paths_make(deep, 0755));
	assert_success(kernel_cache_lock("test", NULL, &lock));
	assert_int_equal(access(left, F_OK), -1);
	{
		_cleanup_kernel_list_ struct kernel_list list = { 0 };

		assert_success(kernel_list_read(&list));
		assert_int_equal(list.n, 1);
	}
	sample_cache_end(cache);
}

static char heard[512];

static void hear(void *context UNUSED, const char *line)
{
	snprintf(heard, sizeof(heard), "%s", line);
}

static void waiting_for_the_cache_names_the_holder_and_can_be_cancelled(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	struct cancel cancel = { .deadline_ns = clock_monotonic_ns() + 200 * NS_PER_MS };
	struct kernel_watch watch = { .cancel = &cancel, .say = hear };
	_cleanup_free_ char *process = xasprintf("process %d", (int)getpid());
	_cleanup_close_ int first = -1, second = -1;

	heard[0] = 0;
	assert_success(kernel_cache_lock("fetching the moon", &watch, &first));
	assert_string_equal(heard, "");
	/* flock() belongs to the open file, so one process is enough to wait for itself. */
	assert_error_tag(kernel_cache_lock("second", &watch, &second), "cancelled");
	assert_contains(heard, "fetching the moon");
	assert_contains(heard, process);
	close(take_fd(first));
	cancel.deadline_ns = 0;
	assert_success(kernel_cache_lock("second", &watch, &second));
	sample_cache_end(cache);
}

static void the_lock_dies_with_its_owner(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_close_ int lock = -1;
	int ready[2], status;
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		int fd;

		if (kernel_cache_lock("child", NULL, &fd) || write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_success(kernel_cache_lock("parent", NULL, &lock));
	close(ready[0]);
	close(ready[1]);
	sample_cache_end(cache);
}

static void removing_takes_one_and_leaves_the_others(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_kernel_list_ struct kernel_list list = { 0 };

	cached_add(cache, &(struct sample){ .banner = "9.9.3 x" }, NULL);
	cached_add(cache, &(struct sample){ .banner = "9.9.4 x" }, NULL);
	assert_error_tag(kernel_cache_remove("9.9.5", NULL), "kernel-not-cached");
	assert_error_tag(kernel_cache_remove("../files", NULL), "kernel-not-cached");
	assert_error_tag(kernel_cache_remove("", NULL), "kernel-not-cached");
	assert_success(kernel_cache_remove("9.9.3", NULL));
	assert_success(kernel_list_read(&list));
	assert_int_equal(list.n, 1);
	assert_string_equal(list.at[0].id, "9.9.4");
	sample_cache_end(cache);
}

static void a_whole_kernel_is_checked_again(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_kernel_ struct kernel *good = NULL, *broken = NULL, *bare = NULL;
	_cleanup_kernel_check_ struct kernel_check one = { 0 }, two = { 0 }, three = { 0 };

	cached_add(cache, &(struct sample){ .banner = "9.8.7 x" }, &good);
	cached_add(cache, &(struct sample){ .banner = "9.8.8 x", .leaky = 3 }, &broken);
	cached_add(cache, &(struct sample){ .banner = "9.8.9 x", .no_btf = true }, &bare);
	assert_success(kernel_verify(good, &one));
	assert_int_equal(one.verdict, KERNEL_SCX_USABLE);
	assert_success(kernel_verify(broken, &two));
	assert_int_equal(two.verdict, KERNEL_SCX_BROKEN);
	assert_success(kernel_verify(bare, &three));
	assert_int_equal(three.verdict, KERNEL_SCX_UNKNOWN);
	sample_cache_end(cache);
}

static void one_changed_byte_is_found(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	struct sample sample = sample_usual();
	_cleanup_kernel_ struct kernel *kernel = NULL;
	struct kernel_check check;
	_cleanup_close_ int fd = -1;

	cached_add(cache, &sample, &kernel);
	fd = open(kernel->vmlinux_path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, "!", 1, 200), 1);
	assert_error_tag(kernel_verify(kernel, &check), "kernel-corrupt");
	assert_int_equal(unlink(kernel->bzimage_path), 0);
	assert_error_tag(kernel_verify(kernel, &check), "kernel-corrupt");
	sample_cache_end(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cache_that_does_not_exist_is_empty),
		cmocka_unit_test(newest_come_first_and_damaged_ones_last),
		cmocka_unit_test(of_equal_versions_the_cloud_build_comes_first),
		cmocka_unit_test(locking_the_cache_removes_leftovers_of_killed_processes),
		cmocka_unit_test(waiting_for_the_cache_names_the_holder_and_can_be_cancelled),
		cmocka_unit_test(the_lock_dies_with_its_owner),
		cmocka_unit_test(removing_takes_one_and_leaves_the_others),
		cmocka_unit_test(a_whole_kernel_is_checked_again),
		cmocka_unit_test(one_changed_byte_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
