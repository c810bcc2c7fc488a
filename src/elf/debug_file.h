/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the debug file of an object may lie, and opening it there. */
#ifndef KTSTR_ELF_DEBUG_FILE_H
#define KTSTR_ELF_DEBUG_FILE_H

#include "base/vec.h"
#include "elf/image.h"

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
/*
 * When there is no candidate at all, the reason: ELF_UNSAFE_DEBUGLINK,
 * ELF_UNSAFE_BUILD_ID, or ELF_NO_DEBUG_INFO when the object names no file.
 */
struct error *debug_file_no_candidate(const char *object_path, const char *debuglink_name,
				      const char *build_id_hex) MUST_CHECK;

/*
 * Opens a path of the target's file system: below ns_root, where symbolic links, ".." included,
 * cannot lead out of it. ns_root NULL: the host's own view.
 */
struct error *debug_file_open(const char *ns_root, const char *path,
			      struct elf_image **ret) MUST_CHECK;

#endif
