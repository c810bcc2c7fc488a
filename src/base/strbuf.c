// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static void reserve(struct strbuf *s, size_t more)
{
	size_t need = s->n + more + 1;
	size_t capacity = s->capacity ? s->capacity : 64;

	if (need <= s->capacity)
		return;
	while (capacity < need)
		capacity *= 2;
	s->at = xreallocarray(s->at, capacity, 1);
	s->capacity = capacity;
}

void strbuf_deinit(struct strbuf *s)
{
	free(s->at);
	*s = STRBUF_INIT;
}

void strbuf_clear(struct strbuf *s)
{
	s->n = 0;
	if (s->at)
		s->at[0] = '\0';
}

void strbuf_append_bytes(struct strbuf *s, const void *bytes, size_t n)
{
	reserve(s, n);
	if (n)
		memcpy(s->at + s->n, bytes, n);
	s->n += n;
	s->at[s->n] = '\0';
}

void strbuf_append(struct strbuf *s, const char *text)
{
	strbuf_append_bytes(s, text, strlen(text));
}

void strbuf_append_char(struct strbuf *s, char c)
{
	strbuf_append_bytes(s, &c, 1);
}

void strbuf_append_repeated(struct strbuf *s, char c, size_t times)
{
	reserve(s, times);
	memset(s->at + s->n, c, times);
	s->n += times;
	s->at[s->n] = '\0';
}

void strbuf_vappendf(struct strbuf *s, const char *fmt, va_list args)
{
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, fmt, args);
	if (n > 0) {
		reserve(s, (size_t)n);
		vsnprintf(s->at + s->n, (size_t)n + 1, fmt, again);
		s->n += (size_t)n;
	}
	va_end(again);
}

void strbuf_appendf(struct strbuf *s, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	strbuf_vappendf(s, fmt, args);
	va_end(args);
}

const char *strbuf_str(const struct strbuf *s)
{
	return s->at ? s->at : "";
}

char *strbuf_take(struct strbuf *s)
{
	char *text = s->at ? s->at : xstrdup("");

	*s = STRBUF_INIT;
	return text;
}
