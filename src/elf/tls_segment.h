/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The object's thread-local storage, as its PT_TLS describes it. */
#ifndef KTSTR_ELF_TLS_SEGMENT_H
#define KTSTR_ELF_TLS_SEGMENT_H

#include "elf/image.h"

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

#endif
