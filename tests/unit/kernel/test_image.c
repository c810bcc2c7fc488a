// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/image.h"

#include <lz4.h>
#include <lzma.h>
#include <zlib.h>

#include "sample.h"

static void all_properties_are_read_from_a_bzimage(void **state UNUSED)
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

static void a_release_that_is_not_a_file_name_is_refused(void **state UNUSED)
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

static void bzimage_other_files_are_refused(void **state UNUSED)
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

static void fill(struct strbuf *plain)
{
	for (int i = 0; i < 5000; i++)
		strbuf_appendf(plain, "line %d of a kernel\n", i);
}

static void pack_gzip(const struct strbuf *in, struct strbuf *out)
{
	z_stream z = { .next_in = (Bytef *)in->at, .avail_in = (uInt)in->n };
	size_t room = in->n + 1024;
	_cleanup_free_ uint8_t *packed = xcalloc(1, room);

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	z.next_out = packed;
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	strbuf_append_bytes(out, packed, room - z.avail_out);
	deflateEnd(&z);
}

static void pack_lzma(const struct strbuf *in, struct strbuf *out, bool alone)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	size_t room = in->n + 1024;
	_cleanup_free_ uint8_t *packed = xcalloc(1, room);
	lzma_options_lzma options;

	assert_false(lzma_lzma_preset(&options, 6));
	assert_int_equal(alone ? lzma_alone_encoder(&stream, &options)
			       : lzma_easy_encoder(&stream, 6, LZMA_CHECK_CRC32),
			 LZMA_OK);
	stream.next_in = (const uint8_t *)in->at;
	stream.avail_in = in->n;
	stream.next_out = packed;
	stream.avail_out = room;
	assert_int_equal(lzma_code(&stream, LZMA_FINISH), LZMA_STREAM_END);
	strbuf_append_bytes(out, packed, room - stream.avail_out);
	lzma_end(&stream);
	build_u32(out, (uint32_t)in->n);
}

/* As `lz4 -l` writes it, with smaller blocks, so that there are many. */
static void pack_lz4(const struct strbuf *in, struct strbuf *out)
{
	enum { BLOCK = 10000 };
	char packed[LZ4_COMPRESSBOUND(BLOCK)];

	build_u32(out, 0x184c2102);
	for (size_t at = 0; at < in->n; at += BLOCK) {
		int n = (int)(in->n - at < BLOCK ? in->n - at : BLOCK);
		int got = LZ4_compress_default(in->at + at, packed, n, sizeof(packed));

		assert_true(got > 0);
		build_u32(out, (uint32_t)got);
		strbuf_append_bytes(out, packed, (size_t)got);
	}
	build_u32(out, (uint32_t)in->n);
}

static void assert_becomes(const struct strbuf *payload, const struct strbuf *plain)
{
	struct kernel_bytes out = { 0 };

	assert_success(kernel_decompress(build_bytes(payload), "test", &out));
	assert_int_equal(out.n, plain->n);
	assert_memory_equal(out.at, plain->at, plain->n);
	free(out.at);
}

static void every_method_gives_the_bytes_back(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf plain = STRBUF_INIT, zstd = STRBUF_INIT, gzip = STRBUF_INIT,
				       xz = STRBUF_INIT, lzma = STRBUF_INIT, lz4 = STRBUF_INIT;

	fill(&plain);
	sample_zstd(&plain, &zstd);
	pack_gzip(&plain, &gzip);
	pack_lzma(&plain, &xz, false);
	pack_lzma(&plain, &lzma, true);
	assert_becomes(&zstd, &plain);
	assert_becomes(&gzip, &plain);
	assert_becomes(&xz, &plain);
	assert_becomes(&lzma, &plain);
	pack_lz4(&plain, &lz4);
	assert_becomes(&lz4, &plain);
}

/* By hand, from the description of the format: 3 literals, then 9 bytes from 3 back, 5 literals. */
static void a_block_of_lz4_is_read_as_its_format_says(void **state UNUSED)
{
	static const uint8_t payload[] = { 0x02, 0x21, 0x4c, 0x18, 12, 0, 0,	0,
					   0x35, 'a',  'b',  'c',  3,  0, 0x50, 'v',
					   'w',	 'x',  'y',  'z',  17, 0, 0,	0 };
	struct kernel_bytes out = { 0 };

	assert_success(kernel_decompress((struct bytes){ payload, sizeof(payload) }, "test", &out));
	assert_int_equal(out.n, 17);
	assert_memory_equal(out.at, "abcabcabcabcvwxyz", 17);
	free(out.at);
}

