// SPDX-License-Identifier: LGPL-2.1-or-later
#include "work/work.h"

/* splitmix64: every seed, also a small one, gives a good sequence. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void work_start_order(uint64_t seed, size_t n, size_t *ret)
{
	uint64_t state = seed;

	for (size_t i = 0; i < n; i++)
		ret[i] = i;
	for (size_t i = n; seed && i > 1; i--) {
		size_t other = next_random(&state) % i, kept = ret[i - 1];

		ret[i - 1] = ret[other];
		ret[other] = kept;
	}
}

uint64_t work_start_offset_ns(uint64_t seed, unsigned int worker)
{
	/* Not the sequence of the order: the second number of one seed is the first of another. */
	uint64_t state = ~seed;

	state = next_random(&state) + worker;
	return seed ? next_random(&state) % WORK_LIMIT_OFFSET_NS : 0;
}
