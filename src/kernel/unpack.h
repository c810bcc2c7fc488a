/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From downloaded packages to a cached kernel. */
#ifndef KTSTR_KERNEL_UNPACK_H
#define KTSTR_KERNEL_UNPACK_H

#include "kernel/store.h"
#include "kernel/watch.h"

struct kernel_unpack {
	struct kernel_store store;
	char *debs; /* where the packages are downloaded to */
	char *tree; /* where they are unpacked */
};

struct kernel_unpack_request {
	const char *release;
	const char *flavour;
	const char *source;
	const char *suite;
	bool only_usable; /* KERNEL_NO_SCX and nothing cached when it is not */
};

struct error *kernel_unpack_begin(struct kernel_unpack *ret) MUST_CHECK;
void kernel_unpack_deinit(struct kernel_unpack *unpack);
#define _cleanup_kernel_unpack_ __attribute__((cleanup(kernel_unpack_deinit)))

/* The image is whatever file of the packages is called vmlinuz…, wherever it stands. */
struct error *kernel_unpack_install(struct kernel_unpack *unpack,
				    const struct kernel_unpack_request *request,
				    const struct kernel_watch *watch,
				    struct kernel **ret) MUST_CHECK;

#endif
