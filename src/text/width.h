/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns that text takes on a terminal. */
#ifndef KTSTR_TEXT_WIDTH_H
#define KTSTR_TEXT_WIDTH_H

#include "base/macros.h"

/* Columns of a string. What cannot be printed counts 1, as a terminal shows a replacement. */
size_t text_width(const char *s);
/* How many bytes of s fit into so many columns; never splits a character from its marks. */
size_t text_prefix(const char *s, size_t columns);

#endif
