/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A kernel image, bzImage or vmlinux: what it is and what it brings. Bytes in, nothing touched. */
#ifndef KTSTR_KERNEL_IMAGE_H
#define KTSTR_KERNEL_IMAGE_H

#include "base/bytes.h"
#include "base/strbuf.h"
#include "kernel/kernel.h"

/* Payloads of kernel images, within limits. */
struct kernel_bytes {
	uint8_t *at;
	size_t n;
};

struct kernel_image {
	bool is_bzimage;
	char *banner;	/* from the release on: "6.18.15 (who@where) #1 SMP …" */
	char *release;	/* its first word; fit to become part of a path */
	char *version;	/* "6.18.15": of the release, or what a Debian banner says behind it */
	char *build_id; /* hexadecimal; NULL when there is no note */
	struct bytes vmlinux; /* the ELF image, borrowed from the input or owned by this */
	struct bytes btf;     /* empty when there is none */
	struct kernel_bytes decompressed_;
	struct elf_image *elf_;
};

/* The bytes must outlive *ret. */
struct error *kernel_image_parse(struct bytes in, const char *label,
				 struct kernel_image **ret) MUST_CHECK;
void kernel_image_free(struct kernel_image *image);
DEFINE_CLEANUP(kernel_image, struct kernel_image *, NULL, kernel_image_free);
#define _cleanup_kernel_image_ _cleanup_(cleanup_kernel_image)

/* The boot header of an x86 bzImage (Linux, Documentation/arch/x86/boot.rst). */
struct kernel_bzimage {
	uint16_t protocol;
	const char *banner;   /* borrowed: "6.18.15 (who@where) #1 SMP …"; NULL when it has none */
	struct bytes payload; /* the compressed vmlinux */
};

/* No boot header, or protocol before 2.08 which knows no payload: KERNEL_NOT_KERNEL. */
struct error *kernel_bzimage_parse(struct bytes in, const char *label,
				   struct kernel_bzimage *ret) MUST_CHECK;

/*
 * The build appends the size of the result, 32 bits, to every stream; gzip ends with it
 * anyway. A result of another size is KERNEL_MALFORMED, a stream that is neither zstd, gzip,
 * xz, lzma nor lz4 KERNEL_COMPRESSION, a claim past the limits BASE_LIMIT. The caller frees
 * ret->at.
 */
struct error *kernel_decompress(struct bytes payload, const char *label,
				struct kernel_bytes *ret) MUST_CHECK;

#endif
