// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/btf.h"

#include "base/alloc.h"
#include "btf/limits.h"

DEFINE_ERROR_DOMAIN(btf, BTF, BTF_ERRORS);

struct btf {
	const struct btf *base; /* NULL: not split BTF */
	struct bytes types;
	struct bytes strings;
	char *label;
	uint32_t first; /* id of the first own type */
	uint32_t n;	/* own types */
	/* Offsets of strings below this one lie in the base. */
	uint32_t first_string;
	/* Where type `first + i` begins. */
	uint32_t *offsets;
	/*
	 * Names: heads[hash & mask] begins a chain through `nexts`, in the order of ids. Both hold
	 * own types counted from 1; 0 ends a chain.
	 */
	uint32_t *heads;
	uint32_t *nexts;
	uint32_t mask;
};

#define BTF_MAGIC 0xeb9f
/* Of the common part of every type; of a parameter, of the header as first published. */
enum { COMMON_BYTES = 12, PARAM_BYTES = 8, HEADER_BYTES = 24 };

/* What follows the common part: `fixed` bytes once and `each` bytes n times. */
static const struct {
	uint8_t fixed;
	uint8_t each;
} tails[BTF_N_KINDS] = {
	[BTF_INT] = { 4, 0 },	  [BTF_ARRAY] = { 12, 0 },   [BTF_STRUCT] = { 0, 12 },
	[BTF_UNION] = { 0, 12 },  [BTF_ENUM] = { 0, 8 },     [BTF_FUNC_PROTO] = { 0, PARAM_BYTES },
	[BTF_VAR] = { 4, 0 },	  [BTF_DATASEC] = { 0, 12 }, [BTF_DECL_TAG] = { 4, 0 },
	[BTF_ENUM64] = { 0, 12 },
};

const char *btf_string(const struct btf *btf, uint32_t offset)
{
	while (btf->base && offset < btf->first_string)
		btf = btf->base;
	offset -= btf->first_string;
	/* The last byte is NUL, so whatever starts inside also ends inside. */
	return offset < btf->strings.n ? (const char *)btf->strings.at + offset : NULL;
}

static struct error *malformed(const struct btf *btf, uint32_t id, const char *what)
{
	return btf_error(BTF_MALFORMED, 0, "%s: type %u: %s", btf->label, id, what);
}

static struct error *read_type(const struct btf *btf, struct cursor *c, uint32_t id,
			       struct btf_type *ret)
{
	uint32_t name = cursor_u32(c), info = cursor_u32(c);
	struct btf_type type = {
		.id = id,
		.kind = info >> 24 & 0x1f,
		.name = btf_string(btf, name),
		.flag = info >> 31,
		.n = info & 0xffff,
		.size_or_type = cursor_u32(c),
	};

	if (c->failed)
		return malformed(btf, id, "the section ends inside it");
	if (type.kind == 0 || type.kind >= BTF_N_KINDS || (info & 0x60ff0000))
		return btf_error(BTF_UNKNOWN_KIND, 0, "%s: type %u has the form %#x", btf->label,
				 id, info);
	if (!type.name)
		return malformed(btf, id, "its name is outside the strings");
	type.tail.n = tails[type.kind].fixed + (size_t)tails[type.kind].each * type.n;
	type.tail.at = cursor_take(c, type.tail.n);
	if (!type.tail.at)
		return malformed(btf, id, "the section ends inside it");
	*ret = type;
	return NULL;
}

static struct error *index_types(struct btf *btf)
{
	struct cursor c = cursor_over(btf->types);
	/* No type is smaller than its common part. */
	uint64_t most = btf->types.n / COMMON_BYTES;
	uint64_t room = BTF_LIMIT_TYPES - (btf->first - 1);
	struct btf_type type;
	void *offsets = NULL;
	struct error *err;

	if (most > room)
		most = room;
	err = alloc_checked(most + 1, sizeof(*btf->offsets), BTF_LIMIT_BYTES, "the index of types",
			    &offsets);
	if (err)
		return error_wrap(err, "%s", btf->label);
	btf->offsets = offsets;
	while (cursor_left(&c)) {
		uint32_t id = btf->first + btf->n;

		if (btf->n == room)
			return base_error(BASE_LIMIT, 0, "%s: more than %u types", btf->label,
					  BTF_LIMIT_TYPES);
		if (btf->n == most)
			return malformed(btf, id, "the section ends inside it");
		btf->offsets[btf->n] = (uint32_t)c.offset;
		err = read_type(btf, &c, id, &type);
		if (err)
			return err;
		btf->n++;
	}
	return NULL;
}

static bool part_of(struct bytes body, uint32_t offset, uint32_t n, struct bytes *ret)
{
	if (offset > body.n || n > body.n - offset)
		return false;
	*ret = (struct bytes){ body.at + offset, n };
	return true;
}

static struct error *read_header(struct btf *btf, struct bytes in)
{
	struct cursor c = cursor_over(in);
	uint32_t header_n, type_off, type_n, string_off, string_n;
	struct bytes body;

