/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Putting a kernel into the cache, whole or not at all: files under a temporary name, synced,
 * then renamed. The caller holds the lock of the cache from begin to after deinit.
 */
#ifndef KTSTR_KERNEL_STORE_H
#define KTSTR_KERNEL_STORE_H

#include "kernel/image.h"
#include "kernel/kernel.h"

struct kernel_store {
	char *dir;  /* becomes the kernel's directory */
	char *work; /* scratch beside it */
};

/* What is known besides the image; NULL where nothing is. */
struct kernel_parcel {
	const char *label;	 /* of the image in messages */
	struct bytes file;	 /* the image as it was found */
	const char *config_path; /* copied */
	const char *modules_dir; /* moved; must be below store->work */
	const char *flavour;
	const char *source;
	const char *suite;
	const char *origin_path;
	uint64_t origin_bytes;
	uint64_t origin_mtime_ns;
};

struct error *kernel_store_begin(struct kernel_store *ret) MUST_CHECK;
/* Removes what was not committed. */
void kernel_store_deinit(struct kernel_store *store);
#define _cleanup_kernel_store_ __attribute__((cleanup(kernel_store_deinit)))

/*
 * Checks the image and writes everything. The id is the release; when another build of that
 * release is cached already, the id ends with the build-id's first digits. A kernel of the
 * same build-id is replaced.
 */
struct error *kernel_store_commit(struct kernel_store *store, const struct kernel_image *image,
				  const struct kernel_parcel *parcel,
				  struct kernel **ret) MUST_CHECK;

#endif
