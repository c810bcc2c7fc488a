// SPDX-License-Identifier: GPL-2.0-or-later
#include "cached.h"
#include "kernel/kernel.h"

static void assert_resolves(const char *wanted, const char *id)
{
	_cleanup_kernel_ struct kernel *kernel = NULL;

	assert_success(kernel_resolve(wanted, &kernel));
	assert_string_equal(kernel->id, id);
}

static void assert_not_cached(const char *wanted, const char *says)
{
	struct kernel *kernel = NULL;
	struct error *err = kernel_resolve(wanted, &kernel);

	assert_non_null(err);
	assert_null(kernel);
	assert_string_equal(error_tag(err), "kernel-not-cached");
	assert_contains(error_message(err), says);
	error_free(err);
}

static void add(const char *cache, const char *banner, unsigned int leaky)
{
	cached_add(cache, &(struct sample){ .banner = banner, .leaky = leaky }, NULL);
}

static void an_empty_cache_names_the_command(void **state UNUSED)
{
	char *cache = sample_cache_begin();

	assert_not_cached(NULL, "run 'ktstr kernel fetch'");
	assert_not_cached("6.18", "run 'ktstr kernel fetch 6.18'");
	assert_not_cached("newest", "run 'ktstr kernel fetch'");
	sample_cache_end(cache);
}

static void the_default_series_wins_over_newer_kernels(void **state UNUSED)
{
	char *cache = sample_cache_begin();

	add(cache, "7.2.1 x", 0);
	assert_resolves(NULL, "7.2.1");
	add(cache, KERNEL_DEFAULT_SERIES ".2 x", 0);
	add(cache, KERNEL_DEFAULT_SERIES ".11 x", 0);
	assert_resolves(NULL, KERNEL_DEFAULT_SERIES ".11");
	assert_resolves("default", KERNEL_DEFAULT_SERIES ".11");
	assert_resolves("newest", "7.2.1");
	sample_cache_end(cache);
}

static void the_default_is_usable_or_not_at_all(void **state UNUSED)
{
	char *cache = sample_cache_begin();

	add(cache, "7.2.1 x", 1);
	assert_not_cached(NULL, "none of the 1 cached kernels is usable");
	add(cache, KERNEL_DEFAULT_SERIES ".2 x", 2);
	add(cache, "7.0.3 x", 0);
	add(cache, "6.16.3 x", 0);
	assert_resolves(NULL, "7.0.3");
	/* Who asks for a broken one gets it. */
	assert_resolves("7.2", "7.2.1");
	sample_cache_end(cache);
}

static void words_are_series_versions_and_ids(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	struct kernel *kernel = NULL;

	add(cache, "6.18.1+a x", 0);
	add(cache, "6.18.15+a x", 0);
	add(cache, "6.1.8 x", 0);
	assert_resolves("6.18", "6.18.15+a");
	assert_resolves("6.18.1", "6.18.1+a");
	assert_resolves("6.1", "6.1.8");
	assert_resolves("6.18.1+a", "6.18.1+a");
	assert_not_cached("6.18.2", "fetch 6.18.2");
	assert_not_cached("6.18.15+b", "fetch 6.18.15+b");
	assert_error_tag(kernel_resolve("mainline", &kernel), "kernel-word");
	assert_error_tag(kernel_resolve("6", &kernel), "kernel-word");
	sample_cache_end(cache);
}

static void the_environment_names_one_unless_somebody_asks(void **state UNUSED)
{
	char *cache = sample_cache_begin();

	add(cache, KERNEL_DEFAULT_SERIES ".2 x", 0);
	add(cache, "7.0.3 x", 0);
	assert_int_equal(setenv("KTSTR_KERNEL", "7.0", 1), 0);
	assert_resolves(NULL, "7.0.3");
	assert_resolves(KERNEL_DEFAULT_SERIES, KERNEL_DEFAULT_SERIES ".2");
	assert_resolves("default", KERNEL_DEFAULT_SERIES ".2");
	assert_int_equal(setenv("KTSTR_KERNEL", "", 1), 0);
	assert_resolves(NULL, KERNEL_DEFAULT_SERIES ".2");
	assert_int_equal(unsetenv("KTSTR_KERNEL"), 0);
	sample_cache_end(cache);
}

static void damaged_kernels_are_never_taken(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_kernel_ struct kernel *newest = NULL;
	struct kernel *kernel = NULL;
	struct error *err;

	add(cache, "6.18.1 x", 0);
	cached_add(cache, &(struct sample){ .banner = "6.18.2 x" }, &newest);
	assert_int_equal(truncate(newest->vmlinux_path, 10), 0);
	assert_resolves(NULL, "6.18.1");
	assert_resolves("6.18", "6.18.1");
	err = kernel_resolve("6.18.2", &kernel);
	assert_non_null(err);
	assert_string_equal(error_tag(err), "kernel-corrupt");
	assert_contains(error_message(err), "vmlinux has 10 bytes instead of");
	assert_contains(error_message(err), "ktstr kernel remove 6.18.2");
	error_free(err);
	sample_cache_end(cache);
}

static void a_path_is_taken_into_the_cache(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	struct sample sample = sample_usual();
	_cleanup_kernel_ struct kernel *kernel = NULL;
	_cleanup_free_ char *path = NULL;
	struct kernel *none = NULL;

	sample_bzimage(&sample, &file);
	path = sample_write(cache, "image", &file);
	assert_success(kernel_resolve(path, &kernel));
	assert_string_equal(kernel->id, SAMPLE_RELEASE);
	assert_resolves("9.8", SAMPLE_RELEASE);
	/* Its folder is a path as well. */
	assert_resolves(kernel->dir, SAMPLE_RELEASE);
	assert_error_tag(kernel_resolve("./no-such-kernel", &none), "io");
	sample_cache_end(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_cache_names_the_command),
		cmocka_unit_test(the_default_series_wins_over_newer_kernels),
		cmocka_unit_test(the_default_is_usable_or_not_at_all),
		cmocka_unit_test(words_are_series_versions_and_ids),
		cmocka_unit_test(the_environment_names_one_unless_somebody_asks),
		cmocka_unit_test(damaged_kernels_are_never_taken),
		cmocka_unit_test(a_path_is_taken_into_the_cache),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
