/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernels of the cache: one directory each below $cache/kernels. A directory is complete when
 * it appears under its id, because it is filled under a temporary name and renamed. Readers need no
 * lock; writers hold one for the whole cache, so what carries a temporary name while the
 * lock is held was left by a killed process.
 */
#ifndef KTSTR_KERNEL_CACHE_H
#define KTSTR_KERNEL_CACHE_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "json/writer.h"
#include "kernel/image.h"
#include "kernel/kernel.h"

#define KERNEL_TEMPORARY_PREFIX ".new-"

struct kernel_entry {
	char *id;
	struct kernel *kernel; /* NULL when damaged */
	char *damage;	       /* NULL when not */
};

struct kernel_list {
	struct kernel_entry *at;
	size_t n;
	size_t capacity;
};

/* $cache/kernels; not created. */
char *kernel_cache_dir(void) MUST_CHECK;

/* Newest version first, damaged ones last. A cache that does not exist is empty. */
struct error *kernel_list_read(struct kernel_list *ret) MUST_CHECK;
void kernel_list_deinit(struct kernel_list *list);
#define _cleanup_kernel_list_ __attribute__((cleanup(kernel_list_deinit)))
/* The first cached kernel that `is` says true of; *ret stays as it is when there is none. */
typedef bool (*kernel_is_fn)(const struct kernel *kernel, const void *arg);
struct error *kernel_cache_find(kernel_is_fn is, const void *arg, struct kernel **ret) MUST_CHECK;
/* Newest first; of equal versions cloud comes first. For sorting and choosing. */
int kernel_compare(const struct kernel *a, const struct kernel *b);

/*
 * Waits for other writers and names them; `purpose` is what they see about us. Makes
 * the directory, removes what dead writers left. Closing *ret_fd lets go.
 */
struct error *kernel_cache_lock(const char *purpose, const struct kernel_watch *watch,
				int *ret_fd) MUST_CHECK;

/* Removes one entry, damaged or not. None of that id: KERNEL_NOT_CACHED. */
struct error *kernel_cache_remove(const char *id, const struct kernel_watch *watch) MUST_CHECK;

/* A second look at a cached kernel: every byte, and the check of its BTF. A file that is not what
 * was recorded is KERNEL_CORRUPT. */
struct error *kernel_verify(const struct kernel *kernel, struct kernel_check *ret) MUST_CHECK;

/* metadata.json: what makes a directory of the cache a kernel. Written last. */

#define KERNEL_METADATA_FILE "metadata.json"
#define KERNEL_MODULES_DIR   "modules"
enum { KERNEL_METADATA_FORMAT = 1 };

const char *kernel_file_name(enum kernel_file_kind kind);

/* Everything but the paths, as members of an object that is open. */
void kernel_metadata_write(const struct kernel *kernel, struct json_writer *w);
/* Frees the members that are read, not the paths. */
void kernel_metadata_deinit(struct kernel *kernel);
/*
 * `dir` is its directory, whose last part must be the id. Text that is not ours is
 * KERNEL_CORRUPT. Does not look at the files.
 */
struct error *kernel_metadata_parse(const char *text, size_t n, const char *dir,
				    struct kernel **ret) MUST_CHECK;
/* The same from the directory, and every file must have its size. */
struct error *kernel_metadata_read(const char *dir, struct kernel **ret) MUST_CHECK;

/* Kernels that are files of this machine. */

/*
 * Takes a bzImage or vmlinux into the cache. A directory is searched for one: a build tree, or
 * one like /boot with a single vmlinuz-*; its configuration comes along. The same file,
 * unchanged, is taken once. The very same build that came with its modules before is not
 * replaced by an image without them, unless by force: the cached one is returned.
 */
struct error *kernel_add(const char *path, bool force, const struct kernel_watch *watch,
			 struct kernel **ret) MUST_CHECK;
/* Where the image of a directory is. The caller owns the string. */
struct error *kernel_find_image(const char *directory, char **ret) MUST_CHECK;
/* The configuration beside an image; NULL when there is none. */
char *kernel_find_config(const char *image_path) MUST_CHECK;

/*
 * Putting a kernel into the cache, whole or not at all: files under a temporary name, synced,
 * then renamed. The caller holds the lock of the cache from begin to after deinit.
 */

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
