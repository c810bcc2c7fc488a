/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Members by name, through structs and unions that have no name of their own. */
#ifndef KTSTR_BTF_MEMBER_H
#define KTSTR_BTF_MEMBER_H

#include "btf/layout.h"

/* False ends the walk. The offset counts from the outermost struct. */
typedef bool (*btf_member_fn)(void *context, const struct btf_member *member);

/* Every member with a name, in the order of the declaration. Nothing for other kinds of types. */
void btf_each_member(const struct btf *btf, const struct btf_type *type, btf_member_fn fn,
		     void *context);
/* The first of that name, `n` bytes long; its offset counts from the start of `type`. */
bool btf_find_member(const struct btf *btf, const struct btf_type *type, const char *name, size_t n,
		     struct btf_member *ret) MUST_CHECK;

#endif
