// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/image.h"

#include <lz4.h>
#include <lzma.h>
#include <zlib.h>

#include "sample.h"

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

static void claims_past_the_limits_are_not_allocated(void **state UNUSED)
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
		cmocka_unit_test(every_method_gives_the_bytes_back),
		cmocka_unit_test(a_block_of_lz4_is_read_as_its_format_says),
		cmocka_unit_test(a_wrong_size_or_a_cut_stream_is_malformed),
		cmocka_unit_test(claims_past_the_limits_are_not_allocated),
		cmocka_unit_test(methods_that_cannot_be_read_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
