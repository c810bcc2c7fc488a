// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/image.h"

#include "sample.h"

static void header_gives_banner_and_payload(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	struct kernel_bzimage image;

	sample_wrap(SAMPLE_BANNER, "payload", 7, &file);
	strbuf_append(&file, "what follows is not part of it");
	assert_success(kernel_bzimage_parse(build_bytes(&file), "test", &image));
	assert_int_equal(image.protocol, 0x20f);
	assert_string_equal(image.banner, SAMPLE_BANNER);
	assert_int_equal(image.payload.n, 7);
	assert_memory_equal(image.payload.at, "payload", 7);
}

static void no_setup_sectors_means_four(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	struct kernel_bzimage image;

	sample_wrap(SAMPLE_BANNER, "payload", 7, &file);
	file.at[0x1f1] = 0;
	strbuf_append_repeated(&file, 'x', 4096);
	memcpy(file.at + 5 * 512, "payload", 7);
	assert_success(kernel_bzimage_parse(build_bytes(&file), "test", &image));
	assert_memory_equal(image.payload.at, "payload", 7);
}

static void an_image_may_come_without_a_banner(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	struct kernel_bzimage image;

	sample_wrap(NULL, "payload", 7, &file);
	assert_success(kernel_bzimage_parse(build_bytes(&file), "test", &image));
	assert_null(image.banner);
	/* One that points out of the file, or has no end, is none either. */
	file.at[0x20e] = (char)0xff;
	file.at[0x20f] = (char)0xff;
	assert_success(kernel_bzimage_parse(build_bytes(&file), "test", &image));
	assert_null(image.banner);
	file.at[0x20e] = 0;
	file.at[0x20f] = 2; /* the payload's first byte */
	assert_success(kernel_bzimage_parse(build_bytes(&file), "test", &image));
	assert_null(image.banner);
}

static struct error *parse_changed(size_t offset, uint8_t value, size_t n)
{
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	struct kernel_bzimage image;
	struct bytes in;

	sample_wrap(SAMPLE_BANNER, "payload", 7, &file);
	file.at[offset] = (char)value;
	in = build_bytes(&file);
	in.n = n < in.n ? n : in.n;
	return kernel_bzimage_parse(in, "test", &image);
}

static void other_files_are_refused(void **state UNUSED)
{
	const size_t all = SIZE_MAX;

	assert_error_tag(parse_changed(0x202, 'h', all), "not-kernel");
	assert_error_tag(parse_changed(0x1fe, 0, all), "not-kernel");
	assert_error_tag(parse_changed(0x206, 7, all), "not-kernel"); /* protocol 2.07 */
	assert_error_tag(parse_changed(0, 0, 0), "not-kernel");
	assert_error_tag(parse_changed(0, 0, 0x205), "not-kernel");
}

static void a_payload_outside_the_file_is_refused(void **state UNUSED)
{
	const size_t all = SIZE_MAX;

	assert_error_tag(parse_changed(0x24c, 8, all), "kernel-malformed");    /* longer */
	assert_error_tag(parse_changed(0x24c, 0, all), "kernel-malformed");    /* empty */
	assert_error_tag(parse_changed(0x248, 1, all), "kernel-malformed");    /* too far */
	assert_error_tag(parse_changed(0x24b, 0xff, all), "kernel-malformed"); /* much too far */
	assert_error_tag(parse_changed(0x1f1, 200, all), "kernel-malformed");
	assert_error_tag(parse_changed(0, 0, 1030), "kernel-malformed"); /* cut off */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_gives_banner_and_payload),
		cmocka_unit_test(no_setup_sectors_means_four),
		cmocka_unit_test(an_image_may_come_without_a_banner),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(a_payload_outside_the_file_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
