/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_CLI_FRAME_SUGGEST_H
#define KTSTR_CLI_FRAME_SUGGEST_H

#include "base/macros.h"

/*
 * How many slips of the finger lie between two words: a letter too many, too
 * few, wrong, or two swapped. Words past 64 letters are not compared: SIZE_MAX.
 */
size_t suggest_distance(const char *a, const char *b);

/* The best candidate so far; start with { .word = what was typed }. */
struct suggestion {
	const char *word;
	const char *best; /* NULL when nothing is near */
	size_t distance;
};

void suggest_offer(struct suggestion *suggestion, const char *candidate);

#endif
