// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/image.h"

#include "sample.h"

static void a_bzimage_says_everything(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT, vmlinux = STRBUF_INIT, btf = STRBUF_INIT;
	_cleanup_kernel_image_ struct kernel_image *image = NULL;
	struct sample sample = sample_usual();

	sample_bzimage(&sample, &file);
	sample_vmlinux(&sample, &vmlinux);
	sample_btf(&sample, &btf);
	assert_success(kernel_image_parse(build_bytes(&file), "test", &image));
	assert_true(image->is_bzimage);
	assert_string_equal(image->release, SAMPLE_RELEASE);
	assert_string_equal(image->version, "9.8.7");
	assert_string_equal(image->build_id, SAMPLE_BUILD_ID);
	assert_int_equal(image->vmlinux.n, vmlinux.n);
	assert_memory_equal(image->vmlinux.at, vmlinux.at, vmlinux.n);
	assert_int_equal(image->btf.n, btf.n);
	assert_memory_equal(image->btf.at, btf.at, btf.n);
}

static void a_vmlinux_is_searched_for_its_banner(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	_cleanup_kernel_image_ struct kernel_image *image = NULL;
	struct sample sample = sample_usual();

	sample_vmlinux(&sample, &file);
	assert_success(kernel_image_parse(build_bytes(&file), "test", &image));
	assert_false(image->is_bzimage);
	assert_string_equal(image->banner, SAMPLE_BANNER);
	assert_string_equal(image->release, SAMPLE_RELEASE);
	assert_ptr_equal(image->vmlinux.at, file.at);
}

static void a_banner_may_end_with_the_file(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	_cleanup_kernel_image_ struct kernel_image *image = NULL;
	_cleanup_free_ uint8_t *exact = NULL;

	sample_vmlinux(&(struct sample){ 0 }, &file);
	strbuf_append(&file, "Linux version 6.5.4");
	/* Without a byte behind it that could stop a reader. */
	exact = xcalloc(1, file.n);
	memcpy(exact, file.at, file.n);
	assert_success(kernel_image_parse((struct bytes){ exact, file.n }, "test", &image));
	assert_string_equal(image->release, "6.5.4");
}

static void debians_banner_knows_the_patch_level_better(void **state UNUSED)
{
	static const struct {
		const char *banner, *version;
	} rows[] = {
		{ "6.1.0-50-amd64 (who@where) #1 SMP Debian 6.1.159-1 (2026-01-01)", "6.1.159" },
		{ "6.18.15 (who@where) #1 SMP", "6.18.15" },
		{ "7.3-rc1+ (who@where) #1 SMP", "7.3.0" },
		/* Built on another kernel's source, or a lie: the release counts. */
		{ "6.18.15 (who@where) #1 SMP Debian 6.1.159-1", "6.18.15" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
		_cleanup_kernel_image_ struct kernel_image *image = NULL;

		sample_bzimage(&(struct sample){ .banner = rows[i].banner }, &file);
		assert_success(kernel_image_parse(build_bytes(&file), "test", &image));
		assert_string_equal(image->version, rows[i].version);
	}
}

static void btf_may_be_missing(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	_cleanup_kernel_image_ struct kernel_image *image = NULL;

	sample_bzimage(&(struct sample){ .banner = SAMPLE_BANNER, .no_btf = true }, &file);
	assert_success(kernel_image_parse(build_bytes(&file), "test", &image));
	assert_int_equal(image->btf.n, 0);
}

static void a_release_that_is_no_file_name_is_refused(void **state UNUSED)
{
	static const char *const banners[] = { "../../etc/passwd x", "6.1/../x y", "6", "6.1\x1b y",
					       "" };

	for (size_t i = 0; i < ARRAY_SIZE(banners); i++) {
		_cleanup_strbuf_ struct strbuf file = STRBUF_INIT, payload = STRBUF_INIT,
					       vmlinux = STRBUF_INIT;
		_cleanup_kernel_image_ struct kernel_image *image = NULL;

		sample_bzimage(&(struct sample){ .banner = banners[i] }, &file);
		assert_error_tag(kernel_image_parse(build_bytes(&file), "test", &image),
				 "kernel-malformed");
	}
}

static void other_files_are_refused(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf vmlinux = STRBUF_INIT, nameless = STRBUF_INIT,
				       wrapped = STRBUF_INIT, text = STRBUF_INIT;
	_cleanup_kernel_image_ struct kernel_image *image = NULL;
	struct sample sample = sample_usual();

	sample_vmlinux(&sample, &vmlinux);
	vmlinux.at[18] = (char)EM_AARCH64;
	assert_error_tag(kernel_image_parse(build_bytes(&vmlinux), "test", &image), "not-kernel");
	sample_vmlinux(&(struct sample){ 0 }, &nameless);
	assert_error_tag(kernel_image_parse(build_bytes(&nameless), "test", &image), "not-kernel");
	assert_error_tag(
		kernel_image_parse((struct bytes){ (const uint8_t *)"", 0 }, "test", &image),
		"not-kernel");
	/* A payload that is no ELF. */
	strbuf_append(&text, "this is no program");
	{
		_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;

		sample_zstd(&text, &payload);
		sample_wrap(SAMPLE_BANNER, payload.at, payload.n, &wrapped);
	}
	assert_error_tag(kernel_image_parse(build_bytes(&wrapped), "test", &image), "not-elf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bzimage_says_everything),
		cmocka_unit_test(a_vmlinux_is_searched_for_its_banner),
		cmocka_unit_test(a_banner_may_end_with_the_file),
		cmocka_unit_test(debians_banner_knows_the_patch_level_better),
		cmocka_unit_test(btf_may_be_missing),
		cmocka_unit_test(a_release_that_is_no_file_name_is_refused),
		cmocka_unit_test(other_files_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
