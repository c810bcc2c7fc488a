/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A loader's cache written after glibc's dl-cache.h. */
#ifndef KTSTR_TESTS_ELF_MADE_LD_CACHE_H
#define KTSTR_TESTS_ELF_MADE_LD_CACHE_H

#include <string.h>

#include "base/strbuf.h"

struct made_cache_row {
	const char *soname, *path;
	uint32_t flags;
	uint64_t hwcap;
};

static inline void made_u32(struct strbuf *out, uint32_t value)
{
	strbuf_append_bytes(out, &value, sizeof(value));
}

static inline void made_ld_cache_append(const struct made_cache_row *rows, uint32_t n,
					struct strbuf *out)
{
	struct strbuf strings = STRBUF_INIT;

	strbuf_append(out, "glibc-ld.so.cache1.1");
	made_u32(out, n);
	made_u32(out, 0);
	strbuf_append_repeated(out, 0, 20);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t base = 48 + 24 * n;

		made_u32(out, rows[i].flags);
		made_u32(out, base + (uint32_t)strings.n);
		strbuf_append_bytes(&strings, rows[i].soname, strlen(rows[i].soname) + 1);
		made_u32(out, base + (uint32_t)strings.n);
		strbuf_append_bytes(&strings, rows[i].path, strlen(rows[i].path) + 1);
		made_u32(out, 0);
		strbuf_append_bytes(out, &rows[i].hwcap, 8);
	}
	strbuf_append_bytes(out, strbuf_str(&strings), strings.n);
	strbuf_deinit(&strings);
}

#endif
