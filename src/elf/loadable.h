/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What of a program the kernel looks at when it runs it: a static program with debug information
 * is three times as large as what is loaded, and all of it would have to be sent into a guest.
 */
#ifndef KTSTR_ELF_LOADABLE_H
#define KTSTR_ELF_LOADABLE_H

#include "base/bytes.h"
#include "base/strbuf.h"

/*
 * Appends the program without what lies behind its last segment, and without section headers.
 * False, and nothing appended, when that is not for sure the same program: not 64-bit little-endian
 * ELF, segments outside the file, or an interpreter, which may look at the file itself.
 */
bool elf_loadable(struct bytes file, struct strbuf *into) MUST_CHECK;

#endif
