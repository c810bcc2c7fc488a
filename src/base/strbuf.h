/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A growing string: `struct strbuf s = STRBUF_INIT`; always NUL-terminated once written. */
#ifndef KTSTR_BASE_STRBUF_H
#define KTSTR_BASE_STRBUF_H

#include <stdarg.h>

#include "base/macros.h"

struct strbuf {
	char *at; /* NULL while empty: use strbuf_str() */
	size_t n; /* without the NUL */
	size_t capacity;
};

#define STRBUF_INIT ((struct strbuf){ 0 })

void strbuf_deinit(struct strbuf *s);
void strbuf_clear(struct strbuf *s);
void strbuf_append(struct strbuf *s, const char *text);
void strbuf_append_bytes(struct strbuf *s, const void *bytes, size_t n);
void strbuf_append_char(struct strbuf *s, char c);
void strbuf_appendf(struct strbuf *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
void strbuf_vappendf(struct strbuf *s, const char *fmt, va_list args) PRINTF_LIKE(2, 0);
void strbuf_append_repeated(struct strbuf *s, char c, size_t times);
/* Never NULL. Borrowed until the next change. */
const char *strbuf_str(const struct strbuf *s);
/* The caller owns the string; the buffer is empty again. */
char *strbuf_take(struct strbuf *s) MUST_CHECK;

#define _cleanup_strbuf_ __attribute__((cleanup(strbuf_deinit)))

#endif
