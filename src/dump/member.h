/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Single members of the guest's structs as cells of a table and members of JSON. */
#ifndef KTSTR_DUMP_MEMBER_H
#define KTSTR_DUMP_MEMBER_H

#include "dump/dump.h"
#include "kmem/kmem.h"
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
void dump_table(struct dump_sink *sink, const struct text_table *table);

/* What several views read in the same way. */
/*
 * A member of the object at `base`, or an error that says which member or which address. What they
 * give is a number: a struct of up to eight bytes is read as one.
 */
struct error *dump_kernel_member(struct kmem *kmem, enum kmem_field_id id, uint64_t base,
				 uint64_t *ret) MUST_CHECK;
/* Where the member begins. */
struct error *dump_kernel_offset(const struct kmem *kmem, enum kmem_field_id id,
				 uint64_t *ret) MUST_CHECK;

/* From one symbol to another. KMEM_NO_SYMBOLS: the second is before the first. */
struct error *dump_symbol_range(struct kmem *kmem, const char *from, const char *to,
				uint64_t *ret_start, uint64_t *ret_end) MUST_CHECK;
/* False as well when the kernel does not have both symbols. */
bool dump_is_between(struct kmem *kmem, uint64_t address, const char *from, const char *to);

/* Several of them: the first that is missing is the error. */
struct dump_wanted {
	enum kmem_field_id id;
	enum { DUMP_VALUE, DUMP_OFFSET, DUMP_SIZE } what;
	uint64_t *ret;
};
struct error *dump_kernel_members(struct kmem *kmem, uint64_t base,
				  const struct dump_wanted *wanted, size_t n) MUST_CHECK;

/*
 * The name of an enum's value without its prefix, in small letters: "struct_ops" of
 * BPF_PROG_TYPE_STRUCT_OPS; "number 99" when the kernel's types have no name for it.
 */
void dump_enum_name(struct kmem *kmem, const char *type, const char *prefix, uint64_t value,
		    struct strbuf *into);
/* The names of all bits that are set, as the kernel spells them: "A|B|0x100". */
void dump_flag_names(struct kmem *kmem, const char *type, const char *prefix, uint64_t value,
		     struct strbuf *into);
/* "bash[1234]", escaped; an address where the task cannot be read. */
void dump_task_name(struct kmem *kmem, uint64_t task, struct strbuf *into);

#endif
