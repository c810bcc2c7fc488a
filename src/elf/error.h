/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What can be wrong with an object file, so that callers can tell one case from another. */
#ifndef KTSTR_ELF_ERROR_H
#define KTSTR_ELF_ERROR_H

#include "base/error.h"

#define ELF_ERRORS(X)                                                                           \
	X(ELF_NOT_ELF, "not-elf", "the bytes are no ELF object")                                \
	X(ELF_ARCH, "arch", "the object is not 64-bit little-endian")                           \
	X(ELF_TRUNCATED, "truncated", "the file ends before what its headers promise")          \
	X(ELF_MALFORMED, "malformed", "the object contradicts itself")                          \
	X(ELF_NO_DEBUG_INFO, "no-debug-info", "there is no debug information to search")        \
	X(ELF_UNSAFE_DEBUGLINK, "unsafe-debuglink", ".gnu_debuglink is not a bare file name")   \
	X(ELF_UNSAFE_BUILD_ID, "unsafe-build-id", "the build-id is not lower-case hexadecimal") \
	X(ELF_CRC_MISMATCH, "crc-mismatch", "the debug file is not the one that belongs here")  \
	X(ELF_BUILD_ID_MISMATCH, "build-id-mismatch", "the debug file is of another build")     \
	X(ELF_TYPE_MISSING, "type-missing", "the debug information does not describe the type") \
	X(ELF_MEMBER_MISSING, "member-missing", "the type lacks a member")                      \
	X(ELF_MEMBER_LOCATION, "member-location", "a member's place is not a constant")         \
	X(ELF_BAD_DWARF, "bad-dwarf", "the debug information cannot be read")
DECLARE_ERROR_DOMAIN(elf, ELF, ELF_ERRORS);

#endif
