// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/suggest.h"

#include <string.h>

#include "base/str.h"

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Letters to change, add, leave out or swap; `most` + 1 means more than `most`. */
static unsigned int distance(const char *a, size_t a_n, const char *b, size_t b_n,
			     unsigned int most)
{
	unsigned int rows[3][SUGGEST_LIMIT_BYTES + 1];

	for (size_t j = 0; j <= b_n; j++)
		rows[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= a_n; i++) {
		unsigned int *row = rows[i % 3], *above = rows[(i + 2) % 3];
		unsigned int *above2 = rows[(i + 1) % 3];
		unsigned int best = row[0] = (unsigned int)i;

		for (size_t j = 1; j <= b_n; j++) {
			unsigned int cost = above[j - 1] + (a[i - 1] != b[j - 1]);

			cost = least(cost, least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				cost = least(cost, above2[j - 2] + 1);
			row[j] = cost;
			best = least(best, cost);
		}
		if (best > most)
			return most + 1;
	}
	return rows[a_n % 3][b_n];
}

/* How far a name is from the wanted one; false when it is too far to be meant. */
static bool rank(const char *wanted, const char *name, unsigned int *ret)
{
	size_t wanted_n = strlen(wanted), n = strnlen(name, SUGGEST_LIMIT_BYTES + 1);
	unsigned int most = wanted_n < 8 ? 1 + (unsigned int)wanted_n / 4 : 3;

	if (n == 0 || n > SUGGEST_LIMIT_BYTES || wanted_n > SUGGEST_LIMIT_BYTES)
		return false;
	/* An abbreviation is nearer than any slip of the finger. */
	*ret = 0;
	if (wanted_n >= 2 && str_starts_with(name, wanted))
		return true;
	*ret = most + 1;
	if (n <= wanted_n + most && wanted_n <= n + most)
		*ret = distance(wanted, wanted_n, name, n, most);
	/* A name that holds the wanted one comes last: "state" and "__state". */
	return *ret <= most || (wanted_n >= 3 && strstr(name, wanted));
}

void suggest_offer(struct suggest *s, const char *name)
{
	unsigned int d, i;

	/* Names are foreign: those with control characters are not repeated. */
	for (const char *c = name; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f)
			return;
	if (!rank(s->wanted, name, &d))
		return;
	for (i = 0; i < s->n; i++) {
		if (strcmp(s->names[i], name) == 0)
			return;
	}
	for (i = s->n; i > 0 && s->distances[i - 1] > d; i--) {
		if (i < SUGGEST_N) {
			s->names[i] = s->names[i - 1];
			s->distances[i] = s->distances[i - 1];
		}
	}
	if (i == SUGGEST_N)
		return;
	s->names[i] = name;
	s->distances[i] = d;
	if (s->n < SUGGEST_N)
		s->n++;
}

void suggest_format(const struct suggest *s, struct strbuf *out)
{
	for (unsigned int i = 0; i < s->n; i++)
		strbuf_appendf(out, "%s%s", i ? ", " : "; did you mean ", s->names[i]);
	if (s->n)
		strbuf_append_char(out, '?');
}
