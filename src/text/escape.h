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

#endif
