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
#include "kmem/modules.h"

struct dump_expr_type {
	const struct btf *btf;
	uint32_t id; /* 0: void */
	unsigned int stars;
};

/* "unsigned long", "const struct rq *", "enum x", "u64". An error names what may be meant. */
struct error *dump_expr_type_parse(const struct btf *btf, const char *text, size_t n,
				   struct dump_expr_type *ret) MUST_CHECK;

/* False: it is not a pointer. */
bool dump_expr_type_target(const struct dump_expr_type *type,
			   struct dump_expr_type *ret) MUST_CHECK;
struct dump_expr_type dump_expr_type_pointer(const struct dump_expr_type *to);
/* True: it is past typedefs something else than a pointer, and here it is. */
bool dump_expr_type_resolve(const struct dump_expr_type *type, struct btf_type *ret) MUST_CHECK;
/* DUMP_EXPR_NO_TYPE: void, functions and declarations have none. */
struct error *dump_expr_type_size(const struct dump_expr_type *type, uint64_t *ret) MUST_CHECK;
void dump_expr_type_format(const struct dump_expr_type *type, struct strbuf *out);
/* The id of such a pointer in BTF, or of void *; 0: there is neither. */
uint32_t dump_expr_type_pointer_id(const struct dump_expr_type *type);

/* What expressions are worth: names, places in memory and numbers, each with a type. */
enum dump_expr_form {
	DUMP_EXPR_IS_PLACE,   /* bytes at an address */
	DUMP_EXPR_IS_NUMBER,  /* a pointer, too */
	DUMP_EXPR_IS_UNTYPED, /* a symbol whose type nobody says: a cast or & makes something of it
			       */
};

struct dump_expr_value {
	enum dump_expr_form form;
	struct dump_expr_type type;
	uint64_t number;
	uint64_t address;		/* of a place, as pointers to it have it */
	const struct dump_arena *arena; /* in which the place is; NULL: the kernel's own memory */
	const struct dump_globals *program; /* whose pointers may lead into its arena; NULL: none */
	uint32_t bits, bit_offset;	    /* of a bit field, else 0 */
	const struct dump_expr_node *null;  /* the pointer that leads to the place, if it is NULL */
};

struct dump_expr_program_types {
	uint64_t address; /* of struct btf */
	struct kmem_btf *btf;
};

/* What names can mean. Programs are looked for when a name asks for them. */
struct dump_expr_scope {
	struct kmem *kmem;
	int64_t cpu; /* CPU of per-CPU variables without an index; -1: none */
	bool has_programs;
	struct error *no_programs;
	struct dump_globals_scene programs;
	VEC(struct dump_expr_program_types) types;
};

/* KMEM_NO_FIELD: a kernel without types. */
struct error *dump_expr_scope_init(struct dump_expr_scope *scope, struct kmem *kmem) MUST_CHECK;
void dump_expr_scope_deinit(struct dump_expr_scope *scope);
#define _cleanup_dump_expr_scope_ _cleanup_(dump_expr_scope_deinit)

/* A symbol of the kernel, a variable of a BPF program or a name of an enum, in this order. */
struct error *dump_expr_name_find(struct dump_expr_scope *scope, const char *name,
				  struct dump_expr_value *ret) MUST_CHECK;
struct error *dump_expr_name_bpf(struct dump_expr_scope *scope, const char *name,
				 struct dump_expr_value *ret) MUST_CHECK;
/* "obj.bss.member.member": *ret_rest is ".member.member". */
struct error *dump_expr_name_map(struct dump_expr_scope *scope, const char *text,
				 struct dump_expr_value *ret, const char **ret_rest) MUST_CHECK;
bool dump_expr_name_is_percpu(struct dump_expr_scope *scope, const char *name);
/* A type of the kernel's or of a program's; that of `near` first, if it is not NULL. */
struct error *dump_expr_name_type(struct dump_expr_scope *scope, const struct btf *near,
				  const char *text, size_t n,
				  struct dump_expr_type *ret) MUST_CHECK;
/* The arena that the pointer leads into; NULL: none. */
const struct dump_arena *dump_expr_name_arena(struct dump_expr_scope *scope,
					      const struct dump_globals *program, uint64_t pointer);

/* The value of a node. Nothing is read but pointers that are followed and indexes. */
struct error *dump_expr_eval(struct dump_expr_scope *scope, const struct dump_expr *expr,
			     uint8_t node, struct dump_expr_value *ret) MUST_CHECK;
/* The number in a place, extended by its sign; that of a pointer. DUMP_EXPR_SYNTAX for structs. */
struct error *dump_expr_load(struct dump_expr_scope *scope, const struct dump_expr_value *value,
			     uint64_t *ret) MUST_CHECK;
/* Where the bytes of a place are in the kernel's addresses. */
uint64_t dump_expr_kernel_address(const struct dump_expr_value *value);
/* How to cast what has no type. */
struct error *dump_expr_no_type(const struct dump_expr_node *node) MUST_CHECK;
/* A NULL before a place. */
struct error *dump_expr_check_null(const struct dump_expr_value *value) MUST_CHECK;

#endif
