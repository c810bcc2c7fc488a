/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels that are files of this machine. */
#ifndef KTSTR_KERNEL_ADD_H
#define KTSTR_KERNEL_ADD_H

#include "kernel/kernel.h"

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
/* The configuration that stands beside an image; NULL when there is none. */
char *kernel_find_config(const char *image_path) MUST_CHECK;
/* A whole file, within the limit. */
struct error *kernel_read_image(const char *path, struct strbuf *ret) MUST_CHECK;

#endif
