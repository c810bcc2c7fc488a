// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/glibc_facts.h"

#include <string.h>

#include "elf/symbol.h"

#define DESCRIPTOR_NAME(id, name, need) "_thread_db_" name,
const char *const glibc_descriptor_names[] = { GLIBC_DESCRIPTORS(DESCRIPTOR_NAME) };

#define DESCRIPTOR_NEED(id, name, need) need,
const enum glibc_need glibc_descriptor_needs[] = { GLIBC_DESCRIPTORS(DESCRIPTOR_NEED) };

#define SYMBOL_NAME(id, name) name,
const char *const glibc_symbol_names[] = { GLIBC_SYMBOLS(SYMBOL_NAME) };

static void read_descriptor(struct elf_image *image, uint64_t address, struct glibc_descriptor *ret)
{
	uint8_t raw[12];
	struct cursor c = cursor_over((struct bytes){ raw, sizeof(raw) });
	_cleanup_error_ struct error *err = elf_image_read_vaddr(image, address, raw, sizeof(raw));

	if (err)
		return;
	ret->bits = cursor_u32(&c);
	cursor_u32(&c); /* how many: always one, or unknown */
	ret->offset = cursor_u32(&c);
	ret->found = ret->offset <= GLIBC_MAX_FIELD_OFFSET;
}

void glibc_facts_read(struct elf_image *image, struct glibc_facts *ret)
{
	const char *names[N_GLIBC_DESCRIPTORS + N_GLIBC_SYMBOLS];
	struct elf_symbol symbols[ARRAY_SIZE(names)];
	bool found[ARRAY_SIZE(names)];
	_cleanup_error_ struct error *no_symbols = NULL;

	*ret = (struct glibc_facts){ 0 };
	memcpy(names, glibc_descriptor_names, sizeof(glibc_descriptor_names));
	memcpy(names + N_GLIBC_DESCRIPTORS, glibc_symbol_names, sizeof(glibc_symbol_names));
	no_symbols = elf_symbol_find_all_named(image, names, ARRAY_SIZE(names), symbols, found);
	if (no_symbols)
		return;
	for (size_t i = 0; i < N_GLIBC_DESCRIPTORS; i++)
		if (found[i])
			read_descriptor(image, symbols[i].value, &ret->descriptors[i]);
	for (size_t i = 0; i < N_GLIBC_SYMBOLS; i++) {
		ret->symbols[i].found = found[N_GLIBC_DESCRIPTORS + i];
		if (found[N_GLIBC_DESCRIPTORS + i])
			ret->symbols[i].value = symbols[N_GLIBC_DESCRIPTORS + i].value;
	}
}

bool glibc_facts_define(const struct glibc_facts *facts, const char *name)
{
	for (size_t i = 0; i < N_GLIBC_DESCRIPTORS; i++)
		if (strcmp(glibc_descriptor_names[i], name) == 0)
			return facts->descriptors[i].found;
	for (size_t i = 0; i < N_GLIBC_SYMBOLS; i++)
		if (strcmp(glibc_symbol_names[i], name) == 0)
			return facts->symbols[i].found;
	return false;
}
