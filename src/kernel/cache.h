/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernels of the cache: one directory each below $cache/kernels. A directory is complete when
 * it appears under its id, because it is filled under a temporary name and renamed. Readers need no
 * lock; writers hold one for the whole cache, so what carries a temporary name while the
 * lock is held was left by somebody who died.
 */
#ifndef KTSTR_KERNEL_CACHE_H
#define KTSTR_KERNEL_CACHE_H

#include "base/vec.h"
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
/* Newest first; of equal versions cloud comes first. For sorting and choosing. */
int kernel_compare(const struct kernel *a, const struct kernel *b);

/*
 * Waits for other writers, saying for whom; `purpose` is what they are told about us. Makes
 * the directory, removes what dead writers left. Closing *ret_fd lets go.
 */
struct error *kernel_cache_lock(const char *purpose, const struct kernel_watch *watch,
				int *ret_fd) MUST_CHECK;

/* Removes one entry, damaged or not. None of that id: KERNEL_NOT_CACHED. */
struct error *kernel_cache_remove(const char *id, const struct kernel_watch *watch) MUST_CHECK;

/* A second look at a cached kernel: every byte, and the check of its BTF. A file that is not what
 * was recorded is KERNEL_CORRUPT. */
struct error *kernel_verify(const struct kernel *kernel, struct kernel_check *ret) MUST_CHECK;

#endif
