/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One ELF object, 64-bit little-endian, from a file or from memory.
 *
 * Files are never mapped. A mapped file that somebody truncates kills the
 * reader with SIGBUS, and the libraries and debug files of a foreign process can be
 * replaced at any moment; everything is copied with pread(), section by section,
 * when first asked for, and a file that shrank meanwhile is ELF_TRUNCATED.
 *
 * An image is not thread-safe; what it lends lives until elf_image_free().
 */
#ifndef KTSTR_ELF_IMAGE_H
#define KTSTR_ELF_IMAGE_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/strbuf.h"

struct elf_image;

/*
 * Not an ELF: ELF_NOT_ELF. 32-bit or big-endian: ELF_ARCH. Headers that do not
 * fit the file: ELF_TRUNCATED or ELF_MALFORMED. The caller owns *ret.
 */
struct error *elf_image_open(const char *path, struct elf_image **ret) MUST_CHECK;
/* Keeps its own duplicate of fd. `label` names the file in messages. */
struct error *elf_image_open_fd(int fd, const char *label, struct elf_image **ret) MUST_CHECK;
/* Borrows the bytes: they must outlive the image. */
struct error *elf_image_from_bytes(const void *bytes, size_t n, const char *label,
				   struct elf_image **ret) MUST_CHECK;
void elf_image_free(struct elf_image *img);
DEFINE_CLEANUP(elf_image, struct elf_image *, NULL, elf_image_free);
#define _cleanup_elf_image_ _cleanup_(cleanup_elf_image)

uint16_t elf_image_machine(const struct elf_image *img); /* EM_… */
const char *elf_image_label(const struct elf_image *img);

/*
 * The section's bytes, decompressed (SHF_COMPRESSED with zlib or zstd; a name
 * `.debug_x` also finds the older `.zdebug_x`). Borrowed. No such section, or
 * one without bytes in the file: BASE_ABSENT. Larger than ELF_LIMIT_SECTION_BYTES
 * once decompressed: BASE_LIMIT.
 */
struct error *elf_image_section(struct elf_image *img, const char *name,
				struct bytes *ret) MUST_CHECK;

/* n bytes of the file behind a virtual address. Outside every PT_LOAD: BASE_ABSENT. */
struct error *elf_image_read_vaddr(struct elf_image *img, uint64_t vaddr, void *buf,
				   size_t n) MUST_CHECK;

/* What can be wrong with an object file, so that callers can tell one case from another. */
#define ELF_ERRORS(X)                                                                           \
	X(ELF_NOT_ELF, "not-elf", "the bytes are not an ELF object")                            \
	X(ELF_ARCH, "arch", "the object is not 64-bit little-endian")                           \
	X(ELF_TRUNCATED, "truncated", "the file ends before what its headers promise")          \
	X(ELF_MALFORMED, "malformed", "the object contradicts itself")                          \
	X(ELF_NO_DEBUG_INFO, "no-debug-info", "there is no debug information to search")        \
	X(ELF_UNSAFE_DEBUGLINK, "unsafe-debuglink", ".gnu_debuglink is not a bare file name")   \
	X(ELF_UNSAFE_BUILD_ID, "unsafe-build-id", "the build-id is not lower-case hexadecimal") \
	X(ELF_CRC_MISMATCH, "crc-mismatch", "the debug file belongs to another object")         \
	X(ELF_BUILD_ID_MISMATCH, "build-id-mismatch", "the debug file is of another build")     \
	X(ELF_TYPE_MISSING, "type-missing", "the debug information does not describe the type") \
	X(ELF_MEMBER_MISSING, "member-missing", "the type lacks a member")                      \
	X(ELF_MEMBER_LOCATION, "member-location", "the offset of a member is not a constant")   \
	X(ELF_BAD_DWARF, "bad-dwarf", "the debug information cannot be read")
DECLARE_ERROR_DOMAIN(elf, ELF, ELF_ERRORS);

/* The object's thread-local storage, as its PT_TLS describes it. */

