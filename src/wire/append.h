/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How numbers and texts are written into a payload; the room's own. */
#ifndef KTSTR_WIRE_APPEND_H
#define KTSTR_WIRE_APPEND_H

#include <string.h>

#include "base/strbuf.h"

static inline void wire_append_uint(struct strbuf *out, uint64_t value, unsigned int width)
{
	for (unsigned int i = 0; i < width; i++)
		strbuf_append_char(out, (char)(value >> (8 * i) & 0xff));
}

/* With its NUL; absent is empty. */
static inline void wire_append_text(struct strbuf *out, const char *text)
{
	if (!text)
		text = "";
	strbuf_append_bytes(out, text, strlen(text) + 1);
}

#endif
