/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names that survive a format which cannot hold every byte. Two names that differ are spelt
 * differently, and a reader gets the name back:
 *
 *	\\  a backslash		\n  a newline		\x1b  a byte, two hexadecimal digits
 *
 * Bytes that are no UTF-8, control characters (C1 too, byte by byte) and those a format forbids are
 * spelt so; so are a first '-', which TAP readers swallow, and blanks at either end. U+FFFE and
 * U+FFFF, which XML cannot hold, are too. Everything else stands for itself.
 */
#ifndef KTSTR_REPORT_SPELL_H
#define KTSTR_REPORT_SPELL_H

#include "base/strbuf.h"

/* `forbidden` are further ASCII characters that must not appear; "" for none. */
void spell_name(struct strbuf *into, const char *name, const char *forbidden);

#endif
