/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Types of expressions. BTF has a pointer to a type only if the program had one, so pointers that
 * an expression makes are stars on top of a type.
 */
#ifndef KTSTR_DUMP_EXPR_TYPE_H
#define KTSTR_DUMP_EXPR_TYPE_H

#include "btf/layout.h"

struct expr_type {
	const struct btf *btf;
	uint32_t id; /* 0: void */
	unsigned int stars;
};

/* "unsigned long", "const struct rq *", "enum x", "u64". An error names what may be meant. */
struct error *expr_type_parse(const struct btf *btf, const char *text, size_t n,
			      struct expr_type *ret) MUST_CHECK;

/* False: it is not a pointer. */
bool expr_type_target(const struct expr_type *type, struct expr_type *ret) MUST_CHECK;
struct expr_type expr_type_pointer(const struct expr_type *to);
/* True: it is past typedefs something else than a pointer, and here it is. */
bool expr_type_resolve(const struct expr_type *type, struct btf_type *ret) MUST_CHECK;
/* EXPR_NO_TYPE: void, functions and declarations have none. */
struct error *expr_type_size(const struct expr_type *type, uint64_t *ret) MUST_CHECK;
void expr_type_format(const struct expr_type *type, struct strbuf *out);
/* The id of such a pointer in BTF, or of void *; 0: there is neither. */
uint32_t expr_type_pointer_id(const struct expr_type *type);

#endif
