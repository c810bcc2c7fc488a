// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/fetch.h"

#include "archive.h"
#include "base/clock.h"
#include "kernel/cache.h"

static void assert_fetches(const char *wanted, const char *id)
{
	_cleanup_kernel_ struct kernel *kernel = NULL;

	assert_success(kernel_fetch(&(struct kernel_fetch){ .wanted = wanted }, NULL, &kernel));
	assert_string_equal(kernel->id, id);
}

static size_t count_cached(void)
{
	_cleanup_kernel_list_ struct kernel_list list = { 0 };

	assert_success(kernel_list_read(&list));
	return list.n;
}

static void one_package_becomes_a_kernel(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_kernel_ struct kernel *kernel = NULL;

	archive_image(cache, "9.8.7+t-cloud-amd64", 0);
	archive_begin(cache, "9.8.7+t-cloud-amd64");
	assert_success(kernel_fetch(&(struct kernel_fetch){ .wanted = "9.8" }, NULL, &kernel));
	assert_string_equal(kernel->id, "9.8.7+t-cloud-amd64");
	assert_string_equal(kernel->flavour, "cloud");
	assert_string_equal(kernel->source, "linux-image-9.8.7+t-cloud-amd64 9.8.7-1");
	assert_string_equal(kernel->suite, "next-backports");
	assert_int_equal(kernel->files[KERNEL_CONFIG].bytes, strlen("CONFIG_FAKE=y\n"));
	assert_int_equal(kernel->modules_bytes, strlen("module\n"));
	sample_cache_end(cache);
}

static void a_kernel_split_into_packages_is_assembled(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_kernel_ struct kernel *kernel = NULL;
	_cleanup_free_ char *left = NULL;

	archive_image(cache, "9.8.7+t-cloud-amd64", 0);
	archive_begin(cache, "9.8.7+t-cloud-amd64:cut");
	assert_success(kernel_fetch(&(struct kernel_fetch){ .wanted = "9.8.7" }, NULL, &kernel));
	assert_non_null(kernel->bzimage_path);
	assert_non_null(kernel->config_path);
	assert_int_equal(kernel->modules_bytes, strlen("module\n"));
	left = xasprintf("%s/kernels/.new-work", cache);
	assert_int_equal(access(left, F_OK), -1);
	sample_cache_end(cache);
}

static void the_newest_that_fits_is_taken_and_only_once(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_free_ char *before = NULL, *after = NULL;

	archive_image(cache, "9.8.7-cloud-amd64", 0);
	archive_image(cache, "9.8.12-cloud-amd64", 0);
	archive_image(cache, "9.9.1-cloud-amd64", 1);
	archive_image(cache, "9.9.2-amd64", 0);
	archive_begin(cache, "9.8.7-cloud-amd64 9.8.12-cloud-amd64 9.9.1-cloud-amd64 9.9.2-amd64");
	assert_fetches("9.8", "9.8.12-cloud-amd64");
	assert_fetches("9.8.7", "9.8.7-cloud-amd64");
	/* What was asked for by name comes, broken or not. */
	assert_fetches("newest", "9.9.1-cloud-amd64");
	assert_fetches("9.8.7-cloud-amd64", "9.8.7-cloud-amd64");
	before = archive_log(cache);
	assert_fetches("9.8", "9.8.12-cloud-amd64");
	after = archive_log(cache);
	assert_null(strstr(after + strlen(before), "download"));
	assert_null(strstr(after + strlen(before), "update"));
	assert_int_equal(count_cached(), 3);
	sample_cache_end(cache);
}

static void the_default_series_comes_first(void **state UNUSED)
{
	char *cache = sample_cache_begin();

	archive_image(cache, "9.9.1-cloud-amd64", 0);
	archive_image(cache, KERNEL_DEFAULT_SERIES ".4-cloud-amd64", 0);
	archive_begin(cache, "9.9.1-cloud-amd64 " KERNEL_DEFAULT_SERIES ".4-cloud-amd64");
	assert_fetches(NULL, KERNEL_DEFAULT_SERIES ".4-cloud-amd64");
	sample_cache_end(cache);
}

static void without_it_the_newest_usable_one_is_the_default(void **state UNUSED)
{
	char *cache = sample_cache_begin();

	archive_image(cache, "9.9.3-cloud-amd64", 2);
	archive_image(cache, "9.9.1-cloud-amd64", 0);
	archive_image(cache, "9.8.1-cloud-amd64", 1);
	archive_image(cache, "9.7.5-cloud-amd64", 0);
	archive_image(cache, "9.7.4-cloud-amd64", 0);
	archive_begin(cache, "9.7.4-cloud-amd64 9.9.3-cloud-amd64:cut 9.8.1-cloud-amd64 "
			     "9.7.5-cloud-amd64 9.9.1-cloud-amd64");
	/* The newest of each series is tried, and what is refused is not kept. */
	assert_fetches(NULL, "9.7.5-cloud-amd64");
	assert_int_equal(count_cached(), 1);
	sample_cache_end(cache);
}

