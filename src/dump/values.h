/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Typed values out of the guest's memory, as lines or as JSON. Bytes that cannot be read are holes
 * with a reason. Pointers to tasks, control groups and masks of CPUs have short forms, those into
 * the kernel's image and to functions the name of what is there; none is followed.
 */
#ifndef KTSTR_DUMP_VALUES_H
#define KTSTR_DUMP_VALUES_H

#include "btf/value.h"
#include "dump/dump.h"

/* BASE_LIMIT past DUMP_LIMIT_VALUE_BYTES. A type of 0 shows bytes. */
struct error *dump_value_read(struct kmem *kmem, const struct btf *btf, uint32_t type,
			      uint64_t address, uint64_t bytes, struct value_tree **ret) MUST_CHECK;

/* The same of bytes that are known: a number of an expression. */
struct value_tree *dump_value_of(struct kmem *kmem, const struct btf *btf, uint32_t type,
				 struct bytes bytes) MUST_CHECK;

/* One object; the key is written before. */
void dump_value_write(struct json_writer *json, const struct value_tree *tree);
/* "label = value" and what else it needs of lines. */
void dump_value_text(struct dump_sink *sink, const char *label, const struct value_tree *tree,
		     const struct value_node *node);

#endif
