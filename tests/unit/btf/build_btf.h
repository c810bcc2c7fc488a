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
};

static inline void build_u32(struct strbuf *s, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		strbuf_append_char(s, (char)(value >> (8 * i)));
}

static inline uint32_t build_btf_string(struct build_btf *b, const char *text)
{
	uint32_t at;

	if (b->strings.n == 0)
		strbuf_append_char(&b->strings, 0);
	if (!text[0])
		return 0;
	at = (uint32_t)b->strings.n;
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
	return ++b->n;
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
	if (b->strings.n == 0)
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

static inline struct bytes build_bytes(const struct strbuf *s)
{
	return (struct bytes){ (const uint8_t *)strbuf_str(s), s->n };
}

#endif
