/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UTF-8 as terminals see it: code points and the columns they take. */
#ifndef KTSTR_TEXT_WIDTH_H
#define KTSTR_TEXT_WIDTH_H

#include "base/macros.h"

/*
 * The code point at s, and how many bytes it took. 0 when the bytes are not
 * valid UTF-8 (overlong forms, surrogates and values past U+10FFFF included).
 */
size_t utf8_decode(const char *s, size_t n, uint32_t *ret);
/* Columns of one code point: 0 for combining marks, 2 for wide ones, -1 if it is not printable. */
int utf8_codepoint_width(uint32_t codepoint);
/* Columns of a string. What cannot be printed counts 1, as a terminal shows a replacement. */
size_t utf8_width(const char *s);
/* How many bytes of s fit into so many columns; never splits a character from its marks. */
size_t utf8_prefix(const char *s, size_t columns);

#endif
