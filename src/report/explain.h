/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is said below the line of a test that did not pass: the reason first, then what else was
 * wrong, then where to look and how to do it again.
 */
#ifndef KTSTR_REPORT_EXPLAIN_H
#define KTSTR_REPORT_EXPLAIN_H

#include "base/strbuf.h"
#include "result/outcome.h"

enum { EXPLAIN_INDENT = 8 };

struct explain_look {
	size_t columns; /* longer texts are broken at spaces; 0: never */
	bool colour;
	bool verbose; /* nothing is left out */
};

/* "        check: spread of left is 41 %, at fair.c:31\n" */
void explain_reason(const struct outcome *outcome, const struct explain_look *look,
		    struct strbuf *into);
/* Parts that did not decide. */
void explain_other_parts(const struct outcome *outcome, const struct explain_look *look,
			 struct strbuf *into);
void explain_notes(const struct outcome *outcome, const struct explain_look *look,
		   struct strbuf *into);
/* Source, record, kept folder and the command that does it again: those there are. */
void explain_places(const struct outcome *outcome, const struct explain_look *look,
		    struct strbuf *into);

#endif
