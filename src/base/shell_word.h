/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words of command lines that people copy: a shell reads back exactly the text. */
#ifndef KTSTR_BASE_SHELL_WORD_H
#define KTSTR_BASE_SHELL_WORD_H

#include "base/strbuf.h"

/*
 * Unchanged where every shell reads it as one word, else in quotes. With control characters it is
 * $'…' with octal escapes, which bash and zsh know, so that it stays one line.
 */
void shell_append_word(struct strbuf *into, const char *text);
/* The same for the path of a file: "./" keeps a leading dash from being read as an option. */
void shell_append_path(struct strbuf *into, const char *path);

#endif
