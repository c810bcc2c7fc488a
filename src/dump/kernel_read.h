/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What several views read in the same way. */
#ifndef KTSTR_DUMP_KERNEL_READ_H
#define KTSTR_DUMP_KERNEL_READ_H

#include "kmem/kmem.h"

/*
 * A member of the object at `base`, or an error that says which member or which address. What they
 * give is a number: a struct of up to eight bytes is read as one.
 */
struct error *kernel_member(struct kmem *kmem, enum kmem_field_id id, uint64_t base,
			    uint64_t *ret) MUST_CHECK;
/* Where the member begins. */
struct error *kernel_offset(const struct kmem *kmem, enum kmem_field_id id,
			    uint64_t *ret) MUST_CHECK;

/*
 * The name of an enum's value without its prefix, in small letters: "struct_ops" of
 * BPF_PROG_TYPE_STRUCT_OPS; "number 99" when the kernel's types have no name for it.
 */
void dump_enum_word(struct kmem *kmem, const char *type, const char *prefix, uint64_t value,
		    struct strbuf *into);
/* The names of all bits that are set, as the kernel spells them: "A|B|0x100". */
void dump_flag_words(struct kmem *kmem, const char *type, const char *prefix, uint64_t value,
		     struct strbuf *into);
/* "bash[1234]", escaped; an address where the task cannot be read. */
void dump_task_name(struct kmem *kmem, uint64_t task, struct strbuf *into);

#endif
