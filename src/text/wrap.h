/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef KTSTR_TEXT_WRAP_H
#define KTSTR_TEXT_WRAP_H

#include "base/strbuf.h"

/*
 * Breaks text at spaces so that no line passes `columns`, unless one word does.
 * The cursor is taken to stand at column `indent` already; further lines are
 * indented by it. A newline in the text is kept. Ends without a newline.
 */
void text_wrap(struct strbuf *into, const char *text, size_t indent, size_t columns);

#endif
