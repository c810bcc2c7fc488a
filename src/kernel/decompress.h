/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Payloads of kernel images, within limits. */
#ifndef KTSTR_KERNEL_DECOMPRESS_H
#define KTSTR_KERNEL_DECOMPRESS_H

#include "base/bytes.h"
#include "kernel/error.h"

struct kernel_bytes {
	uint8_t *at;
	size_t n;
};

/*
 * The build appends the size of the result, 32 bits, to every stream; gzip ends with it
 * anyway. A result of another size is KERNEL_MALFORMED, a stream that is neither zstd, gzip,
 * xz, lzma nor lz4 KERNEL_COMPRESSION, a claim past the limits BASE_LIMIT. The caller frees
 * ret->at.
 */
struct error *kernel_decompress(struct bytes payload, const char *label,
				struct kernel_bytes *ret) MUST_CHECK;

#endif
