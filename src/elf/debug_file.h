/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the debug file of an object may lie. Strings only: nothing is opened here. */
#ifndef KTSTR_ELF_DEBUG_FILE_H
#define KTSTR_ELF_DEBUG_FILE_H

#include "base/vec.h"

#define DEBUG_FILE_DEFAULT_DIR "/usr/lib/debug"

struct path_list {
	char **at;
	size_t n;
	size_t capacity;
};

void path_list_deinit(struct path_list *list);

/*
 * Appends, in this order: <debug_dir>/.build-id/ab/cdef….debug, then the
 * debuglink's name beside the object, in .debug/ beside it, and under debug_dir
 * in the folder of the object's absolute path. A NULL or unsafe build-id or
 * debuglink name contributes nothing; debug_dir NULL means DEBUG_FILE_DEFAULT_DIR.
 */
void debug_file_candidates(const char *object_path, const char *debuglink_name,
			   const char *build_id_hex, const char *debug_dir, struct path_list *into);
/* The same path in the target's mount namespace, if it is absolute and ns_root is given, then as it
 * is. */
void debug_file_in_namespaces(const char *path, const char *ns_root, struct path_list *into);

#endif
