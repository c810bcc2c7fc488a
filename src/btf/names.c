// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/table.h"

#include "base/alloc.h"
#include "btf/limits.h"

/*
 * Eight bytes at a time: a kernel has 60,000 names and attaching waits for them. Who sends us
 * names that collide makes searches slow, up to BTF_LIMIT_CHAIN, and nothing else.
 */
static uint32_t hash_name(const char *name)
{
	const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
	size_t n = strlen(name);
	uint64_t hash = n * odd, word;

	for (; n >= sizeof(word); n -= sizeof(word), name += sizeof(word)) {
		memcpy(&word, name, sizeof(word));
		hash = (hash ^ word) * odd;
		hash ^= hash >> 32;
	}
	word = 0;
	memcpy(&word, name, n);
	hash = (hash ^ word) * odd;
	return (uint32_t)(hash >> 32);
}

static const char *own_name(const struct btf *btf, uint32_t nth)
{
	struct cursor c = cursor_over(btf->types);

	cursor_seek(&c, btf->offsets[nth]);
	return btf_string(btf, cursor_u32(&c));
}

struct error *btf_index_names(struct btf *btf)
{
	void *heads = NULL, *nexts = NULL;
	uint32_t slots = 16;
	struct error *err;

	while (slots < btf->n)
		slots *= 2;
	err = alloc_checked(slots, sizeof(*btf->heads), BTF_LIMIT_BYTES, "the index of names",
			    &heads);
	if (err)
		return error_wrap(err, "%s", btf->label);
	btf->heads = heads;
	btf->mask = slots - 1;
	err = alloc_checked((uint64_t)btf->n + 1, sizeof(*btf->nexts), BTF_LIMIT_BYTES,
			    "the index of names", &nexts);
	if (err)
		return error_wrap(err, "%s", btf->label);
	btf->nexts = nexts;
	/* From the last to the first, so that chains run in the order of ids. */
	for (uint32_t i = btf->n; i > 0; i--) {
		const char *name = own_name(btf, i - 1);
		uint32_t *head;

		if (!name || !name[0])
			continue;
		head = &btf->heads[hash_name(name) & btf->mask];
		btf->nexts[i] = *head;
		*head = i;
	}
	return NULL;
}

/* Among own types, after own type `after` (counted from 1, 0 to begin); 0 when there is none. */
static uint32_t next_own(const struct btf *btf, const char *name, uint32_t after)
{
	uint32_t i = after ? btf->nexts[after] : btf->heads[hash_name(name) & btf->mask];

	for (uint32_t steps = 0; i && steps < BTF_LIMIT_CHAIN; steps++, i = btf->nexts[i]) {
		const char *candidate = own_name(btf, i - 1);

		if (candidate && strcmp(candidate, name) == 0)
			return i;
	}
	return 0;
}

bool btf_next_named(const struct btf *btf, const char *name, uint32_t *at, struct btf_type *ret)
{
	const struct btf *here = btf;
	uint32_t found = 0;

	if (!name[0])
		return false;
	/* Go on in the part that held the last one. */
	while (*at && here && *at < here->first)
		here = here->base;
	if (!here || *at >= here->first + here->n)
		return false;
	found = next_own(here, name, *at ? *at - here->first + 1 : 0);
	while (!found && here->base) {
		here = here->base;
		found = next_own(here, name, 0);
	}
	if (!found || !btf_type(here, here->first + found - 1, ret))
		return false;
	*at = ret->id;
	return true;
}

bool btf_find(const struct btf *btf, enum btf_kind kind, const char *name, struct btf_type *ret)
{
	struct btf_type type;
	uint32_t at = 0;

	for (int steps = 0; steps < BTF_LIMIT_CHAIN && btf_next_named(btf, name, &at, &type);
	     steps++) {
		if (type.kind == kind) {
			*ret = type;
			return true;
		}
	}
	return false;
}

enum btf_body btf_find_body(const struct btf *btf, enum btf_kind kind, const char *name,
			    struct btf_type *ret)
{
	enum btf_body body = BTF_BODY_NONE;
	struct btf_type type;
	uint32_t at = 0;

	for (int steps = 0; steps < BTF_LIMIT_CHAIN && btf_next_named(btf, name, &at, &type);
	     steps++) {
		if (type.kind == kind) {
			*ret = type;
			return BTF_BODY_FULL;
		}
		/* The flag of a forward declaration says that it is a union. */
		if (type.kind == BTF_FWD && type.flag == (kind == BTF_UNION) &&
		    body == BTF_BODY_NONE) {
			*ret = type;
			body = BTF_BODY_FORWARD;
		}
	}
	return body;
}
