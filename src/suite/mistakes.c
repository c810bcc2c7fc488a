// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/declared.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "suite/limits.h"

void suite_mistake(struct suite_mistakes *m, const char *fmt, ...)
{
	va_list args;

	strbuf_appendf(m->into, "%s:%d: %s: ", m->entry->file, m->entry->line, m->entry->name);
	va_start(args, fmt);
	strbuf_vappendf(m->into, fmt, args);
	va_end(args);
	strbuf_append_char(m->into, '\n');
}

void suite_mistakes_of_text(struct suite_mistakes *m, const char *what, const char *text)
{
	if (text && strlen(text) > SUITE_LIMIT_DECLARED_TEXT)
		suite_mistake(m, "%s is longer than %d bytes", what, SUITE_LIMIT_DECLARED_TEXT);
}

void suite_mistakes_of_texts(struct suite_mistakes *m, const char *what, const char *const *texts,
			     size_t limit, bool names)
{
	size_t n = suite_declared_count(texts, limit);

	if (n > limit) {
		suite_mistake(m, "%s: too many rows, at most %zu are possible", what, limit);
		return;
	}
	for (size_t i = n; i <= limit; i++)
		if (texts[i]) {
			suite_mistake(m, "%s: row %zu is empty, but row %zu is not", what, n, i);
			break;
		}
	for (size_t i = 0; i < n; i++) {
		if (names && !*texts[i])
			suite_mistake(m, "%s: row %zu is \"\"", what, i);
		suite_mistakes_of_text(m, what, texts[i]);
	}
}