	if (cursor_u16(&c) != BTF_MAGIC)
		return btf_error(BTF_NOT_BTF, 0, "%s does not begin like BTF", btf->label);
	if (cursor_u8(&c) != 1)
		return btf_error(BTF_NOT_BTF, 0, "%s is BTF of another version than 1", btf->label);
	cursor_u8(&c); /* flags: none are defined */
	header_n = cursor_u32(&c);
	type_off = cursor_u32(&c);
	type_n = cursor_u32(&c);
	string_off = cursor_u32(&c);
	string_n = cursor_u32(&c);
	if (c.failed || header_n < HEADER_BYTES || header_n > in.n)
		return btf_error(BTF_MALFORMED, 0, "%s: the header does not fit", btf->label);
	body = (struct bytes){ in.at + header_n, in.n - header_n };
	if (!part_of(body, type_off, type_n, &btf->types) ||
	    !part_of(body, string_off, string_n, &btf->strings))
		return btf_error(BTF_MALFORMED, 0, "%s: a section is outside the bytes",
				 btf->label);
	/* Split BTF may have no strings: the base has the empty one. */
	if (string_n == 0 && btf->base)
		return NULL;
	if (string_n == 0 || btf->strings.at[string_n - 1] != 0 ||
	    (!btf->base && btf->strings.at[0] != 0))
		return btf_error(BTF_MALFORMED, 0,
				 "%s: the strings do not begin and end with a NUL", btf->label);
	return NULL;
}

/*
 * Eight bytes at a time: a kernel has 60,000 names and attaching waits for them. Hostile
 * names that collide make searches slow, up to BTF_LIMIT_CHAIN, and nothing else.
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

static struct error *index_names(struct btf *btf)
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

static struct error *stand_on(struct btf *btf, const struct btf *base)
{
	unsigned int bases = 1;

	btf->base = base;
	btf->first = base->first + base->n;
	btf->first_string = base->first_string + (uint32_t)base->strings.n;
	for (; base->base; base = base->base)
		bases++;
	if (bases > BTF_LIMIT_BASES)
		return base_error(BASE_LIMIT, 0, "%s: more than %d levels of split BTF", btf->label,
				  BTF_LIMIT_BASES);
	/* Each part is at most BTF_LIMIT_BYTES, so the sum of their strings fits. */
	_Static_assert((uint64_t)(BTF_LIMIT_BASES + 1) * BTF_LIMIT_BYTES < UINT32_MAX,
		       "offsets of strings");
	return NULL;
}

struct error *btf_parse_split(struct bytes in, const struct btf *base, const char *label,
			      struct btf **ret)
{
	_cleanup_btf_ struct btf *btf = NULL;
	struct error *err = NULL;

	if (in.n > BTF_LIMIT_BYTES)
		return base_error(BASE_LIMIT, 0, "%s has %zu bytes, more than %d", label, in.n,
				  BTF_LIMIT_BYTES);
	btf = xnew(struct btf);
	btf->label = xstrdup(label);
	btf->first = 1;
	if (base)
		err = stand_on(btf, base);
	if (!err)
		err = read_header(btf, in);
	if (!err)
		err = index_types(btf);
	if (!err)
		err = index_names(btf);
	if (err)
		return err;
	*ret = take_ptr(btf);
	return NULL;
}

struct error *btf_parse(struct bytes in, const char *label, struct btf **ret)
{
	return btf_parse_split(in, NULL, label, ret);
}

void btf_free(struct btf *btf)
{
	if (!btf)
		return;
	free(btf->label);
	free(btf->offsets);
	free(btf->heads);
	free(btf->nexts);
	free(btf);
}

uint32_t btf_n_types(const struct btf *btf)
{
	return btf->first + btf->n - 1;
}

uint32_t btf_first_own(const struct btf *btf)
{
	return btf->first;
}

const char *btf_label(const struct btf *btf)
{
	return btf->label;
}

bool btf_type(const struct btf *btf, uint32_t id, struct btf_type *ret)
{
	_cleanup_error_ struct error *err = NULL;
	struct cursor c;

	while (btf->base && id < btf->first)
		btf = btf->base;
	if (id == 0 || id - btf->first >= btf->n)
		return false;
	c = cursor_over(btf->types);
	cursor_seek(&c, btf->offsets[id - btf->first]);
	/* It was read once before, when the index was made. */
	err = read_type(btf, &c, id, ret);
	return !err;
}

bool btf_next(const struct btf *btf, enum btf_kind kind, const char *prefix, uint32_t after,
	      struct btf_type *ret)
{
	size_t n = strlen(prefix);
	struct btf_type type;

	while (after < btf_n_types(btf)) {
		if (!btf_type(btf, ++after, &type))
			return false;
		if (type.kind == kind && strncmp(type.name, prefix, n) == 0) {
			*ret = type;
			return true;
		}
	}
	return false;
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

struct error *btf_func_proto(const struct btf *btf, const struct btf_type *func,
			     struct btf_type *ret)
{
	struct btf_type proto;

	if (func->kind != BTF_FUNC)
		return malformed(btf, func->id, "it is not a function");
	if (!btf_type(btf, func->size_or_type, &proto) || proto.kind != BTF_FUNC_PROTO)
		return malformed(btf, func->id, "a function without a prototype");
	*ret = proto;
	return NULL;
}

struct error *btf_proto_param(const struct btf *btf, const struct btf_type *proto, uint32_t index,
			      struct btf_param *ret)
{
	struct cursor c = cursor_over(proto->tail);
	struct btf_param param;

	if (proto->kind != BTF_FUNC_PROTO || index >= proto->n)
		return malformed(btf, proto->id, "it has no such parameter");
	cursor_seek(&c, (uint64_t)index * PARAM_BYTES);
	param.name = btf_string(btf, cursor_u32(&c));
	param.type = cursor_u32(&c);
	if (c.failed || !param.name)
		return malformed(btf, proto->id, "a parameter's name is outside the strings");
	*ret = param;
	return NULL;
}
