/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that run as ever and want to keep whoever reads them busy for hours. */
#ifndef KTSTR_TESTS_HOSTILE_ELF_H
#define KTSTR_TESTS_HOSTILE_ELF_H

#include <elf.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "probe/jemalloc.h"
#include "unit.h"

enum {
	HOSTILE_SYMBOLS = 400000,
	HOSTILE_NAME = 16 << 20, /* and each of them is called that long */
	HOSTILE_ENTRIES = 1 << 20,
	HOSTILE_ATTRIBUTES = 1 << 18, /* of each of them, none of which takes a byte */
};

/* A copy with its section headers at hand. */
struct hostile {
	char *path;
	int fd;
	Elf64_Ehdr header;
	Elf64_Shdr *sections;
	char *names;
};

static inline struct hostile hostile_begin(const char *object)
{
	struct hostile h = { .path = xstrdup("/tmp/ktstr-hostile-XXXXXX") };
	_cleanup_free_ char *command = NULL;
	const Elf64_Shdr *names;
	size_t n;

	h.fd = mkstemp(h.path);
	assert_true(h.fd >= 0);
	command = xasprintf("cp %s %s && chmod 755 %s", object, h.path, h.path);
	assert_int_equal(system(command), 0);
	assert_int_equal(pread(h.fd, &h.header, sizeof(h.header), 0), sizeof(h.header));
	n = h.header.e_shnum * sizeof(Elf64_Shdr);
	h.sections = xcalloc(1, n);
	assert_int_equal(pread(h.fd, h.sections, n, (off_t)h.header.e_shoff), n);
	names = &h.sections[h.header.e_shstrndx];
	h.names = xcalloc(1, names->sh_size + 1);
	assert_int_equal(pread(h.fd, h.names, names->sh_size, (off_t)names->sh_offset),
			 names->sh_size);
	return h;
}

static inline Elf64_Shdr *hostile_section(const struct hostile *h, const char *name)
{
	for (int i = 0; i < h->header.e_shnum; i++)
		if (strcmp(h->names + h->sections[i].sh_name, name) == 0)
			return &h->sections[i];
	fail_msg("no %s in %s", name, h->path);
	return NULL;
}

/* Writes behind the end of the file and lets the section lie there. */
static inline void hostile_move(const struct hostile *h, Elf64_Shdr *section, const void *bytes,
				size_t n)
{
	struct stat st;

	assert_int_equal(fstat(h->fd, &st), 0);
	section->sh_offset = (uint64_t)(st.st_size + 4095) / 4096 * 4096;
	section->sh_size = n;
	assert_int_equal(pwrite(h->fd, bytes, n, (off_t)section->sh_offset), n);
}

static inline char *hostile_end(struct hostile *h)
{
	size_t n = h->header.e_shnum * sizeof(Elf64_Shdr);

	assert_int_equal(pwrite(h->fd, h->sections, n, (off_t)h->header.e_shoff), n);
	close(h->fd);
	free(h->sections);
	free(h->names);
	return h->path;
}

/* Very many symbols that share one very long name. The caller removes the file. */
static inline char *hostile_symbols(const char *object)
{
	struct hostile h = hostile_begin(object);
	_cleanup_free_ Elf64_Sym *symbols = xcalloc(HOSTILE_SYMBOLS, sizeof(*symbols));
	_cleanup_free_ char *name = xcalloc(1, HOSTILE_NAME);
	Elf64_Shdr *section = hostile_section(&h, ".symtab");

	for (int i = 1; i < HOSTILE_SYMBOLS; i++)
		symbols[i] = (Elf64_Sym){ .st_name = 1,
					  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					  .st_shndx = 1 };
	memset(name + 1, 'a', HOSTILE_NAME - 2);
	hostile_move(&h, section, symbols, HOSTILE_SYMBOLS * sizeof(*symbols));
	hostile_move(&h, &h.sections[section->sh_link], name, HOSTILE_NAME);
	return hostile_end(&h);
}

