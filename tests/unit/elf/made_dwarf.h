/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debug information written entry by entry: a unit of DWARF 4 with names inside the entries. */
#ifndef KTSTR_TESTS_ELF_MADE_DWARF_H
#define KTSTR_TESTS_ELF_MADE_DWARF_H

#include <dwarf.h>

#include "base/strbuf.h"
#include "build_elf.h"

/* Abbreviations 1: unit, 2: named struct, 3: member, 4: class, 5: anonymous struct, 6: namespace.
 */
struct made_dwarf {
	struct strbuf abbrev;
	struct strbuf entries;
};

static inline void made_init(struct made_dwarf *d, uint8_t location_form)
{
	const uint8_t abbrevs[] = {
		1,
		DW_TAG_compile_unit,
		1,
		0,
		0,
		2,
		DW_TAG_structure_type,
		1,
		DW_AT_name,
		DW_FORM_string,
		0,
		0,
		3,
		DW_TAG_member,
		0,
		DW_AT_name,
		DW_FORM_string,
		DW_AT_data_member_location,
		location_form,
		0,
		0,
		4,
		DW_TAG_class_type,
		1,
		DW_AT_name,
		DW_FORM_string,
		0,
		0,
		5,
		DW_TAG_structure_type,
		1,
		0,
		0,
		6,
		DW_TAG_namespace,
		1,
		DW_AT_name,
		DW_FORM_string,
		0,
		0,
		7,
		DW_TAG_structure_type,
		0,
		DW_AT_name,
		DW_FORM_string,
		DW_AT_declaration,
		DW_FORM_flag_present,
		0,
		0,
		8,
		DW_TAG_enumeration_type,
		1,
		DW_AT_sibling,
		DW_FORM_ref4,
		0,
		0,
		9,
		DW_TAG_base_type,
		0,
		DW_AT_sibling,
		DW_FORM_ref4,
		0,
		0,
		0,
	};

	*d = (struct made_dwarf){ 0 };
	strbuf_append_bytes(&d->abbrev, abbrevs, sizeof(abbrevs));
	strbuf_append_char(&d->entries, 1);
}

static inline void made_open(struct made_dwarf *d, char abbrev, const char *name)
{
	strbuf_append_char(&d->entries, abbrev);
	if (name)
		strbuf_append_bytes(&d->entries, name, strlen(name) + 1);
}

static inline void made_member(struct made_dwarf *d, const char *name, const void *location,
			       size_t n)
{
	made_open(d, 3, name);
	strbuf_append_bytes(&d->entries, location, n);
}

static inline void made_close(struct made_dwarf *d)
{
	strbuf_append_char(&d->entries, 0);
}

/* Adds the unit's header and puts both sections into the builder. */
static inline void made_finish(struct made_dwarf *d, struct elf_builder *b)
{
	struct strbuf info = STRBUF_INIT;
	uint32_t length;

	made_close(d);
	length = (uint32_t)d->entries.n + 7;
	strbuf_append_bytes(&info, &length, 4);
	strbuf_append_bytes(&info, "\4\0\0\0\0\0\10", 7);
	strbuf_append_bytes(&info, d->entries.at, d->entries.n);
	elf_builder_section(b, ".debug_info", SHT_PROGBITS, 0, info.at, info.n);
	elf_builder_section(b, ".debug_abbrev", SHT_PROGBITS, 0, d->abbrev.at, d->abbrev.n);
	strbuf_deinit(&info);
	strbuf_deinit(&d->abbrev);
	strbuf_deinit(&d->entries);
}

#endif
