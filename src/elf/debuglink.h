/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* .gnu_debuglink: the name and checksum of the file that holds the debug information. */
#ifndef KTSTR_ELF_DEBUGLINK_H
#define KTSTR_ELF_DEBUGLINK_H

#include "elf/image.h"

struct debuglink {
	char *name; /* as found: not safe for a path until debuglink_name_is_safe() says so */
	uint32_t crc;
};

/* The caller owns ret->name. No section: BASE_ABSENT; no NUL or no checksum: BASE_PARSE. */
struct error *elf_debuglink(struct elf_image *img, struct debuglink *ret) MUST_CHECK;
struct error *debuglink_parse(struct bytes section, struct debuglink *ret) MUST_CHECK;
void debuglink_deinit(struct debuglink *link);

/* A bare file name: not empty, no '/', no NUL among the n characters, not "." or "..". */
bool debuglink_name_is_safe(const char *name, size_t n);
/* The CRC-32 of the whole file, as debuglinks have it. */
struct error *elf_image_crc32(struct elf_image *img, uint32_t *ret) MUST_CHECK;

#endif
