/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of symbols as scripts/kallsyms.c of Linux writes them, in each of the ways in which
 * addresses have been written. Not its compression, but tokens of one and of more letters.
 */
#ifndef KTSTR_TESTS_BUILD_KALLSYMS_H
#define KTSTR_TESTS_BUILD_KALLSYMS_H

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "kmem/kallsyms.h"

struct build_symbol {
	uint64_t address;
	char kind;
	const char *name;
};

struct build_kallsyms {
	struct strbuf names, tokens, token_index, places, order;
	uint32_t n;
};

/* Codes below ' ' stand for these, all others for their own letter. */
static const char *const build_tokens[] = {
	"?", "__", "kallsyms_", "T_", "Dinit_", "tion", "_note"
};

static inline const char *build_token(unsigned int code, char one[2])
{
	if (code < ARRAY_SIZE(build_tokens))
		return build_tokens[code];
	one[0] = code > ' ' && code < 127 ? (char)code : '?';
	one[1] = 0;
	return one;
}

static inline void build_le(struct strbuf *s, uint64_t value, unsigned int width)
{
	for (unsigned int i = 0; i < width; i++)
		strbuf_append_char(s, (char)(value >> (8 * i)));
}

static inline void build_name(struct strbuf *names, char kind, const char *name)
{
	_cleanup_free_ char *whole = xasprintf("%c%s", kind, name);
	_cleanup_strbuf_ struct strbuf codes = STRBUF_INIT;

	for (const char *at = whole; *at;) {
		unsigned int best = (unsigned char)*at;
		size_t n = 1;

		for (unsigned int i = 1; i < ARRAY_SIZE(build_tokens); i++) {
			if (strncmp(at, build_tokens[i], strlen(build_tokens[i])) == 0 &&
			    strlen(build_tokens[i]) > n) {
				best = i;
				n = strlen(build_tokens[i]);
			}
		}
		strbuf_append_char(&codes, (char)best);
		at += n;
	}
	if (codes.n < 128) {
		strbuf_append_char(names, (char)codes.n);
	} else {
		strbuf_append_char(names, (char)(codes.n | 0x80));
		strbuf_append_char(names, (char)(codes.n >> 7));
	}
	strbuf_append_bytes(names, codes.at, codes.n);
}

static inline int build_compare(const void *a, const void *b, void *symbols)
{
	const struct build_symbol *s = symbols;

	return strcmp(s[*(const uint32_t *)a].name, s[*(const uint32_t *)b].name);
}

/* `symbols` by rising address. */
static inline struct build_kallsyms build_kallsyms(const struct build_symbol *symbols, uint32_t n,
						   enum kmem_kallsyms_mode mode, uint64_t base,
						   uint64_t places_at)
{
	struct build_kallsyms k = { .n = n };
	_cleanup_free_ uint32_t *order = xcalloc(n, sizeof(*order));

	for (uint32_t i = 0; i < n; i++) {
		uint64_t address = symbols[i].address;

		order[i] = i;
		build_name(&k.names, symbols[i].kind, symbols[i].name);
		switch (mode) {
		case KMEM_KALLSYMS_ABSOLUTE:
			build_le(&k.places, address, 8);
			break;
		case KMEM_KALLSYMS_PLACE:
			build_le(&k.places, address - (places_at + 4 * (uint64_t)i), 4);
			break;
		case KMEM_KALLSYMS_RELATIVE:
			build_le(&k.places, address - base, 4);
			break;
		default:
			build_le(&k.places, address < INT32_MAX ? address : base - 1 - address, 4);
		}
	}
	qsort_r(order, n, sizeof(*order), build_compare, (void *)(uintptr_t)symbols);
	for (uint32_t i = 0; i < n; i++) {
		strbuf_append_char(&k.order, (char)(order[i] >> 16));
		strbuf_append_char(&k.order, (char)(order[i] >> 8));
		strbuf_append_char(&k.order, (char)order[i]);
	}
	for (unsigned int code = 0; code < 256; code++) {
		char one[2];
		const char *text = build_token(code, one);

		build_le(&k.token_index, k.tokens.n, 2);
		strbuf_append_bytes(&k.tokens, text, strlen(text) + 1);
	}
	return k;
}

static inline void build_kallsyms_deinit(struct build_kallsyms *k)
{
	strbuf_deinit(&k->names);
	strbuf_deinit(&k->tokens);
	strbuf_deinit(&k->token_index);
	strbuf_deinit(&k->places);
	strbuf_deinit(&k->order);
}
#define _cleanup_build_kallsyms_ __attribute__((cleanup(build_kallsyms_deinit)))

static inline struct bytes build_view(const struct strbuf *s)
{
	return (struct bytes){ (const uint8_t *)strbuf_str(s), s->n };
}

static inline struct kmem_kallsyms_tables build_tables(const struct build_kallsyms *k,
						       uint64_t base, uint64_t places_at)
{
	return (struct kmem_kallsyms_tables){ .n = k->n,
					      .names = build_view(&k->names),
					      .tokens = build_view(&k->tokens),
					      .token_index = build_view(&k->token_index),
					      .places = build_view(&k->places),
					      .order = build_view(&k->order),
					      .places_at = places_at,
					      .relative_base = base };
}

#endif
