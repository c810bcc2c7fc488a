/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the debug file of an object may lie, and opening it there. */
#ifndef KTSTR_ELF_DEBUG_FILE_H
#define KTSTR_ELF_DEBUG_FILE_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "elf/image.h"

#define ELF_DEBUG_FILE_DEFAULT_DIR "/usr/lib/debug"

struct elf_path_list {
	char **at;
	size_t n;
	size_t capacity;
};

void elf_path_list_deinit(struct elf_path_list *list);

/*
 * Appends, in this order: <debug_dir>/.build-id/ab/cdef….debug, then the
 * debuglink's name beside the object, in .debug/ beside it, and under debug_dir
 * in the directory of the object's absolute path. A NULL or unsafe build-id or
 * debuglink name contributes nothing; debug_dir NULL means ELF_DEBUG_FILE_DEFAULT_DIR.
 */
void elf_debug_file_candidates(const char *object_path, const char *debuglink_name,
			       const char *build_id_hex, const char *debug_dir,
			       struct elf_path_list *into);
/*
 * When there is no candidate at all, the reason: ELF_UNSAFE_DEBUGLINK,
 * ELF_UNSAFE_BUILD_ID, or ELF_NO_DEBUG_INFO when the object names no file.
 */
struct error *elf_debug_file_no_candidate(const char *object_path, const char *debuglink_name,
					  const char *build_id_hex) MUST_CHECK;

/*
 * Opens a path of the target's file system: below ns_root, where symbolic links, ".." included,
 * cannot lead out of it. ns_root NULL: the host's own view.
 */
struct error *elf_debug_file_open(const char *ns_root, const char *path,
				  struct elf_image **ret) MUST_CHECK;

/* .gnu_debuglink: the name and checksum of the file that holds the debug information. */
struct elf_debuglink {
	char *name; /* as found: not safe for a path until elf_debuglink_name_is_safe() says so */
	uint32_t crc;
};

/* The caller owns ret->name. No section: BASE_ABSENT; no NUL or no checksum: BASE_PARSE. */
struct error *elf_debuglink(struct elf_image *img, struct elf_debuglink *ret) MUST_CHECK;
struct error *elf_debuglink_parse(struct bytes section, struct elf_debuglink *ret) MUST_CHECK;
void elf_debuglink_deinit(struct elf_debuglink *link);

/* A bare file name: not empty, no '/', no NUL among the n characters, not "." or "..". */
bool elf_debuglink_name_is_safe(const char *name, size_t n);
/* The CRC-32 of the whole file, as debuglinks have it. */
struct error *elf_image_crc32(struct elf_image *img, uint32_t *ret) MUST_CHECK;

/* NT_GNU_BUILD_ID: what makes one build of an object tell itself from another. */

/* Appends lower-case hexadecimal digits. No note: BASE_ABSENT; a note that lies about its size:
 * BASE_PARSE. */
struct error *elf_build_id(struct elf_image *img, struct strbuf *hex) MUST_CHECK;
/* The same over a note section's bytes. */
struct error *elf_build_id_parse(struct bytes notes, struct strbuf *hex) MUST_CHECK;
/* Fit to become part of a path: not empty, an even number of digits, 0-9 and a-f only. */
bool elf_build_id_is_safe(const char *hex, size_t n);

#endif
