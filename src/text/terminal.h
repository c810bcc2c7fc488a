/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef KTSTR_TEXT_TERMINAL_H
#define KTSTR_TEXT_TERMINAL_H

#include "base/strbuf.h"

bool text_terminal_is(int fd);
/* Columns of the terminal behind fd; 0 when it is none or does not say. */
size_t text_terminal_columns(int fd);
/* Colour is for terminals only, and NO_COLOR (non-empty) or TERM=dumb forbids it. */
bool text_terminal_has_colour(int fd);

#define TEXT_BOLD  "\033[1m"
#define TEXT_DIM   "\033[2m"
#define TEXT_RESET "\033[0m"

#endif
