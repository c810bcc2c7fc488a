/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* "Did you mean": the names nearest to one that does not exist. Start with { .wanted = it }. */
#ifndef KTSTR_BASE_SUGGEST_H
#define KTSTR_BASE_SUGGEST_H

#include "base/strbuf.h"

enum {
	SUGGEST_N = 3,
	/* Longer names are not compared. */
	SUGGEST_LIMIT_BYTES = 64,
};

struct suggest {
	const char *wanted;
	const char *names[SUGGEST_N]; /* the nearest first, borrowed; NULL from n on */
	unsigned int distances[SUGGEST_N];
	unsigned int n;
};

/*
 * Kept when it is near enough and among the nearest so far; a name is kept once. Near is: begins
 * with the wanted one; a letter too many, too few, wrong, or two swapped, as often as its length
 * allows; holds the wanted one.
 */
void suggest_offer(struct suggest *s, const char *name);
/* "; did you mean a, b?", or nothing. */
void suggest_format(const struct suggest *s, struct strbuf *out);

#endif