static void a_wrong_size_or_a_cut_stream_is_malformed(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf plain = STRBUF_INIT;
	struct strbuf packed[4] = { 0 };
	struct kernel_bytes out = { 0 };

	fill(&plain);
	sample_zstd(&plain, &packed[0]);
	pack_gzip(&plain, &packed[1]);
	pack_lzma(&plain, &packed[2], false);
	pack_lz4(&plain, &packed[3]);
	for (size_t i = 0; i < ARRAY_SIZE(packed); i++) {
		struct bytes all = build_bytes(&packed[i]);
		char *size = packed[i].at + packed[i].n - 4;

		size[0]++;
		assert_error_tag(kernel_decompress(all, "test", &out), "kernel-malformed");
		size[0] -= 2;
		assert_error_tag(kernel_decompress(all, "test", &out), "kernel-malformed");
		size[0]++;
		packed[i].at[packed[i].n / 2] ^= 0x55;
		assert_error_tag(kernel_decompress(all, "test", &out), "kernel-malformed");
		assert_null(out.at);
		strbuf_deinit(&packed[i]);
	}
}

static void sizes_past_the_decompression_limits_are_refused(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf plain = STRBUF_INIT, payload = STRBUF_INIT;
	struct kernel_bytes out = { 0 };

	fill(&plain);
	sample_zstd(&plain, &payload);
	payload.at[payload.n - 1] = 0x10; /* 256 MiB out of some kilobytes */
	assert_error_tag(kernel_decompress(build_bytes(&payload), "test", &out), "limit");
	payload.at[payload.n - 1] = (char)0xff;
	assert_error_tag(kernel_decompress(build_bytes(&payload), "test", &out), "limit");
}

static void methods_that_cannot_be_read_are_named(void **state UNUSED)
{
	static const uint8_t lzo[] = { 0x89, 'L', 'Z', 'O', 1, 2, 3, 4, 0, 0, 0, 0 };
	struct kernel_bytes out = { 0 };
	struct error *err = kernel_decompress((struct bytes){ lzo, sizeof(lzo) }, "test", &out);

	assert_non_null(err);
	assert_string_equal(error_tag(err), "kernel-compression");
	assert_contains(error_message(err), "lzo");
	error_free(err);
	assert_error_tag(kernel_decompress((struct bytes){ (const uint8_t *)"what is this", 12 },
					   "test", &out),
			 "kernel-compression");
	/* A magic with nothing behind it. */
	assert_error_tag(kernel_decompress((struct bytes){ lzo, 4 }, "test", &out),
			 "kernel-compression");
	assert_error_tag(kernel_decompress((struct bytes){ lzo, 0 }, "test", &out),
			 "kernel-compression");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_properties_are_read_from_a_bzimage),
		cmocka_unit_test(a_vmlinux_is_searched_for_its_banner),
		cmocka_unit_test(a_banner_may_end_with_the_file),
		cmocka_unit_test(debians_banner_knows_the_patch_level_better),
		cmocka_unit_test(btf_may_be_missing),
		cmocka_unit_test(a_release_that_is_not_a_file_name_is_refused),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(header_gives_banner_and_payload),
		cmocka_unit_test(no_setup_sectors_means_four),
		cmocka_unit_test(an_image_may_come_without_a_banner),
		cmocka_unit_test(bzimage_other_files_are_refused),
		cmocka_unit_test(a_payload_outside_the_file_is_refused),
		cmocka_unit_test(every_method_gives_the_bytes_back),
		cmocka_unit_test(a_block_of_lz4_is_read_as_its_format_says),
		cmocka_unit_test(a_wrong_size_or_a_cut_stream_is_malformed),
		cmocka_unit_test(sizes_past_the_decompression_limits_are_refused),
		cmocka_unit_test(methods_that_cannot_be_read_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
