// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/verify.h"

#include <fcntl.h>

#include "cached.h"

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
		cmocka_unit_test(a_whole_kernel_is_checked_again),
		cmocka_unit_test(one_changed_byte_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
