/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef KTSTR_TEXT_TERMINAL_H
#define KTSTR_TEXT_TERMINAL_H

#include "base/macros.h"
#include "base/strbuf.h"

bool text_terminal_is(int fd);
/* Columns of the terminal behind fd; 0 when it is none or does not say. */
size_t text_terminal_columns(int fd);
/* Colour is for terminals only, and NO_COLOR (non-empty) or TERM=dumb forbids it. */
bool text_terminal_has_colour(int fd);

#define TEXT_BOLD  "\033[1m"
#define TEXT_DIM   "\033[2m"
#define TEXT_RESET "\033[0m"

/* The columns that text takes on a terminal. */

/* Columns of a string. What cannot be printed counts 1, as a terminal shows a replacement. */
size_t text_width(const char *s);
/* How many bytes of s fit into so many columns; never splits a character from its marks. */
size_t text_prefix(const char *s, size_t columns);

/*
 * Breaks text at spaces so that no line passes `columns`, unless one word does.
 * The cursor is taken to stand at column `indent` already; further lines are
 * indented by it. A newline in the text is kept. Ends without a newline.
 */
void text_wrap(struct strbuf *into, const char *text, size_t indent, size_t columns);

#endif
