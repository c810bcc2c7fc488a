// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/suggest.h"

#include <string.h>

enum { LONGEST_WORD = 64 };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t suggest_distance(const char *a, const char *b)
{
	size_t rows[3][LONGEST_WORD + 1];
	size_t n_a = strlen(a), n_b = strlen(b);

	if (n_a > LONGEST_WORD || n_b > LONGEST_WORD)
		return SIZE_MAX;
	for (size_t j = 0; j <= n_b; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n_a; i++) {
		size_t *row = rows[i % 3], *above = rows[(i - 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= n_b; j++) {
			row[j] = above[j - 1] + (a[i - 1] != b[j - 1]);
			row[j] = least(row[j], least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], rows[(i - 2) % 3][j - 2] + 1);
		}
	}
	return rows[n_a % 3][n_b];
}

void suggest_offer(struct suggestion *suggestion, const char *candidate)
{
	size_t n = strlen(suggestion->word);
	size_t distance = suggest_distance(suggestion->word, candidate);

	/* An abbreviation is nearer than any slip. */
	if (n >= 2 && strncmp(suggestion->word, candidate, n) == 0)
		distance = 0;
	else if (distance > 1 + n / 4)
		return;
	if (suggestion->best && suggestion->distance <= distance)
		return;
	suggestion->best = candidate;
	suggestion->distance = distance;
}
