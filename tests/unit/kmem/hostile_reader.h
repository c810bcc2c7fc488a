/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest that lies: another reader's memory with words of it changed, and a log of what was
 * touched, so that lies are told where somebody listens.
 */
#ifndef KTSTR_TESTS_HOSTILE_READER_H
#define KTSTR_TESTS_HOSTILE_READER_H

#include "base/vec.h"
#include "kmem/reader.h"

enum { HOSTILE_LIES = 4, HOSTILE_LOG_LIMIT = 1 << 20 };

struct hostile_reader {
	const struct kmem_reader *truth;
	struct {
		uint64_t physical;
		size_t n; /* 8, or 4096 for a page of zeros */
		uint64_t value;
	} lies[HOSTILE_LIES];
	unsigned int n_lies;
	bool is_logging;
	/* Words of 8 bytes, aligned; of a table that is read as a whole one word of each piece. */
	VEC(uint64_t) touched;
};

static inline enum kmem_status hostile_read(const struct kmem_reader *reader, uint64_t physical,
					    void *buf, size_t n)
{
	const struct hostile_reader *h = reader->context;
	enum kmem_status status = h->truth->read(h->truth, physical, buf, n);

	for (unsigned int i = 0; status == KMEM_READ_OK && i < h->n_lies; i++) {
		for (size_t k = 0; k < h->lies[i].n; k++) {
			uint64_t at = h->lies[i].physical + k;

			if (at >= physical && at - physical < n)
				((uint8_t *)buf)[at - physical] =
					h->lies[i].n == 8 ? (uint8_t)(h->lies[i].value >> 8 * k)
							  : 0;
		}
	}
	return status;
}

static inline bool hostile_next_data(const struct kmem_reader *reader, uint64_t from,
				     uint64_t *ret_start, uint64_t *ret_end)
{
	const struct hostile_reader *h = reader->context;

	return h->truth->next_data(h->truth, from, ret_start, ret_end);
}

static inline void hostile_touched(void *context, uint64_t physical, size_t n)
{
	struct hostile_reader *h = context;
	size_t i = n <= 64 ? 0 : (physical / 4096 * 2654435761U) % n, step = n <= 64 ? 8 : n;

	for (; h->is_logging && i < n && h->touched.n < HOSTILE_LOG_LIMIT; i += step)
		vec_push(&h->touched, (physical + i) & ~UINT64_C(7));
}

static inline struct kmem_reader hostile_reader(struct hostile_reader *h)
{
	return (struct kmem_reader){ .read = hostile_read,
				     .next_data = hostile_next_data,
				     .context = h,
				     .touched = hostile_touched };
}

/* A plain generator: the same numbers everywhere. */
static inline uint64_t hostile_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/*
 * One lie about a word that was touched: a pointer to itself or to another word that was touched,
 * a length, nothing at all, another word's value, a bit, a page of zeros.
 */
static inline void hostile_lie(struct hostile_reader *h, uint64_t direct_map, uint64_t *state)
{
	uint64_t at = h->touched.at[hostile_random(state) % h->touched.n];
	uint64_t other = h->touched.at[hostile_random(state) % h->touched.n];
	uint64_t old = 0, others = 0, value;

	(void)!h->truth->read(h->truth, at, &old, 8);
	(void)!h->truth->read(h->truth, other, &others, 8);
	h->n_lies = 1;
	h->lies[0].physical = at;
	h->lies[0].n = 8;
	switch (hostile_random(state) % 8) {
	case 0:
		value = direct_map + at;
		break;
	case 1:
		value = direct_map + other;
		break;
	case 2:
		value = UINT64_C(1) << 31;
		break;
	case 3:
		value = 0;
		break;
	case 4:
		value = others;
		break;
	case 5:
		value = old ^ UINT64_C(1) << hostile_random(state) % 64;
		break;
	case 6:
		h->lies[0].physical = at & ~UINT64_C(4095);
		h->lies[0].n = 4096;
		value = 0;
		break;
	default:
		value = hostile_random(state);
	}
	/* What is true already is no lie. */
	h->lies[0].value = value == old ? ~old : value;
}

#endif
