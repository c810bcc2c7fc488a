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

/*
 * Foreign text made safe to show. A thread may call itself anything, escape
 * sequences and newlines included: control characters become \n, \t or \x1b,
 * bytes that are not UTF-8 become \xff, and code points that turn the direction
 * of text or break lines become \u202e. Everything else passes unchanged.
 */

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

/*
 * Numbers for people. Files and piped lines carry exact integers; these forms
 * are for tables on a terminal. Rounding is half up, to one decimal.
 */

/* 512 B, 16.0 MiB, 16.0 EiB */
void text_format_bytes(struct strbuf *into, uint64_t bytes);
/* after - before, with a sign when negative: -1.5 KiB */
void text_format_bytes_difference(struct strbuf *into, uint64_t after, uint64_t before);
/* Bytes in a time: 1.5 MiB/s. A time of 0 has no rate: "-". */
void text_format_rate(struct strbuf *into, uint64_t bytes, uint64_t ns);
/* 850 ns, 12.5 us, 3.0 ms, 42.1 s */
void text_format_duration(struct strbuf *into, uint64_t ns);

#endif
