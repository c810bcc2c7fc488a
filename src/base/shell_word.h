/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words of command lines that people copy: a shell reads back exactly the text. */
#ifndef KTSTR_BASE_SHELL_WORD_H
#define KTSTR_BASE_SHELL_WORD_H

#include "base/strbuf.h"

/*
 * As it stands where every shell takes it so, else in quotes. With control characters it is
 * $'…' with octal escapes, which bash and zsh know, so that it stays one line.
 */
void shell_append_word(struct strbuf *into, const char *text);
/* The same for the path of a file: one that begins with a dash is no option. */
void shell_append_path(struct strbuf *into, const char *path);

#endif
