/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names nearest to one that does not exist. */
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
	const char *names[SUGGEST_N]; /* the best first; borrowed */
	unsigned int distances[SUGGEST_N];
	unsigned int n;
};

/* Kept when it is near enough and not worse than what is kept already; said once. */
void btf_suggest_offer(struct suggest *s, const char *name);
/* "; did you mean a, b?", or nothing. */
void btf_suggest_format(const struct suggest *s, struct strbuf *out);

#endif
