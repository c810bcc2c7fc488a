/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef KTSTR_BASE_UTF8_H
#define KTSTR_BASE_UTF8_H

#include "base/macros.h"

/*
 * Length of the sequence at the start of n > 0 bytes. When it is not valid: of
 * the longest part that could have begun one (Unicode 3.9, maximal subpart), at least 1.
 */
size_t utf8_sequence(const char *bytes, size_t n, bool *ret_valid);
/*
 * The code point at the start of n bytes, and how many of them it took. 0 when they are not valid
 * UTF-8 (overlong forms, surrogates and values past U+10FFFF included) or there are none.
 */
size_t utf8_decode(const char *bytes, size_t n, uint32_t *ret);
/* How many of n bytes to keep so that they are at most `limit` and no sequence is cut in two. */
size_t utf8_cut(const char *bytes, size_t n, size_t limit);

#endif
