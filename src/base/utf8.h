/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef KTSTR_BASE_UTF8_H
#define KTSTR_BASE_UTF8_H

#include "base/macros.h"

/*
 * Length of the sequence at the start of n > 0 bytes. When it is not valid: of
 * the longest part that could have begun one (Unicode 3.9, maximal subpart), at least 1.
 */
size_t utf8_sequence(const char *bytes, size_t n, bool *ret_valid);

#endif
