/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A kernel that is ready to boot: files in a directory of the cache, and what is known about
 * them. Reading one looks at its metadata and the sizes of its files, nothing else: a
 * few hundred microseconds.
 */
#ifndef KTSTR_KERNEL_KERNEL_H
#define KTSTR_KERNEL_KERNEL_H

#include <stdint.h>

#include "base/bytes.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/strbuf.h"

/*
 * Whether programs for sched_ext can be loaded into a kernel, from its BTF alone.
 *
 * Since 7.1 many scx functions take a hidden argument, `aux`, which the build removes from
 * the prototype that programs are compared with. Some builds leave it in, and the loader then
 * refuses every program that calls such a function.
 */

/*      id                  word       meaning */
#define KERNEL_SCX_VERDICTS(X)                                                  \
	X(KERNEL_SCX_USABLE, "usable", "programs for sched_ext can be loaded")  \
	X(KERNEL_SCX_ABSENT, "absent", "the kernel is built without sched_ext") \
	X(KERNEL_SCX_BROKEN, "broken", "its prototypes do not match")           \
	X(KERNEL_SCX_UNKNOWN, "unknown", "the image has no BTF that could tell")

#define KERNEL_SCX_ENUM_(id, word, meaning) id,
enum kernel_scx { KERNEL_SCX_VERDICTS(KERNEL_SCX_ENUM_) KERNEL_N_SCX };

const char *kernel_scx_name(enum kernel_scx verdict);
extern const char *const kernel_scx_words[KERNEL_N_SCX];

struct kernel_check {
	enum kernel_scx verdict;
	/* Why not usable, one line; NULL when usable. */
	char *reason;
	/* Functions looked at, and those with a leaked argument. */
	uint32_t functions;
	uint32_t leaky;
};

/* Empty bytes are KERNEL_SCX_UNKNOWN; BTF that cannot be read is an error. */
struct error *kernel_check_btf(struct bytes btf, const char *label,
			       struct kernel_check *ret) MUST_CHECK;
void kernel_check_deinit(struct kernel_check *check);
#define _cleanup_kernel_check_ __attribute__((cleanup(kernel_check_deinit)))

#define KERNEL_ERRORS(X)                                                                           \
	X(KERNEL_NOT_KERNEL, "not-kernel", "the file is not a kernel image for x86-64")            \
	X(KERNEL_COMPRESSION, "kernel-compression", "the payload's compression is not known")      \
	X(KERNEL_MALFORMED, "kernel-malformed", "the image contradicts itself")                    \
	X(KERNEL_NOT_CACHED, "kernel-not-cached", "no cached kernel is what was asked for")        \
	X(KERNEL_NOT_IN_REACH, "kernel-not-in-reach", "no available package contains that kernel") \
	X(KERNEL_CORRUPT, "kernel-corrupt", "a cached kernel is damaged")                          \
	X(KERNEL_NO_SCX, "kernel-no-sched-ext", "the kernel cannot run sched_ext programs")        \
	X(KERNEL_WORD, "kernel-word", "no kernel has that name")                                   \
	X(KERNEL_APT, "kernel-apt", "apt failed")
DECLARE_ERROR_DOMAIN(kernel, KERNEL, KERNEL_ERRORS);

/* The default series; if it is not cached, the newest usable kernel is taken. */
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
	char *flavour;	/* "cloud", "generic", "rt"; NULL when unknown */
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

/* How long work in this room reports progress and is cancelled. */
struct kernel_watch {
	const struct cancel *cancel; /* may be NULL */
	/* One line about what begins now; may be NULL. */
	void (*say)(void *context, const char *line);
	/* How far a download is, in bytes; called often; may be NULL. */
	void (*progress)(void *context, const char *what, uint64_t done, uint64_t total);
	void *context;
};

void kernel_say(const struct kernel_watch *watch, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Versions of kernels and the words people ask for them with. */

struct kernel_version {
	uint32_t major, minor, patch;
	bool has_patch;
};

/*
 * The numbers a text starts with: "6.18", "6.18.15+deb13-cloud-amd64". False when there are
 * not two of them. *ret_rest, if not NULL, is what follows them.
 */
bool kernel_version_parse(const char *text, struct kernel_version *ret,
			  const char **ret_rest) MUST_CHECK;
/* Less than, equal to or greater than 0; a missing patch level is 0. */
int kernel_version_compare(const struct kernel_version *a, const struct kernel_version *b);
/* A series holds every version of it; a version is only itself. */
bool kernel_version_matches(const struct kernel_version *wanted, const struct kernel_version *have);
/* Fit to become the name of a directory: letters, digits and +-._~, no leading dot. */
bool kernel_name_is_safe(const char *name);

/* Every bound of this room. Generous for real kernels, small enough for hostile files. */

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
