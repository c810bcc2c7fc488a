/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ELF objects made byte by byte, for what no compiler would write:
 *
 *	struct elf_builder b = { .type = ET_EXEC };
 *	elf_builder_section(&b, ".note", SHT_NOTE, 0, bytes, n);
 *	elf_builder_finish(&b);
 *	elf_image_from_bytes(b.out.at, b.out.n, "made", &img);
 *	elf_builder_deinit(&b);
 */
#ifndef KTSTR_TESTS_ELF_BUILD_ELF_H
#define KTSTR_TESTS_ELF_BUILD_ELF_H

#include <elf.h>

#include "base/strbuf.h"
#include "elf/image.h"

#define BUILDER_MAX 16

struct elf_builder {
	uint16_t type;
	Elf64_Phdr segments[BUILDER_MAX];
	size_t n_segments;
	Elf64_Shdr sections[BUILDER_MAX];
	const char *names[BUILDER_MAX];
	size_t n_sections;
	struct strbuf data; /* of the sections */
	struct strbuf out;
};

/* Returns the header, to be changed until the object is finished. Section 0 is made by itself. */
Elf64_Shdr *elf_builder_section(struct elf_builder *b, const char *name, uint32_t type,
				uint64_t flags, const void *bytes, size_t n);
Elf64_Phdr *elf_builder_segment(struct elf_builder *b, uint32_t type);
void elf_builder_finish(struct elf_builder *b);
/* Opens what was finished; fails the test when that is not possible. */
struct elf_image *elf_builder_open(struct elf_builder *b);
void elf_builder_deinit(struct elf_builder *b);
#define _cleanup_elf_builder_ __attribute__((cleanup(elf_builder_deinit)))

#endif
