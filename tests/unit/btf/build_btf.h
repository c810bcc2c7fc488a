/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BTF written by hand, byte by byte, for tests and for the corpora of fuzzers. */
#ifndef KTSTR_TESTS_BUILD_BTF_H
#define KTSTR_TESTS_BUILD_BTF_H

#include <string.h>

#include "base/bytes.h"
#include "base/strbuf.h"

struct build_btf {
	struct strbuf types;
	struct strbuf strings;
	uint32_t n;
	/* Of split BTF: what the base has. 0 otherwise. */
	uint32_t base_n;
	uint32_t base_string_bytes;
};

struct build_member {
	const char *name;
	uint32_t type;
	uint32_t bit_offset;
	uint32_t bits;
};

struct build_value {
	const char *name;
	uint64_t value;
};

static inline void build_u32(struct strbuf *s, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		strbuf_append_char(s, (char)(value >> (8 * i)));
}

static inline uint32_t build_btf_string(struct build_btf *b, const char *text)
{
	uint32_t at;

	if (b->strings.n == 0 && !b->base_string_bytes)
		strbuf_append_char(&b->strings, 0);
	if (!text[0])
		return 0;
	at = b->base_string_bytes + (uint32_t)b->strings.n;
	strbuf_append_bytes(&b->strings, text, strlen(text) + 1);
	return at;
}

/* The common part; the caller appends what the kind needs. Returns the id. */
static inline uint32_t build_btf_type(struct build_btf *b, const char *name, uint32_t kind,
				      uint32_t n, uint32_t size_or_type)
{
	uint32_t at = build_btf_string(b, name);

	build_u32(&b->types, at);
	build_u32(&b->types, kind << 24 | n);
	build_u32(&b->types, size_or_type);
	return b->base_n + ++b->n;
}

static inline uint32_t build_btf_int(struct build_btf *b, const char *name, uint32_t bytes,
				     uint32_t encoding)
{
	uint32_t id = build_btf_type(b, name, 1, 0, bytes);

	build_u32(&b->types, encoding << 24 | bytes * 8);
	return id;
}

static inline uint32_t build_btf_array(struct build_btf *b, uint32_t element, uint32_t n)
{
	uint32_t id = build_btf_type(b, "", 3, 0, 0);

	build_u32(&b->types, element);
	build_u32(&b->types, 1);
	build_u32(&b->types, n);
	return id;
}

/* A struct (kind 4) or union (5); with bit fields when a member has bits. */
static inline uint32_t build_btf_struct(struct build_btf *b, uint32_t kind, const char *name,
					uint32_t bytes, const struct build_member *members,
					uint32_t n)
{
	uint32_t flag = 0, id;

	for (uint32_t i = 0; i < n; i++) {
		if (members[i].bits)
			flag = 1;
	}
	id = build_btf_type(b, name, flag << 7 | kind, n, bytes);
	for (uint32_t i = 0; i < n; i++) {
		build_u32(&b->types, build_btf_string(b, members[i].name));
		build_u32(&b->types, members[i].type);
		build_u32(&b->types, members[i].bits << 24 | members[i].bit_offset);
	}
	return id;
}

#define BUILD_STRUCT(b, name, bytes, ...)                                                 \
	build_btf_struct(b, 4, name, bytes, (const struct build_member[]){ __VA_ARGS__ }, \
			 sizeof((const struct build_member[]){ __VA_ARGS__ }) /           \
				 sizeof(struct build_member))
#define BUILD_UNION(b, name, bytes, ...)                                                  \
	build_btf_struct(b, 5, name, bytes, (const struct build_member[]){ __VA_ARGS__ }, \
			 sizeof((const struct build_member[]){ __VA_ARGS__ }) /           \
				 sizeof(struct build_member))

/* Values of up to 32 bits make an ENUM, wider ones an ENUM64. */
static inline uint32_t build_btf_enum(struct build_btf *b, const char *name, uint32_t bytes,
				      bool is_signed, bool wide, const struct build_value *values,
				      uint32_t n)
{
	uint32_t id = build_btf_type(b, name, (uint32_t)is_signed << 7 | (wide ? 19 : 6), n, bytes);

	for (uint32_t i = 0; i < n; i++) {
		build_u32(&b->types, build_btf_string(b, values[i].name));
		build_u32(&b->types, (uint32_t)values[i].value);
		if (wide)
			build_u32(&b->types, (uint32_t)(values[i].value >> 32));
	}
	return id;
}

/* A variable, and a section that holds n of them: {id, offset, bytes} each. */
static inline uint32_t build_btf_var(struct build_btf *b, const char *name, uint32_t type)
{
	uint32_t id = build_btf_type(b, name, 14, 0, type);

	build_u32(&b->types, 1);
	return id;
}

static inline uint32_t build_btf_section(struct build_btf *b, const char *name, uint32_t bytes,
					 const uint32_t (*variables)[3], uint32_t n)
{
	uint32_t id = build_btf_type(b, name, 15, n, bytes);

	for (uint32_t i = 0; i < n; i++) {
		for (int k = 0; k < 3; k++)
			build_u32(&b->types, variables[i][k]);
	}
	return id;
}

/* A function with these parameters, NULL-terminated, all of type `type`. */
static inline uint32_t build_btf_func(struct build_btf *b, const char *name, uint32_t type,
				      const char *const *params)
{
	uint32_t n = 0, proto;

	while (params[n])
		n++;
	proto = build_btf_type(b, "", 13, n, type);
	for (uint32_t i = 0; i < n; i++) {
		build_u32(&b->types, build_btf_string(b, params[i]));
		build_u32(&b->types, type);
	}
	return build_btf_type(b, name, 12, 0, proto);
}

/* Header, types, strings; the builder is empty again. */
static inline void build_btf_finish(struct build_btf *b, struct strbuf *out)
{
	if (b->strings.n == 0 && !b->base_string_bytes)
		strbuf_append_char(&b->strings, 0);
	build_u32(out, 0x0001eb9f);
	build_u32(out, 24);
	build_u32(out, 0);
	build_u32(out, (uint32_t)b->types.n);
	build_u32(out, (uint32_t)b->types.n);
	build_u32(out, (uint32_t)b->strings.n);
	strbuf_append_bytes(out, strbuf_str(&b->types), b->types.n);
	strbuf_append_bytes(out, strbuf_str(&b->strings), b->strings.n);
	strbuf_deinit(&b->types);
	strbuf_deinit(&b->strings);
	b->n = 0;
}

/* An empty builder that goes on where the base ends, whose bytes these are. */
static inline struct build_btf build_btf_on(const struct strbuf *base, uint32_t base_n)
{
	uint32_t bytes = 0;

	for (int i = 0; i < 4; i++)
		bytes |= (uint32_t)(uint8_t)base->at[20 + i] << (8 * i);
	return (struct build_btf){ .base_n = base_n, .base_string_bytes = bytes };
}

static inline struct bytes build_bytes(const struct strbuf *s)
{
	return (struct bytes){ (const uint8_t *)strbuf_str(s), s->n };
}

#endif
