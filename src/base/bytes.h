/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A bounded little-endian cursor over foreign bytes. Reading past the end
 * returns 0, sets `failed` and stays failed, so a parser may read a whole
 * header and check once; nothing is ever read outside the range.
 */
#ifndef KTSTR_BASE_BYTES_H
#define KTSTR_BASE_BYTES_H

#include <string.h>

#include "base/macros.h"

struct bytes {
	const uint8_t *at;
	size_t n;
};

struct cursor {
	struct bytes in;
	size_t offset;
	bool failed;
};

static inline struct cursor cursor_over(struct bytes in)
{
	return (struct cursor){ .in = in };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return c->failed ? 0 : c->in.n - c->offset;
}

static inline void cursor_seek(struct cursor *c, uint64_t offset)
{
	if (offset > c->in.n)
		c->failed = true;
	else
		c->offset = (size_t)offset;
}

/* n bytes from here, or NULL. */
static inline const uint8_t *cursor_take(struct cursor *c, uint64_t n)
{
	const uint8_t *here;

	if (n > cursor_left(c)) {
		c->failed = true;
		return NULL;
	}
	here = c->in.at + c->offset;
	c->offset += (size_t)n;
	return here;
}

static inline uint64_t cursor_uint(struct cursor *c, unsigned int width)
{
	const uint8_t *p = cursor_take(c, width);
	uint64_t value = 0;

	for (unsigned int i = 0; p && i < width; i++)
		value |= (uint64_t)p[i] << (8 * i);
	return value;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	return (uint8_t)cursor_uint(c, 1);
}

static inline uint16_t cursor_u16(struct cursor *c)
{
	return (uint16_t)cursor_uint(c, 2);
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	return (uint32_t)cursor_uint(c, 4);
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	return cursor_uint(c, 8);
}

/* Up to 64 bits; a longer encoding fails. */
static inline uint64_t cursor_uleb128(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t byte = cursor_u8(c);

		if (c->failed || (shift == 63 && byte > 1))
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	c->failed = true;
	return 0;
}

/* A NUL-terminated string inside the range, or NULL. */
static inline const char *cursor_string(struct cursor *c)
{
	const uint8_t *start, *nul;

	if (c->failed)
		return NULL;
	start = c->in.at + c->offset;
	nul = cursor_left(c) ? memchr(start, 0, cursor_left(c)) : NULL;
	if (!nul) {
		c->failed = true;
		return NULL;
	}
	c->offset += (size_t)(nul - start) + 1;
	return (const char *)start;
}

#endif
