/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is written to standard error meanwhile. */
#ifndef KTSTR_TESTS_STDERR_TEXT_H
#define KTSTR_TESTS_STDERR_TEXT_H

#include "unit.h"

#include <unistd.h>

struct stderr_text {
	FILE *file;
	int saved;
	char text[4096];
};

static inline void stderr_text_begin(struct stderr_text *t)
{
	t->file = tmpfile();
	t->saved = dup(STDERR_FILENO);
	fflush(stderr);
	dup2(fileno(t->file), STDERR_FILENO);
}

static inline const char *stderr_text_end(struct stderr_text *t)
{
	ssize_t n;

	fflush(stderr);
	dup2(t->saved, STDERR_FILENO);
	close(t->saved);
	n = pread(fileno(t->file), t->text, sizeof(t->text) - 1, 0);
	t->text[n > 0 ? n : 0] = '\0';
	fclose(t->file);
	return t->text;
}

#endif
