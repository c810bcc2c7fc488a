/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Types of expressions. BTF has a pointer to a type only if the program had one, so pointers that
 * an expression makes are stars on top of a type.
 */
#ifndef KTSTR_DUMP_EXPR_EVAL_H
#define KTSTR_DUMP_EXPR_EVAL_H

#include "btf/layout.h"
#include "dump/expr.h"
#include "dump/globals.h"
#include "kmem/guest_btf.h"

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

/* What expressions are worth: names, places in memory and numbers, each with a type. */
enum expr_form {
	EXPR_IS_PLACE,	 /* bytes at an address */
	EXPR_IS_NUMBER,	 /* a pointer, too */
	EXPR_IS_UNTYPED, /* a symbol whose type nobody says: a cast or & makes something of it */
};

struct expr_value {
	enum expr_form form;
	struct expr_type type;
	uint64_t number;
	uint64_t address;	       /* of a place, as pointers to it have it */
	const struct arena *arena;     /* in which the place is; NULL: the kernel's own memory */
	const struct globals *program; /* whose pointers may lead into its arena; NULL: none */
	uint32_t bits, bit_offset;     /* of a bit field, else 0 */
	const struct expr_node *null;  /* the pointer that leads to the place, if it is NULL */
};

struct expr_program_types {
	uint64_t address; /* of struct btf */
	struct kmem_btf *btf;
};

/* What names can mean. Programs are looked for when a name asks for them. */
struct expr_scope {
	struct kmem *kmem;
	int64_t cpu; /* per-CPU variables without an index are this one's; -1: nobody's */
	bool has_programs;
	struct error *no_programs;
	struct globals_scene programs;
	VEC(struct expr_program_types) types;
};

/* KMEM_NO_FIELD: a kernel without types. */
struct error *expr_scope_init(struct expr_scope *scope, struct kmem *kmem) MUST_CHECK;
void expr_scope_deinit(struct expr_scope *scope);
#define _cleanup_expr_scope_ _cleanup_(expr_scope_deinit)

/* A symbol of the kernel, a variable of a BPF program or a name of an enum, in this order. */
struct error *expr_name_find(struct expr_scope *scope, const char *name,
			     struct expr_value *ret) MUST_CHECK;
struct error *expr_name_bpf(struct expr_scope *scope, const char *name,
			    struct expr_value *ret) MUST_CHECK;
/* "obj.bss.member.member": *ret_rest is ".member.member". */
struct error *expr_name_map(struct expr_scope *scope, const char *text, struct expr_value *ret,
			    const char **ret_rest) MUST_CHECK;
bool expr_name_is_percpu(struct expr_scope *scope, const char *name);
/* A type of the kernel's or of a program's; that of `near` first, if it is not NULL. */
struct error *expr_name_type(struct expr_scope *scope, const struct btf *near, const char *text,
			     size_t n, struct expr_type *ret) MUST_CHECK;
/* The arena that the pointer leads into; NULL: none. */
const struct arena *expr_name_arena(struct expr_scope *scope, const struct globals *program,
				    uint64_t pointer);

/* The value of a node. Nothing is read but pointers that are followed and indexes. */
struct error *dump_expr_eval(struct expr_scope *scope, const struct expr *expr, uint8_t node,
			     struct expr_value *ret) MUST_CHECK;
/* The number in a place, extended by its sign; that of a pointer. EXPR_SYNTAX for structs. */
struct error *expr_load(struct expr_scope *scope, const struct expr_value *value,
			uint64_t *ret) MUST_CHECK;
/* Where the bytes of a place are in the kernel's addresses. */
uint64_t expr_kernel_address(const struct expr_value *value);
/* How to cast what has no type. */
struct error *expr_no_type(const struct expr_node *node) MUST_CHECK;
/* A NULL before a place. */
struct error *expr_check_null(const struct expr_value *value) MUST_CHECK;

#endif