static void an_archive_without_a_usable_kernel_is_an_error(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	struct kernel *kernel = NULL;
	struct error *err;

	archive_image(cache, "9.9.3-cloud-amd64", 2);
	archive_begin(cache, "9.9.3-cloud-amd64");
	err = kernel_fetch(&(struct kernel_fetch){ 0 }, NULL, &kernel);
	assert_non_null(err);
	assert_string_equal(error_tag(err), "kernel-not-in-reach");
	assert_contains(error_message(err), "9.9");
	error_free(err);
	assert_int_equal(count_cached(), 0);
	sample_cache_end(cache);
}

static void flavours_are_kept_apart(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_kernel_ struct kernel *rt = NULL, *generic = NULL;

	archive_image(cache, "9.9.3-amd64", 0);
	archive_image(cache, "9.9.2-rt-amd64", 0);
	archive_begin(cache, "9.9.3-amd64 9.9.2-rt-amd64");
	assert_success(kernel_fetch(
		&(struct kernel_fetch){ .wanted = "9.9", .flavour = KERNEL_FLAVOUR_RT }, NULL,
		&rt));
	assert_string_equal(rt->id, "9.9.2-rt-amd64");
	assert_success(kernel_fetch(
		&(struct kernel_fetch){ .wanted = "9.9", .flavour = KERNEL_FLAVOUR_GENERIC }, NULL,
		&generic));
	assert_string_equal(generic->id, "9.9.3-amd64");
	sample_cache_end(cache);
}

static void a_missing_version_lists_the_available_ones(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	struct kernel *kernel = NULL;
	struct error *err;

	archive_image(cache, "9.9.3-cloud-amd64", 0);
	archive_image(cache, "9.8.3-cloud-amd64", 0);
	archive_begin(cache, "9.9.3-cloud-amd64 9.8.3-cloud-amd64");
	err = kernel_fetch(&(struct kernel_fetch){ .wanted = "9.1" }, NULL, &kernel);
	assert_non_null(err);
	assert_string_equal(error_tag(err), "kernel-not-in-reach");
	assert_contains(error_message(err), "available: 9.9, 9.8");
	error_free(err);
	sample_cache_end(cache);
}

static void a_package_without_an_image_leaves_nothing(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_free_ char *text = NULL, *images = xasprintf("%s/archive/images", cache);
	struct kernel *kernel = NULL;

	assert_success(paths_make(images, 0755));
	text = sample_write_text(images, "9.9.3-cloud-amd64", "no kernel");
	archive_begin(cache, "9.9.3-cloud-amd64");
	assert_error_tag(kernel_fetch(&(struct kernel_fetch){ .wanted = "9.9" }, NULL, &kernel),
			 "not-kernel");
	assert_int_equal(count_cached(), 0);
	sample_cache_end(cache);
}

static void cancelling_ends_apt_and_leaves_nothing(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_free_ char *slow = xasprintf("%s/archive", cache);
	struct cancel cancel = { .deadline_ns = clock_monotonic_ns() + 300 * NS_PER_MS };
	struct kernel_watch watch = { .cancel = &cancel };
	struct kernel *kernel = NULL;

	archive_image(cache, "9.9.3-cloud-amd64", 0);
	archive_begin(cache, "9.9.3-cloud-amd64");
	free(sample_write_text(slow, "slow", ""));
	assert_error_tag(kernel_fetch(&(struct kernel_fetch){ .wanted = "9.9" }, &watch, &kernel),
			 "cancelled");
	assert_int_equal(count_cached(), 0);
	sample_cache_end(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_package_becomes_a_kernel),
		cmocka_unit_test(a_kernel_split_into_packages_is_assembled),
		cmocka_unit_test(the_newest_that_fits_is_taken_and_only_once),
		cmocka_unit_test(the_default_series_comes_first),
		cmocka_unit_test(without_it_the_newest_usable_one_is_the_default),
		cmocka_unit_test(an_archive_without_a_usable_kernel_is_an_error),
		cmocka_unit_test(flavours_are_kept_apart),
		cmocka_unit_test(a_missing_version_lists_the_available_ones),
		cmocka_unit_test(a_package_without_an_image_leaves_nothing),
		cmocka_unit_test(cancelling_ends_apt_and_leaves_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