struct elf_tls {
	uint64_t memsz;
	uint64_t filesz; /* the bytes of the file that each block starts with */
	uint64_t align;	 /* never 0: an alignment of 0 means 1 */
	uint64_t aligned_memsz;
	uint64_t vaddr;
};

/* A part of the file that is mapped: PT_LOAD. */
struct elf_load {
	uint64_t offset, filesz, vaddr;
};

/* The first max of them; how many there are in ret. */
size_t elf_image_loads(const struct elf_image *img, struct elf_load *ret, size_t max);
/*
 * What to add to an address of the file to get the one in memory, when the byte at file_offset is
 * mapped at mapped_start; false when none holds it. Pass the object's lowest mapping: two segments
 * may share a page of the file, but not the first one.
 */
bool elf_load_bias(const struct elf_load *loads, size_t n, uint64_t mapped_start,
		   uint64_t file_offset, uint64_t *ret_bias);

/*
 * No PT_TLS: BASE_ABSENT. An alignment that is not a power of two, or a size that
 * overflows when rounded up: BASE_PARSE.
 */
struct error *elf_image_tls(struct elf_image *img, struct elf_tls *ret) MUST_CHECK;

/*
 * What of a program the kernel looks at when it runs it: a static program with debug information
 * is three times as large as what is loaded, and all of it would have to be sent into a guest.
 */

/*
 * Appends the program without what lies behind its last segment, and without section headers.
 * False, and nothing appended, when that is not for sure the same program: not 64-bit little-endian
 * ELF, segments outside the file, or an interpreter, which may look at the file itself.
 */
bool elf_loadable(struct bytes file, struct strbuf *into) MUST_CHECK;

/* Every bound of this room. Generous for real programs, small enough for hostile ones. */

#define ELF_LIMIT_SECTION_BYTES	     (UINT64_C(8) << 30)
#define ELF_LIMIT_DECOMPRESSED_BYTES (UINT64_C(1) << 30)
/*
 * A compressed section may claim to become this many times larger, and any may
 * become as large as the floor. zlib cannot do better than 1032; zstd can, but not on real debug
 * information.
 */
#define ELF_LIMIT_INFLATION		1100
#define ELF_LIMIT_INFLATION_FLOOR_BYTES (UINT64_C(1) << 20)
#define ELF_LIMIT_SECTIONS		(1u << 20)
/* A longer name is none that anybody looks for. */
#define ELF_LIMIT_SECTION_NAME	  4096u
#define ELF_LIMIT_SEGMENTS	  65536
#define ELF_LIMIT_BUILD_ID_BYTES  64
#define ELF_LIMIT_DEBUGLINK_BYTES 4096
#define ELF_LIMIT_NOTES		  1024
#define ELF_LIMIT_QUERY_MEMBERS	  64
#define ELF_LIMIT_UNITS		  (UINT64_C(1) << 22)
#define ELF_LIMIT_DIES		  (UINT64_C(1) << 31)
#define ELF_LIMIT_DIE_DEPTH	  256
/* Units that an index or an anchor may name, and places where a name may stand. */
#define ELF_LIMIT_UNIT_HITS   16
#define ELF_LIMIT_STRING_HITS 64
#define ELF_LIMIT_REFERENCES  65536
#define ELF_LIMIT_DWO_FILES   4096
/* Of one object's dynamic section. */
#define ELF_LIMIT_DYNAMIC_BYTES	 (UINT64_C(1) << 20)
#define ELF_LIMIT_DYNAMIC_STRING 4096
#define ELF_LIMIT_NEEDED	 4096
/* Of a program and all it needs. */
#define ELF_LIMIT_CLOSURE_FILES	 4096
#define ELF_LIMIT_LD_CACHE_BYTES (UINT64_C(64) << 20)
#define ELF_LIMIT_SCRIPT_DEPTH	 4
#define ELF_LIMIT_PATH_LINKS	 40
#define ELF_LIMIT_PATH_CHARS	 4096
/* Of the list of what was tried, in a message. */
#define ELF_LIMIT_TRIED_CHARS 4096
/* How many entries are visited between two looks at the cancel. */
#define ELF_CANCEL_STRIDE 4096

#endif
