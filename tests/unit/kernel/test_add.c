// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/cache.h"

#include <sys/time.h>

#include "cached.h"

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

static void a_file_is_taken_once(void **state UNUSED)
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

static void a_folder_like_boot_must_hold_one_kernel(void **state UNUSED)
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

static void what_is_no_kernel_leaves_nothing_behind(void **state UNUSED)
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
		cmocka_unit_test(a_file_is_taken_once),
		cmocka_unit_test(a_vmlinux_has_no_bzimage),
		cmocka_unit_test(a_build_tree_is_searched),
		cmocka_unit_test(a_folder_like_boot_must_hold_one_kernel),
		cmocka_unit_test(the_same_build_keeps_its_modules_unless_forced),
		cmocka_unit_test(what_is_no_kernel_leaves_nothing_behind),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
