/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Type information of a kernel, a module or a BPF program, little-endian BTF version 1, from
 * bytes that nobody vouches for. Parsing walks every type once and checks that names and records
 * lie inside; what types refer to is checked when it is followed (layout.h, path.h).
 *
 * Ids count from 1 in the order of the file; 0 is void. Split BTF goes on where its base ends.
 * Texts are borrowed from the bytes.
 */
#ifndef KTSTR_BTF_BTF_H
#define KTSTR_BTF_BTF_H

#include "base/bytes.h"
#include "base/error.h"

#define BTF_ERRORS(X)                                                                             \
	X(BTF_NOT_BTF, "not-btf", "the bytes are not BTF")                                        \
	X(BTF_MALFORMED, "btf-malformed", "the type information contradicts itself")              \
	X(BTF_UNKNOWN_KIND, "btf-unknown-kind", "a kind of type that is newer than this program") \
	X(BTF_NOT_FOUND, "btf-not-found", "no type of that name")                                 \
	X(BTF_FORWARD_ONLY, "btf-forward-only", "the type is only a forward declaration")         \
	X(BTF_NO_MEMBER, "btf-no-member", "the type has no such member")                          \
	X(BTF_BAD_PATH, "btf-bad-path", "the path cannot be followed")
DECLARE_ERROR_DOMAIN(btf, BTF, BTF_ERRORS);

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
/*
 * Split BTF, of a module or of a program: its ids and strings go on where those of `base` end.
 * Borrows `base` too. With a base of NULL it is btf_parse().
 */
struct error *btf_parse_split(struct bytes in, const struct btf *base, const char *label,
			      struct btf **ret) MUST_CHECK;
void btf_free(struct btf *btf);
DEFINE_CLEANUP(btf, struct btf *, NULL, btf_free);
#define _cleanup_btf_ _cleanup_(cleanup_btf)

/* Without void, with the base: ids run from 1 to this number. */
uint32_t btf_n_types(const struct btf *btf);
/* 1 unless this is split BTF. */
uint32_t btf_first_own(const struct btf *btf);
const char *btf_label(const struct btf *btf);
/* NULL when the offset lies outside the strings. */
const char *btf_string(const struct btf *btf, uint32_t offset);
/* False for void and for ids that do not exist. */
bool btf_type(const struct btf *btf, uint32_t id, struct btf_type *ret) MUST_CHECK;
/*
 * The next type of that kind after id `after` (0 to begin) whose name starts with `prefix`;
 * false at the end. Looks at every type: for listings.
 */
bool btf_next(const struct btf *btf, enum btf_kind kind, const char *prefix, uint32_t after,
	      struct btf_type *ret) MUST_CHECK;

/*
 * By the index of names. Own types come before those of the base: a module may have a struct of
 * its own under a name that the kernel uses as well, and a search in the module means that one.
 * Within each in the order of ids. The first of that kind and exactly that name.
 */
bool btf_find(const struct btf *btf, enum btf_kind kind, const char *name,
	      struct btf_type *ret) MUST_CHECK;
/* Every type of that name, whatever its kind: *at is 0 to begin. False at the end. */
bool btf_next_named(const struct btf *btf, const char *name, uint32_t *at,
		    struct btf_type *ret) MUST_CHECK;

/* A struct (or, with kind BTF_UNION, a union) that is absent and one without a body differ. */
enum btf_body {
	BTF_BODY_NONE,	  /* nothing of that name */
	BTF_BODY_FORWARD, /* only a forward declaration: *ret is that */
	BTF_BODY_FULL,
};
enum btf_body btf_find_body(const struct btf *btf, enum btf_kind kind, const char *name,
			    struct btf_type *ret) MUST_CHECK;

/* The prototype behind a BTF_FUNC; anything else there is BTF_MALFORMED. */
struct error *btf_func_proto(const struct btf *btf, const struct btf_type *func,
			     struct btf_type *ret) MUST_CHECK;
/* Parameter `index` < proto->n. A name outside the strings is BTF_MALFORMED. */
struct error *btf_proto_param(const struct btf *btf, const struct btf_type *proto, uint32_t index,
			      struct btf_param *ret) MUST_CHECK;

#endif
