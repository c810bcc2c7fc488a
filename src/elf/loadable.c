// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/loadable.h"

#include <elf.h>
#include <endian.h>
#include <string.h>

static bool is_ours(const Elf64_Ehdr *header)
{
	return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
	       (header->e_type == ET_EXEC || header->e_type == ET_DYN) &&
	       header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phnum != PN_XNUM;
}

bool elf_loadable(struct bytes file, struct strbuf *into)
{
	Elf64_Ehdr header;
	uint64_t end, headers_bytes;

	_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "headers are read as they stand");
	if (file.n < sizeof(header))
		return false;
	memcpy(&header, file.at, sizeof(header));
	if (!is_ours(&header))
		return false;
	headers_bytes = (uint64_t)header.e_phnum * sizeof(Elf64_Phdr);
	if (header.e_phoff > file.n || headers_bytes > file.n - header.e_phoff)
		return false;
	end = header.e_phoff + headers_bytes;
	for (unsigned int i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment;

		memcpy(&segment, (const char *)file.at + header.e_phoff + i * sizeof(segment),
		       sizeof(segment));
		if (segment.p_type == PT_INTERP)
			return false;
		if (segment.p_offset > file.n || segment.p_filesz > file.n - segment.p_offset)
			return false;
		if (segment.p_offset + segment.p_filesz > end)
			end = segment.p_offset + segment.p_filesz;
	}
	header.e_shoff = 0;
	header.e_shnum = 0;
	header.e_shstrndx = SHN_UNDEF;
	strbuf_append_bytes(into, &header, sizeof(header));
	if (end > sizeof(header))
		strbuf_append_bytes(into, (const char *)file.at + sizeof(header),
				    end - sizeof(header));
	return true;
}
