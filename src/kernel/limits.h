/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of this room. Generous for real kernels, small enough for hostile files. */
#ifndef KTSTR_KERNEL_LIMITS_H
#define KTSTR_KERNEL_LIMITS_H

#include <stdint.h>

/* A file given as kernel: a vmlinux with debug information may be large. */
#define KERNEL_LIMIT_FILE_BYTES (UINT64_C(2) << 30)
/* What a payload may become: real ones grow four- to fivefold. */
#define KERNEL_LIMIT_VMLINUX_BYTES	   (UINT64_C(512) << 20)
#define KERNEL_LIMIT_INFLATION		   64
#define KERNEL_LIMIT_INFLATION_FLOOR_BYTES (UINT64_C(1) << 20)
#define KERNEL_LIMIT_XZ_MEMORY_BYTES	   (UINT64_C(256) << 20)

enum {
	KERNEL_LIMIT_BANNER_CHARS = 512,
	KERNEL_LIMIT_RELEASE_CHARS = 128,
	/* Of functions named in a reason. */
	KERNEL_LIMIT_NAMED_FUNCTIONS = 256,
	KERNEL_LIMIT_METADATA_BYTES = 1 << 20,
	KERNEL_LIMIT_ENTRIES = 4096,
	KERNEL_LIMIT_CONFIG_BYTES = 16 << 20,
	/* What apt may print: a list of packages, a log. */
	KERNEL_LIMIT_APT_BYTES = 64 << 20,
	KERNEL_LIMIT_PACKAGES = 65536,
	/* Packages that belong to one kernel, and kernels tried for a default. */
	KERNEL_LIMIT_PARTS = 16,
	KERNEL_LIMIT_TRIES = 16,
	KERNEL_LIMIT_TREE_DEPTH = 24,
};

#endif