/* A .rodata of as many bytes, most of which take no place on the disk; `inside` the file or not. */
static inline char *hostile_rodata(const char *object, uint64_t bytes, bool inside)
{
	static const char name[] = ".rodata";
	struct hostile h = hostile_begin(object);
	Elf64_Shdr *section = hostile_section(&h, ".comment");
	Elf64_Shdr *table = &h.sections[h.header.e_shstrndx];
	size_t n = table->sh_size + sizeof(name);
	_cleanup_free_ char *names = xcalloc(1, n);

	memcpy(names, h.names, table->sh_size);
	memcpy(names + table->sh_size, name, sizeof(name));
	section->sh_name = (uint32_t)table->sh_size;
	hostile_move(&h, table, names, n);
	hostile_move(&h, section, name, sizeof(name));
	section->sh_size = bytes;
	if (inside)
		assert_int_equal(ftruncate(h.fd, (off_t)(section->sh_offset + bytes)), 0);
	return hostile_end(&h);
}

/* Of a version that no table of layouts knows. */
static inline void hostile_version(const struct hostile *h)
{
	const Elf64_Shdr *section = hostile_section(h, ".rodata");
	_cleanup_free_ uint8_t *bytes = xcalloc(1, section->sh_size);
	char version[PROBE_LIMIT_JEMALLOC_VERSION];
	const uint8_t *at;

	assert_int_equal(pread(h->fd, bytes, section->sh_size, (off_t)section->sh_offset),
			 section->sh_size);
	assert_true(
		probe_jemalloc_find_version((struct bytes){ bytes, section->sh_size }, version));
	at = memmem(bytes, section->sh_size, version, strlen(version) + 1);
	assert_int_equal(pwrite(h->fd, "9", 1, (off_t)section->sh_offset + (at - bytes)), 1);
}

/*
 * A jemalloc that only its debug information tells about: one unit that mentions the counters, and
 * whose entries have so many attributes that libdw needs hours to pass them. The caller removes the
 * file.
 */
static inline char *hostile_entries(const char *object)
{
	static const char mention[] = PROBE_JEMALLOC_DEALLOCATED;
	/* DWARF 4: length, version, abbreviations at 0, eight bytes an address; a unit. */
	static const uint8_t head[] = { 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1 };
	/* A unit with children; a base type with its name; the start of a structure. */
	static const uint8_t kinds[] = { 1, 0x11, 1, 0, 0, 2, 0x24, 0, 3, 8, 0, 0, 3, 0x13, 0 };
	struct hostile h = hostile_begin(object);
	size_t n_kinds = sizeof(kinds) + 2 * HOSTILE_ATTRIBUTES + 3;
	size_t n = sizeof(head) + 1 + sizeof(mention) + HOSTILE_ENTRIES + 1;
	_cleanup_free_ uint8_t *abbreviations = xcalloc(1, n_kinds), *info = xcalloc(1, n);
	uint32_t length = (uint32_t)n - 4;

	memcpy(abbreviations, kinds, sizeof(kinds));
	for (size_t i = 0; i < HOSTILE_ATTRIBUTES; i++) {
		abbreviations[sizeof(kinds) + 2 * i] = 0x3c;	 /* DW_AT_declaration */
		abbreviations[sizeof(kinds) + 2 * i + 1] = 0x19; /* DW_FORM_flag_present */
	}
	memcpy(info, head, sizeof(head));
	memcpy(info, &length, sizeof(length));
	info[sizeof(head)] = 2;
	memcpy(info + sizeof(head) + 1, mention, sizeof(mention));
	memset(info + sizeof(head) + 1 + sizeof(mention), 3, HOSTILE_ENTRIES);
	hostile_version(&h);
	hostile_move(&h, hostile_section(&h, ".debug_abbrev"), abbreviations, n_kinds);
	hostile_move(&h, hostile_section(&h, ".debug_info"), info, n);
	return hostile_end(&h);
}

#endif
