// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_elf.h"

#include "unit.h"

Elf64_Shdr *elf_builder_section(struct elf_builder *b, const char *name, uint32_t type,
				uint64_t flags, const void *bytes, size_t n)
{
	if (b->n_sections == 0)
		b->n_sections = 1;
	assert_true(b->n_sections < BUILDER_MAX - 1);
	b->names[b->n_sections] = name;
	b->sections[b->n_sections] = (Elf64_Shdr){
		.sh_type = type,
		.sh_flags = flags,
		.sh_offset = sizeof(Elf64_Ehdr) + sizeof(b->segments) + b->data.n,
		.sh_size = n,
		.sh_addralign = 1,
	};
	strbuf_append_bytes(&b->data, bytes, n);
	while (b->data.n % 8)
		strbuf_append_char(&b->data, '\0');
	return &b->sections[b->n_sections++];
}

Elf64_Phdr *elf_builder_segment(struct elf_builder *b, uint32_t type)
{
	assert_true(b->n_segments < BUILDER_MAX);
	b->segments[b->n_segments].p_type = type;
	return &b->segments[b->n_segments++];
}

void elf_builder_finish(struct elf_builder *b)
{
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;
	Elf64_Ehdr ehdr = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = b->type,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phoff = b->n_segments ? sizeof(Elf64_Ehdr) : 0,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (uint16_t)b->n_segments,
		.e_shentsize = sizeof(Elf64_Shdr),
	};

	strbuf_append_char(&names, '\0');
	for (size_t i = 1; i < b->n_sections; i++) {
		b->sections[i].sh_name = (uint32_t)names.n;
		strbuf_append_bytes(&names, b->names[i], strlen(b->names[i]) + 1);
	}
	elf_builder_section(b, "", SHT_STRTAB, 0, names.at, names.n);
	ehdr.e_shstrndx = (uint16_t)(b->n_sections - 1);
	ehdr.e_shnum = (uint16_t)b->n_sections;
	ehdr.e_shoff = sizeof(ehdr) + sizeof(b->segments) + b->data.n;
	strbuf_append_bytes(&b->out, &ehdr, sizeof(ehdr));
	strbuf_append_bytes(&b->out, b->segments, sizeof(b->segments));
	strbuf_append_bytes(&b->out, b->data.at, b->data.n);
	strbuf_append_bytes(&b->out, b->sections, b->n_sections * sizeof(Elf64_Shdr));
}

struct elf_image *elf_builder_open(struct elf_builder *b)
{
	struct elf_image *img = NULL;

	elf_builder_finish(b);
	assert_success(elf_image_from_bytes(b->out.at, b->out.n, "made", &img));
	return img;
}

void elf_builder_deinit(struct elf_builder *b)
{
	strbuf_deinit(&b->data);
	strbuf_deinit(&b->out);
}
