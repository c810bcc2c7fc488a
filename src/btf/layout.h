/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What lies where in a type: sizes, members, elements, names of values. Whatever a type refers to
 * is followed within the limits of the room; a chain that does not end is an answer of its own.
 */
#ifndef KTSTR_BTF_LAYOUT_H
#define KTSTR_BTF_LAYOUT_H

#include "base/strbuf.h"
#include "btf/btf.h"

/* Why a type cannot be followed or has no size. The texts stand in messages after its name. */
#define BTF_ANSWERS(X)                                               \
	X(BTF_ANSWER_OK, "is fine")                                  \
	X(BTF_ANSWER_VOID, "is void")                                \
	X(BTF_ANSWER_FORWARD, "is a forward declaration, no body")   \
	X(BTF_ANSWER_FUNCTION, "is a function")                      \
	X(BTF_ANSWER_NO_TYPE, "is an id that does not exist")        \
	X(BTF_ANSWER_TOO_DEEP, "leads through too many other types") \
	X(BTF_ANSWER_TOO_LARGE, "is larger than any address")
#define BTF_ANSWER_ENUM_(id, text) id,
enum btf_answer { BTF_ANSWERS(BTF_ANSWER_ENUM_) BTF_N_ANSWERS };
const char *btf_answer_text(enum btf_answer answer);

/* Past typedef, const, volatile, restrict and tags, to what the type is made of. */
enum btf_answer btf_resolve(const struct btf *btf, uint32_t id, struct btf_type *ret) MUST_CHECK;
/* In bytes. Pointers have 8: only kernels of 64 bits are looked at. Flexible arrays have 0. */
enum btf_answer btf_size(const struct btf *btf, uint32_t id, uint64_t *ret) MUST_CHECK;

struct btf_int {
	uint32_t bytes;
	uint32_t bits;	     /* of the value, counted from `bit_offset` */
	uint32_t bit_offset; /* not 0 in bit fields of old compilers only */
	bool is_signed;
	bool is_char;
	bool is_bool;
};

struct btf_array {
	uint32_t element;
	uint32_t index;
	uint32_t n; /* 0: flexible */
};

struct btf_member {
	const char *name; /* "" for a struct or union whose members count as the parent's */
	uint32_t type;
	uint64_t bit_offset; /* from the start of the struct */
	uint32_t bits;	     /* of a bit field, else 0 */
};

/* All false when the type is of another kind, the index is too large or a name lies outside. */
bool btf_get_int(const struct btf_type *type, struct btf_int *ret) MUST_CHECK;
bool btf_get_array(const struct btf_type *type, struct btf_array *ret) MUST_CHECK;
/* Of a struct or union. Bit fields of both forms, that of kind_flag and the older one. */
bool btf_get_member(const struct btf *btf, const struct btf_type *type, uint32_t index,
		    struct btf_member *ret) MUST_CHECK;

static inline bool btf_is_composite(const struct btf_type *type)
{
	return type->kind == BTF_STRUCT || type->kind == BTF_UNION;
}

struct btf_enumerator {
	const char *name;
	uint64_t value; /* extended to 64 bits by its sign where the enum has one */
};

static inline bool btf_is_enum(const struct btf_type *type)
{
	return type->kind == BTF_ENUM || type->kind == BTF_ENUM64;
}

/* Of an enum of 32 or 64 bits. */
bool btf_get_enumerator(const struct btf *btf, const struct btf_type *type, uint32_t index,
			struct btf_enumerator *ret) MUST_CHECK;
/* The first name of a value of which the low `bits` are known; NULL when it has none. */
const char *btf_enum_name(const struct btf *btf, const struct btf_type *type, uint64_t value,
			  uint32_t bits);
bool btf_enum_value(const struct btf *btf, const struct btf_type *type, const char *name,
		    uint64_t *ret) MUST_CHECK;
/* A value by its name alone, in any enum, named or not: SCX_EXIT_ERROR. Looks at every type. */
bool btf_find_enumerator(const struct btf *btf, const char *name, struct btf_type *ret_enum,
			 uint64_t *ret_value) MUST_CHECK;

struct btf_variable {
	const char *name;
	uint32_t id;	 /* of the variable */
	uint32_t type;	 /* of its value */
	uint32_t offset; /* in the section */
	uint32_t bytes;
};

/* Variable `index` of a BTF_DATASEC: ".bss", ".data..percpu". */
bool btf_get_variable(const struct btf *btf, const struct btf_type *section, uint32_t index,
		      struct btf_variable *ret) MUST_CHECK;
bool btf_find_variable(const struct btf *btf, const struct btf_type *section, const char *name,
		       struct btf_variable *ret) MUST_CHECK;

/* As C would say it: "struct rq *", "const char[16]", "enum scx_exit_kind", "struct {…}". */
void btf_type_format(const struct btf *btf, uint32_t id, struct strbuf *out);

/* Members by name, through structs and unions that have no name of their own. */
/* False ends the walk. The offset counts from the outermost struct. */
typedef bool (*btf_member_fn)(void *context, const struct btf_member *member);

/* Every member with a name, in the order of the declaration. Nothing for other kinds of types. */
void btf_each_member(const struct btf *btf, const struct btf_type *type, btf_member_fn fn,
		     void *context);
/* The first of that name, `n` bytes long; its offset counts from the start of `type`. */
bool btf_find_member(const struct btf *btf, const struct btf_type *type, const char *name, size_t n,
		     struct btf_member *ret) MUST_CHECK;

#endif
