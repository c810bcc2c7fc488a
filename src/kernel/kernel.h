/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A kernel that is ready to boot: files in a directory of the cache, and what is known about
 * them. Reading one looks at its metadata and the sizes of its files, nothing else: a
 * few hundred microseconds.
 */
#ifndef KTSTR_KERNEL_KERNEL_H
#define KTSTR_KERNEL_KERNEL_H

#include "base/cancel.h"
#include "base/error.h"
#include "kernel/check.h"
#include "kernel/error.h"

/* The series that is taken when nobody asks for another; else the newest that is usable. */
#define KERNEL_DEFAULT_SERIES "6.18"

/*      id                   file */
#define KERNEL_FILES(X)              \
	X(KERNEL_BZIMAGE, "bzImage") \
	X(KERNEL_VMLINUX, "vmlinux") \
	X(KERNEL_CONFIG, "config")   \
	X(KERNEL_BTF, "btf")

#define KERNEL_FILE_ENUM_(id, name) id,
enum kernel_file_kind { KERNEL_FILES(KERNEL_FILE_ENUM_) KERNEL_N_FILES };

struct kernel_file {
	bool present;
	uint64_t bytes;
	uint64_t hash; /* base/hash.h */
};

struct kernel {
	char *id;	/* the name of its directory */
	char *release;	/* what uname -r says: "6.18.15+deb13-cloud-amd64" */
	char *version;	/* "6.18.15" */
	char *flavour;	/* "cloud", "generic", "rt"; NULL when nobody said */
	char *build_id; /* hexadecimal; NULL when the image has none */

	char *dir;
	char *bzimage_path; /* NULL when only a vmlinux was given */
	char *vmlinux_path; /* the ELF image: starts through PVH, without KASLR */
	char *config_path;  /* NULL when the package ships none */
	char *btf_path;	    /* NULL when the image has none */
	char *modules_dir;  /* what lib/modules/RELEASE held; NULL when there are none */

	enum kernel_scx scx;
	char *scx_reason; /* why it is not usable for sched_ext; NULL when it is */

	char *source; /* package and version, or path */
	char *suite;  /* of the archive; NULL for a path */
	/* Of a kernel that was a file: where it was and how it looked. */
	char *origin_path;
	uint64_t origin_bytes;
	uint64_t origin_mtime_ns;
	uint64_t added_unix_sec;
	bool has_modules;
	uint64_t modules_bytes;
	struct kernel_file files[KERNEL_N_FILES];
};

void kernel_free(struct kernel *kernel);
DEFINE_CLEANUP(kernel, struct kernel *, NULL, kernel_free);
#define _cleanup_kernel_ _cleanup_(cleanup_kernel)

/*
 * The kernel to boot. `wanted` is a series ("6.18": the newest of it), a version
 * ("6.18.15"), an id, "default", "newest", or a path with a slash in it: a bzImage, a vmlinux,
 * or a directory that holds one. NULL asks $KTSTR_KERNEL and then for the default.
 *
 * Only what is cached is found, except that a path is taken into the cache first, once.
 * Nothing found: KERNEL_NOT_CACHED, and the message names the command to run. Damaged
 * kernels are never returned; kernels that are not usable for sched_ext are, when asked for.
 */
struct error *kernel_resolve(const char *wanted, struct kernel **ret) MUST_CHECK;

/* NULL when programs for sched_ext can be loaded into it, else KERNEL_NO_SCX with the reason. */
struct error *kernel_require_scx(const struct kernel *kernel) MUST_CHECK;

/* What long work in this room tells whoever started it, and how it is asked to end. */
struct kernel_watch {
	const struct cancel *cancel; /* may be NULL */
	/* One line about what begins now; may be NULL. */
	void (*say)(void *context, const char *line);
	/* How far a download is, in bytes; called often; may be NULL. */
	void (*progress)(void *context, const char *what, uint64_t done, uint64_t total);
	void *context;
};

void kernel_say(const struct kernel_watch *watch, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
