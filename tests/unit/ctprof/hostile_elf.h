/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program that runs as ever and keeps whoever reads its symbols busy for hours. */
#ifndef KTSTR_TESTS_HOSTILE_ELF_H
#define KTSTR_TESTS_HOSTILE_ELF_H

#include <elf.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "unit.h"

enum {
	HOSTILE_SYMBOLS = 400000,
	HOSTILE_NAME = 16 << 20, /* and each of them is called that long */
};

static inline Elf64_Shdr *hostile_sections(int fd, const Elf64_Ehdr *header)
{
	size_t n = header->e_shnum * sizeof(Elf64_Shdr);
	Elf64_Shdr *sections = xcalloc(1, n);

	assert_int_equal(pread(fd, sections, n, (off_t)header->e_shoff), n);
	return sections;
}

/* Writes behind the end of the file and lets the section lie there. */
static inline void hostile_move(int fd, Elf64_Shdr *section, const void *bytes, size_t n)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	section->sh_offset = (uint64_t)(st.st_size + 4095) / 4096 * 4096;
	section->sh_size = n;
	assert_int_equal(pwrite(fd, bytes, n, (off_t)section->sh_offset), n);
}

/* A copy of a program with other symbols. The caller removes the file. */
static inline char *hostile_copy(const char *program)
{
	char *path = xstrdup("/tmp/ktstr-hostile-XXXXXX");
	int fd = mkstemp(path);
	_cleanup_free_ char *command = xasprintf("cp %s %s && chmod 755 %s", program, path, path);
	_cleanup_free_ Elf64_Sym *symbols = xcalloc(HOSTILE_SYMBOLS, sizeof(*symbols));
	_cleanup_free_ char *name = xcalloc(1, HOSTILE_NAME);
	_cleanup_free_ Elf64_Shdr *sections = NULL;
	Elf64_Ehdr header;
	bool found = false;

	assert_true(fd >= 0);
	assert_int_equal(system(command), 0);
	for (int i = 1; i < HOSTILE_SYMBOLS; i++)
		symbols[i] = (Elf64_Sym){ .st_name = 1,
					  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					  .st_shndx = 1 };
	memset(name + 1, 'a', HOSTILE_NAME - 2);
	assert_int_equal(pread(fd, &header, sizeof(header), 0), sizeof(header));
	sections = hostile_sections(fd, &header);
	for (int i = 0; i < header.e_shnum && !found; i++) {
		found = sections[i].sh_type == SHT_SYMTAB;
		if (!found)
			continue;
		hostile_move(fd, &sections[i], symbols, HOSTILE_SYMBOLS * sizeof(*symbols));
		hostile_move(fd, &sections[sections[i].sh_link], name, HOSTILE_NAME);
	}
	assert_true(found);
	assert_int_equal(
		pwrite(fd, sections, header.e_shnum * sizeof(*sections), (off_t)header.e_shoff),
		header.e_shnum * sizeof(*sections));
	close(fd);
	return path;
}

#endif
