/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A kernel image, bzImage or vmlinux: what it is and what it brings. Bytes in, nothing touched. */
#ifndef KTSTR_KERNEL_IMAGE_H
#define KTSTR_KERNEL_IMAGE_H

#include "base/bytes.h"
#include "kernel/error.h"

struct kernel_image {
	bool is_bzimage;
	char *banner;	/* from the release on: "6.18.15 (who@where) #1 SMP …" */
	char *release;	/* its first word; fit to become part of a path */
	char *version;	/* "6.18.15": of the release, or what a Debian banner says behind it */
	char *build_id; /* hexadecimal; NULL when there is no note */
	struct bytes vmlinux; /* the ELF image, borrowed from the input or owned by this */
	struct bytes btf;     /* empty when there is none */
	struct kernel_image_parts *parts_;
};

/* The bytes must outlive *ret. */
struct error *kernel_image_parse(struct bytes in, const char *label,
				 struct kernel_image **ret) MUST_CHECK;
void kernel_image_free(struct kernel_image *image);
DEFINE_CLEANUP(kernel_image, struct kernel_image *, NULL, kernel_image_free);
#define _cleanup_kernel_image_ _cleanup_(cleanup_kernel_image)

#endif
