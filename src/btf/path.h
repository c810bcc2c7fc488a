/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From "scx.local_dsq.nr" or "mem[0].base" to bytes: where it lies, how wide it is and what it is.
 * Members of structs and unions without a name count as their parent's, as in C.
 *
 * An error names the component that is missing, the type that lacks it and the names nearest to
 * it. "There is no such type", "only a forward declaration" and "no such member" differ.
 */
#ifndef KTSTR_BTF_PATH_H
#define KTSTR_BTF_PATH_H

#include "btf/layout.h"

struct btf_place {
	uint32_t type;	     /* as declared: modifiers are kept */
	uint64_t offset;     /* bytes from the start; for a bit field of its first byte */
	uint64_t size;	     /* bytes; of a bit field those it touches; 0 when its type has none */
	uint32_t bit_offset; /* of a bit field in the first byte: 0 … 7 */
	uint32_t bits;	     /* of a bit field, else 0 */
};

/* From a type that is known. The path must not be empty, nor lead through a pointer. */
struct error *btf_path(const struct btf *btf, uint32_t root, const char *path,
		       struct btf_place *ret) MUST_CHECK;
/*
 * From a type by its name: "rq", "struct rq", "union x" or a typedef. When several types have the
 * name, the first in which the path can be followed counts (struct bucket of bpf and of bcache).
 * Alternatives are separated by "|"; the first that exists wins:
 * "mem[0].base|core_layout.base".
 */
struct error *btf_field(const struct btf *btf, const char *type, const char *paths,
			struct btf_place *ret) MUST_CHECK;

/*
 * A struct, union or typedef by name, with its body. BTF_FORWARD_ONLY or BTF_NOT_FOUND with
 * suggestions. `name` as above.
 */
struct error *btf_require(const struct btf *btf, const char *name, struct btf_type *ret) MUST_CHECK;

#endif
