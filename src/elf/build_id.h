/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NT_GNU_BUILD_ID: what makes one build of an object tell itself from another. */
#ifndef KTSTR_ELF_BUILD_ID_H
#define KTSTR_ELF_BUILD_ID_H

#include "base/strbuf.h"
#include "elf/image.h"

/* Appends lower-case hexadecimal digits. No note: BASE_ABSENT; a note that lies about its size:
 * BASE_PARSE. */
struct error *elf_build_id(struct elf_image *img, struct strbuf *hex) MUST_CHECK;
/* The same over a note section's bytes. */
struct error *build_id_parse(struct bytes notes, struct strbuf *hex) MUST_CHECK;
/* Fit to become part of a path: not empty, an even number of digits, 0-9 and a-f only. */
bool build_id_hex_is_safe(const char *hex, size_t n);

#endif
