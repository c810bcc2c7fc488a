// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/image.h"

#include <lz4.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "base/alloc.h"
#include "kernel/limits.h"

/* True when the stream gives exactly n bytes. */
typedef bool (*decompress_fn)(struct bytes in, uint8_t *out, size_t n);

static bool from_zstd(struct bytes in, uint8_t *out, size_t n)
{
	return ZSTD_decompress(out, n, in.at, in.n) == n;
}

static bool from_gzip(struct bytes in, uint8_t *out, size_t n)
{
	enum { GZIP_WRAPPER = 16 };
	/* Both sizes are below 2^32: the payload's is a 32-bit field, the result's is limited. */
	z_stream z = {
		.next_in = (Bytef *)(uintptr_t)in.at,
		.avail_in = (uInt)in.n,
		.next_out = out,
		.avail_out = (uInt)n,
	};
	int rc;

	if (inflateInit2(&z, GZIP_WRAPPER + MAX_WBITS) != Z_OK)
		return false;
	rc = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return rc == Z_STREAM_END && z.avail_out == 0;
}

static bool from_lzma(struct bytes in, uint8_t *out, size_t n)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret rc;

	if (lzma_auto_decoder(&stream, KERNEL_LIMIT_XZ_MEMORY_BYTES, 0) != LZMA_OK)
		return false;
	stream.next_in = in.at;
	stream.avail_in = in.n;
	stream.next_out = out;
	stream.avail_out = n;
	rc = lzma_code(&stream, LZMA_FINISH);
	lzma_end(&stream);
	return rc == LZMA_STREAM_END && stream.avail_out == 0;
}

/* lz4 -l: the magic, then blocks of up to 8 MiB, each with its size before it. */
static bool from_lz4(struct bytes in, uint8_t *out, size_t n)
{
	enum { MAGIC_BYTES = 4, BLOCK_BYTES = 8 << 20 };
	struct cursor c = cursor_over(in);
	size_t done = 0;

	cursor_seek(&c, MAGIC_BYTES);
	while (cursor_left(&c) > 0) {
		uint32_t packed = cursor_u32(&c);
		const uint8_t *block = cursor_take(&c, packed);
		size_t room = n - done < BLOCK_BYTES ? n - done : BLOCK_BYTES;
		int got;

		if (!block || packed > LZ4_COMPRESSBOUND(BLOCK_BYTES))
			return false;
		got = LZ4_decompress_safe((const char *)block, (char *)out + done, (int)packed,
					  (int)room);
		if (got < 0)
			return false;
		done += (size_t)got;
	}
	return done == n;
}

static const struct {
	const char *name;
	uint8_t magic[6];
	uint8_t magic_n;
	/* Whether the appended size is part of the stream itself. */
	bool size_inside;
	decompress_fn run; /* NULL: known by name only */
} methods[] = {
	{ "zstd", { 0x28, 0xb5, 0x2f, 0xfd }, 4, false, from_zstd },
	{ "gzip", { 0x1f, 0x8b }, 2, true, from_gzip },
	{ "xz", { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, false, from_lzma },
	{ "lzma", { 0x5d, 0, 0 }, 3, false, from_lzma },
	{ "lz4", { 0x02, 0x21, 0x4c, 0x18 }, 4, false, from_lz4 },
	{ "lzo", { 0x89, 'L', 'Z', 'O' }, 4, false, NULL },
	{ "bzip2", { 'B', 'Z', 'h' }, 3, false, NULL },
};

static uint32_t appended_size(struct bytes payload)
{
	struct cursor c = cursor_over(payload);

	cursor_seek(&c, payload.n - 4);
	return cursor_u32(&c);
}

static struct error *check_size(struct bytes payload, const char *label, uint64_t size)
{
	uint64_t allowed = (uint64_t)payload.n * KERNEL_LIMIT_INFLATION;

	if (allowed < KERNEL_LIMIT_INFLATION_FLOOR_BYTES)
		allowed = KERNEL_LIMIT_INFLATION_FLOOR_BYTES;
	if (size > allowed)
		return base_error(BASE_LIMIT, 0, "%s: a payload of %zu bytes would become %llu",
				  label, payload.n, (unsigned long long)size);
	return NULL;
}

struct error *kernel_decompress(struct bytes payload, const char *label, struct kernel_bytes *ret)
{
	_cleanup_free_ void *out = NULL;
	struct bytes stream = payload;
	struct error *err;
	size_t i, size;

	for (i = 0; i < ARRAY_SIZE(methods); i++) {
		if (payload.n >= (size_t)methods[i].magic_n + 4 &&
		    memcmp(payload.at, methods[i].magic, methods[i].magic_n) == 0)
			break;
	}
	if (i == ARRAY_SIZE(methods))
		return kernel_error(KERNEL_COMPRESSION, 0,
				    "%s: the compression of the payload is not recognised", label);
	if (!methods[i].run)
		return kernel_error(
			KERNEL_COMPRESSION, 0,
			"%s: the payload is %s; zstd, gzip, xz, lzma and lz4 can be read", label,
			methods[i].name);
	size = appended_size(payload);
	err = check_size(payload, label, size);
	if (!err)
		err = alloc_checked(size ? size : 1, 1, KERNEL_LIMIT_VMLINUX_BYTES,
				    "the decompressed kernel", &out);
	if (err)
		return err;
	if (!methods[i].size_inside)
		stream.n -= 4;
	if (!methods[i].run(stream, out, size))
		return kernel_error(KERNEL_MALFORMED, 0,
				    "%s: the %s payload does not become the %zu bytes it claims",
				    label, methods[i].name, size);
	ret->at = take_ptr(out);
	ret->n = size;
	return NULL;
}
