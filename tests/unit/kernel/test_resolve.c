// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/time.h>

#include "cached.h"
#include "kernel/cache.h"
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

static void the_default_kernel_must_be_usable(void **state UNUSED)
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

static void a_kernel_is_named_by_series_version_or_id(void **state UNUSED)
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

static void ktstr_kernel_applies_unless_a_kernel_is_named(void **state UNUSED)
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
	/* Its directory is a path as well. */
	assert_resolves(kernel->dir, SAMPLE_RELEASE);
	assert_error_tag(kernel_resolve("./no-such-kernel", &none), "io");
	sample_cache_end(cache);
}

static char *write_sample(const char *dir, const char *name, bool vmlinux)
{
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	struct sample sample = sample_usual();

	assert_success(paths_make(dir, 0755));
	if (vmlinux)
		sample_vmlinux(&sample, &file);
	else
		sample_bzimage(&sample, &file);
	return sample_write(dir, name, &file);
}

static void adding_an_unchanged_file_again_does_not_copy_it(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_free_ char *path = write_sample(cache, "image", false);
	_cleanup_kernel_ struct kernel *first = NULL, *second = NULL, *third = NULL;
	struct timeval old[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	struct stat before, after;

	assert_success(kernel_add(path, false, NULL, &first));
	assert_string_equal(first->origin_path, path);
	assert_int_equal(stat(first->dir, &before), 0);
	assert_success(kernel_add(path, false, NULL, &second));
	assert_int_equal(stat(second->dir, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	/* A file that was touched is read again. */
	assert_int_equal(utimes(path, old), 0);
	assert_success(kernel_add(path, false, NULL, &third));
	assert_string_equal(third->id, first->id);
	assert_int_equal(third->origin_mtime_ns, 1000000000);
	sample_cache_end(cache);
}

static void a_vmlinux_has_no_bzimage(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_free_ char *path = write_sample(cache, "vmlinux", true);
	_cleanup_kernel_ struct kernel *kernel = NULL;

	assert_success(kernel_add(path, false, NULL, &kernel));
	assert_null(kernel->bzimage_path);
	assert_non_null(kernel->vmlinux_path);
	assert_null(kernel->flavour);
	sample_cache_end(cache);
}

static void a_build_tree_is_searched(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_free_ char *tree = xasprintf("%s/linux", cache);
	_cleanup_free_ char *boot = xasprintf("%s/arch/x86/boot", tree);
	_cleanup_free_ char *image = write_sample(boot, "bzImage", false), *vmlinux = NULL;
	_cleanup_kernel_ struct kernel *kernel = NULL;

	vmlinux = write_sample(tree, "vmlinux", true);
	free(sample_write_text(tree, ".config", "CONFIG_TREE=y\n"));
	assert_success(kernel_add(tree, false, NULL, &kernel));
	assert_string_equal(kernel->origin_path, image);
	assert_non_null(kernel->config_path);
	assert_int_equal(kernel->files[KERNEL_CONFIG].bytes, 14);
	sample_cache_end(cache);
}

static void a_directory_like_boot_must_hold_one_kernel(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_free_ char *boot = xasprintf("%s/boot", cache);
	_cleanup_free_ char *one = write_sample(boot, "vmlinuz-9.8.7", false), *found = NULL,
			    *config = NULL, *two = NULL, *again = NULL;

	free(sample_write_text(boot, "config-9.8.7", "x"));
	free(sample_write_text(boot, "config-9.8.8", "x"));
	assert_success(kernel_find_image(boot, &found));
	assert_string_equal(found, one);
	config = kernel_find_config(found);
	assert_non_null(config);
	assert_contains(config, "/config-9.8.7");
	two = write_sample(boot, "vmlinuz-9.8.8", false);
	assert_error_tag(kernel_find_image(boot, &again), "not-kernel");
	sample_cache_end(cache);
}

/* As `kernel fetch` leaves it. */
static void give_modules(const struct kernel *kernel)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct json_writer w = json_writer_to(&text, JSON_PRETTY);
	_cleanup_free_ char *modules = xasprintf("%s/modules", kernel->dir);
	struct kernel fetched = *kernel;

	assert_success(paths_make(modules, 0755));
	free(sample_write_text(modules, "ext9.ko", "0123456789"));
	fetched.modules_dir = modules;
	fetched.has_modules = true;
	fetched.modules_bytes = 10;
	fetched.origin_path = NULL;
	json_begin_object(&w);
	kernel_metadata_write(&fetched, &w);
	json_end_object(&w);
	free(sample_write_text(kernel->dir, "metadata.json", strbuf_str(&text)));
}

static void the_same_build_keeps_its_modules_unless_forced(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_free_ char *path = write_sample(cache, "image", false);
	_cleanup_kernel_ struct kernel *fetched = NULL, *kept = NULL, *forced = NULL;
	_cleanup_free_ char *module = NULL;

	assert_success(kernel_add(path, false, NULL, &fetched));
	give_modules(fetched);
	module = xasprintf("%s/modules/ext9.ko", fetched->dir);
	assert_success(kernel_add(path, false, NULL, &kept));
	assert_string_equal(kept->id, fetched->id);
	assert_non_null(kept->modules_dir);
	assert_int_equal(access(module, F_OK), 0);
	assert_success(kernel_add(path, true, NULL, &forced));
	assert_string_equal(forced->id, fetched->id);
	assert_null(forced->modules_dir);
	assert_int_equal(access(module, F_OK), -1);
	sample_cache_end(cache);
}

static void adding_a_file_that_is_not_a_kernel_leaves_nothing(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_free_ char *text = sample_write_text(cache, "text", "hello");
	_cleanup_kernel_list_ struct kernel_list list = { 0 };
	struct kernel *kernel = NULL;

	assert_error_tag(kernel_add(text, false, NULL, &kernel), "not-kernel");
	assert_error_tag(kernel_add(cache, false, NULL, &kernel), "not-kernel");
	assert_error_tag(kernel_add("/dev/null", false, NULL, &kernel), "not-kernel");
	assert_error_tag(kernel_add("/does/not/exist", false, NULL, &kernel), "io");
	assert_null(kernel);
	assert_success(kernel_list_read(&list));
	assert_int_equal(list.n, 0);
	sample_cache_end(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_cache_names_the_command),
		cmocka_unit_test(the_default_series_wins_over_newer_kernels),
		cmocka_unit_test(the_default_kernel_must_be_usable),
		cmocka_unit_test(a_kernel_is_named_by_series_version_or_id),
		cmocka_unit_test(ktstr_kernel_applies_unless_a_kernel_is_named),
		cmocka_unit_test(damaged_kernels_are_never_taken),
		cmocka_unit_test(a_path_is_taken_into_the_cache),
		cmocka_unit_test(adding_an_unchanged_file_again_does_not_copy_it),
		cmocka_unit_test(a_vmlinux_has_no_bzimage),
		cmocka_unit_test(a_build_tree_is_searched),
		cmocka_unit_test(a_directory_like_boot_must_hold_one_kernel),
		cmocka_unit_test(the_same_build_keeps_its_modules_unless_forced),
		cmocka_unit_test(adding_a_file_that_is_not_a_kernel_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
