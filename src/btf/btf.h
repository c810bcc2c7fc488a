/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Type information of a kernel, little-endian BTF version 1, from bytes that nobody vouches
 * for. Parsing walks every type once and checks that names and records lie inside; what types
 * refer to is checked when it is followed.
 *
 * Ids count from 1 in the order of the file; 0 is void. Texts are borrowed from the bytes.
 */
#ifndef KTSTR_BTF_BTF_H
#define KTSTR_BTF_BTF_H

#include "base/bytes.h"
#include "base/error.h"
#include "btf/error.h"

/* The numbers are those of the format (Linux, include/uapi/linux/btf.h). */
enum btf_kind {
	BTF_INT = 1,
	BTF_PTR = 2,
	BTF_ARRAY = 3,
	BTF_STRUCT = 4,
	BTF_UNION = 5,
	BTF_ENUM = 6,
	BTF_FWD = 7,
	BTF_TYPEDEF = 8,
	BTF_VOLATILE = 9,
	BTF_CONST = 10,
	BTF_RESTRICT = 11,
	BTF_FUNC = 12,
	BTF_FUNC_PROTO = 13,
	BTF_VAR = 14,
	BTF_DATASEC = 15,
	BTF_FLOAT = 16,
	BTF_DECL_TAG = 17,
	BTF_TYPE_TAG = 18,
	BTF_ENUM64 = 19,
	BTF_N_KINDS,
};

struct btf;

struct btf_type {
	uint32_t id;
	enum btf_kind kind;
	const char *name; /* "" when it has none */
	bool flag;	  /* the kind's own: bit fields, signed, union */
	uint32_t n;	  /* members, parameters, values */
	uint32_t size_or_type;
	struct bytes tail; /* what follows the common part */
};

struct btf_param {
	const char *name; /* "" when it has none */
	uint32_t type;
};

/* Borrows the bytes: they must outlive *ret. `label` names them in messages. */
struct error *btf_parse(struct bytes in, const char *label, struct btf **ret) MUST_CHECK;
void btf_free(struct btf *btf);
DEFINE_CLEANUP(btf, struct btf *, NULL, btf_free);
#define _cleanup_btf_ _cleanup_(cleanup_btf)

/* Without void: ids run from 1 to this number. */
uint32_t btf_n_types(const struct btf *btf);
/* False for void and for ids that do not exist. */
bool btf_type(const struct btf *btf, uint32_t id, struct btf_type *ret) MUST_CHECK;
/*
 * The next type of that kind after id `after` (0 to begin) whose name starts with `prefix`;
 * false at the end.
 */
bool btf_next(const struct btf *btf, enum btf_kind kind, const char *prefix, uint32_t after,
	      struct btf_type *ret) MUST_CHECK;
/* The first of that kind and exactly that name. */
bool btf_find(const struct btf *btf, enum btf_kind kind, const char *name,
	      struct btf_type *ret) MUST_CHECK;

/* The prototype behind a BTF_FUNC; anything else there is BTF_MALFORMED. */
struct error *btf_func_proto(const struct btf *btf, const struct btf_type *func,
			     struct btf_type *ret) MUST_CHECK;
/* Parameter `index` < proto->n. A name outside the strings is BTF_MALFORMED. */
struct error *btf_proto_param(const struct btf *btf, const struct btf_type *proto, uint32_t index,
			      struct btf_param *ret) MUST_CHECK;

#endif
