// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/apt.h"

#include "archive.h"
#include "kernel/cache.h"

static void copy_deb(const char *cache, const char *name, const struct kernel_unpack *unpack)
{
	_cleanup_free_ char *from = xasprintf("%s/archive/debs/%s.deb", cache, name);
	_cleanup_strbuf_ struct strbuf deb = STRBUF_INIT;

	assert_success(io_read_file(from, 1 << 20, &deb));
	free(sample_write(unpack->debs, "p.deb", &deb));
}

static void the_image_is_found_wherever_it_stands(void **state UNUSED)
{
	static const struct {
		const char *words, *package;
		bool with_config;
	} rows[] = {
		{ "9.9.3-amd64", "linux-image-9.9.3-amd64", true },
		{ "9.9.3-amd64:cut", "linux-binary-9.9.3-amd64", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *cache = sample_cache_begin();
		_cleanup_kernel_unpack_ struct kernel_unpack unpack = { 0 };
		_cleanup_kernel_ struct kernel *kernel = NULL;

		archive_image(cache, "9.9.3-amd64", 0);
		archive_begin(cache, rows[i].words);
		assert_success(kernel_unpack_begin(&unpack));
		copy_deb(cache, rows[i].package, &unpack);
		assert_success(kernel_unpack_install(&unpack,
						     &(struct kernel_unpack_request){
							     .release = "9.9.3-amd64",
							     .flavour = "generic",
							     .source = "p 1",
						     },
						     NULL, &kernel));
		assert_string_equal(kernel->id, "9.9.3-amd64");
		assert_int_equal(!!kernel->config_path, rows[i].with_config);
		/* A folder of that name without modules in it is none. */
		assert_int_equal(!!kernel->modules_dir, rows[i].with_config);
		sample_cache_end(cache);
	}
}

static void what_must_be_usable_is_not_kept_when_it_is_not(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_kernel_unpack_ struct kernel_unpack unpack = { 0 };
	_cleanup_kernel_list_ struct kernel_list list = { 0 };
	struct kernel *kernel = NULL;

	archive_image(cache, "9.9.3-amd64", 1);
	archive_begin(cache, "9.9.3-amd64");
	assert_success(kernel_unpack_begin(&unpack));
	copy_deb(cache, "linux-image-9.9.3-amd64", &unpack);
	assert_error_tag(kernel_unpack_install(&unpack,
					       &(struct kernel_unpack_request){
						       .release = "9.9.3-amd64",
						       .flavour = "generic",
						       .source = "p 1",
						       .only_usable = true,
					       },
					       NULL, &kernel),
			 "kernel-no-sched-ext");
	assert_success(kernel_list_read(&list));
	assert_int_equal(list.n, 0);
	sample_cache_end(cache);
}

static void packages_without_an_image_are_refused(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_kernel_unpack_ struct kernel_unpack unpack = { 0 };
	struct kernel_unpack_request request = { .release = "9.9.3-amd64", .source = "p 1" };
	struct kernel *kernel = NULL;

	archive_image(cache, "9.9.3-amd64", 0);
	archive_begin(cache, "9.9.3-amd64:cut");
	assert_success(kernel_unpack_begin(&unpack));
	copy_deb(cache, "linux-image-9.9.3-amd64", &unpack);
	assert_error_tag(kernel_unpack_install(&unpack, &request, NULL, &kernel),
			 "kernel-not-in-reach");
	free(sample_write_text(unpack.debs, "bad.deb", "no package"));
	assert_error_tag(kernel_unpack_install(&unpack, &request, NULL, &kernel), "kernel-apt");
	sample_cache_end(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_image_is_found_wherever_it_stands),
		cmocka_unit_test(what_must_be_usable_is_not_kept_when_it_is_not),
		cmocka_unit_test(packages_without_an_image_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
