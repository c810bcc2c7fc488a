// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/layout.h"

#include "btf/limits.h"

/* Depth first through structs without a name; `left` bounds structs that hold themselves. */
static bool each_member(const struct btf *btf, const struct btf_type *type, uint64_t bit_offset,
			unsigned int depth, uint32_t *left, btf_member_fn fn, void *context)
{
	struct btf_member member;
	struct btf_type inner;

	for (uint32_t i = 0; i < type->n && *left > 0; i++) {
		--*left;
		if (!btf_get_member(btf, type, i, &member))
			continue;
		member.bit_offset += bit_offset;
		if (member.name[0]) {
			if (!fn(context, &member))
				return false;
		} else if (depth < BTF_LIMIT_NESTING &&
			   btf_resolve(btf, member.type, &inner) == BTF_ANSWER_OK &&
			   btf_is_composite(&inner)) {
			if (!each_member(btf, &inner, member.bit_offset, depth + 1, left, fn,
					 context))
				return false;
		}
	}
	return true;
}

void btf_each_member(const struct btf *btf, const struct btf_type *type, btf_member_fn fn,
		     void *context)
{
	uint32_t left = BTF_LIMIT_MEMBERS_SEEN;

	if (btf_is_composite(type))
		each_member(btf, type, 0, 0, &left, fn, context);
}

struct search {
	const char *name;
	size_t n;
	struct btf_member found;
	bool is_found;
};

static bool same_name(void *context, const struct btf_member *member)
{
	struct search *s = context;

	if (strncmp(member->name, s->name, s->n) != 0 || member->name[s->n])
		return true;
	s->found = *member;
	s->is_found = true;
	return false;
}

bool btf_find_member(const struct btf *btf, const struct btf_type *type, const char *name, size_t n,
		     struct btf_member *ret)
{
	struct search s = { .name = name, .n = n };

	btf_each_member(btf, type, same_name, &s);
	if (s.is_found)
		*ret = s.found;
	return s.is_found;
}
