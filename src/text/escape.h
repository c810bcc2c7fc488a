/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Foreign text made safe to show. A thread may call itself anything, escape
 * sequences and newlines included: control characters become \n, \t or \x1b,
 * bytes that are not UTF-8 become \xff, and code points that turn the direction
 * of text or break lines become \u202e. Everything else passes unchanged.
 */
#ifndef KTSTR_TEXT_ESCAPE_H
#define KTSTR_TEXT_ESCAPE_H

#include "base/strbuf.h"

void text_escape(struct strbuf *into, const char *foreign);
void text_escape_bytes(struct strbuf *into, const char *foreign, size_t n);

/*
 * Names that survive a format which cannot hold every byte. Two names that differ are spelt
 * differently, and a reader gets the name back:
 *
 *	\\  a backslash		\n  a newline		\x1b  a byte, two hexadecimal digits
 *
 * Bytes that are not UTF-8, control characters (C1 too, byte by byte) and those a format forbids
 * are spelt so; so are a first '-', which TAP readers swallow, and blanks at either end. U+FFFE and
 * U+FFFF, which XML cannot hold, are too. Everything else stays as it is. `forbidden` are further
 * ASCII characters that must not appear; "" for none.
 */
void text_escape_name(struct strbuf *into, const char *name, const char *forbidden);

#endif
