/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Single members of the guest's structs as cells of a table and members of JSON. */
#ifndef KTSTR_DUMP_MEMBER_H
#define KTSTR_DUMP_MEMBER_H

#include "dump/dump.h"
#include "text/table.h"

/* KMEM_READ_OK: `value` counts, extended by its sign if that was asked for. */
struct dump_member {
	enum kmem_status status;
	bool is_signed;
	uint64_t value;
};

struct dump_member dump_read(struct kmem *kmem, enum kmem_field_id field, uint64_t base);
struct dump_member dump_read_signed(struct kmem *kmem, enum kmem_field_id field, uint64_t base);

/* Into JSON: left out when this kernel does not have it, null when it cannot be read. */
void dump_add_member(struct dump_sink *sink, const char *key, const struct dump_member *member);
void dump_add_member_hex(struct dump_sink *sink, const char *key, const struct dump_member *member);
/* The same for a text. */
void dump_add_text(struct dump_sink *sink, const char *key, enum kmem_status status,
		   const char *text);
/* The same for whatever else: true when it can be read; then the caller adds it. */
bool dump_is_read(struct dump_sink *sink, const char *key, enum kmem_status status);
/* A variable of the kernel's image, which it need not have either. */
struct dump_member dump_read_variable(struct kmem *kmem, const char *name, unsigned int width);

/* How many entries to show: as asked for and, in text, as the lines suffice. */
uint64_t dump_wanted(const struct dump_request *request, const struct dump_sink *sink);
/* As lines of text. */
void dump_table(struct dump_sink *sink, const struct table *table);

#endif
