/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An image as the files of this room see it. */
#ifndef KTSTR_ELF_IMAGE_INTERNAL_H
#define KTSTR_ELF_IMAGE_INTERNAL_H

#include <gelf.h>

#include "elf/image.h"

struct elf_section {
	const char *name; /* borrowed from libelf; "" when the name cannot be read */
	GElf_Shdr header;
	struct bytes bytes; /* once loaded */
	void *owned;
	bool loaded;
};

struct elf_image {
	char *label;
	int fd; /* -1: `memory` holds the bytes */
	struct bytes memory;
	uint64_t size;
	Elf *elf;
	GElf_Ehdr header;
	GElf_Phdr *segments;
	size_t n_segments;
	struct elf_section *sections;
	size_t n_sections;
};

/* Copies n bytes at a file offset; the file being shorter is ELF_TRUNCATED. */
struct error *elf_read_at(const struct elf_image *img, uint64_t offset, void *buf,
			  uint64_t n) MUST_CHECK;
/* NULL when there is none with bytes in the file. */
struct elf_section *elf_find_section(const struct elf_image *img, const char *name);
/* Decompressed; kept until the image goes. */
struct error *elf_load_section(struct elf_image *img, struct elf_section *section,
			       struct bytes *ret) MUST_CHECK;
/* How many bytes elf_load_section() would give, without reading them. */
struct error *elf_section_size(struct elf_image *img, const struct elf_section *section,
			       uint64_t *ret) MUST_CHECK;
bool elf_section_is_compressed(const struct elf_section *section);

#endif
