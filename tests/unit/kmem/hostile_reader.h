/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest that lies: another reader's memory with words of it changed, and a log of what was
 * touched, so that lies are told where somebody listens.
 */
#ifndef KTSTR_TESTS_HOSTILE_READER_H
#define KTSTR_TESTS_HOSTILE_READER_H

#include <stdlib.h>

#include "base/vec.h"
#include "kmem/reader.h"

enum { HOSTILE_LOG_LIMIT = 1 << 22, HOSTILE_PAGE_BYTES = 4096 };

/*
 * Words of 8 bytes by their physical address; of a table that is read as a whole one word of each
 * piece, or most lies would be about types and symbols that nobody asks for.
 */
struct hostile_log {
	VEC(uint64_t) words;
};

struct hostile_reader {
	const struct kmem_reader *truth;
	/* What is told instead: 8 bytes, or a page of zeros; n is 0 for the truth. */
	struct {
		uint64_t physical;
		size_t n;
		uint64_t value;
	} lie;
	struct hostile_log *log; /* NULL: nobody counts */
};

static inline enum kmem_status hostile_read(const struct kmem_reader *reader, uint64_t physical,
					    void *buf, size_t n)
{
	const struct hostile_reader *h = reader->context;
	enum kmem_status status = h->truth->read(h->truth, physical, buf, n);
	uint64_t start = h->lie.physical > physical ? h->lie.physical : physical;
	uint64_t end = h->lie.physical + h->lie.n < physical + n ? h->lie.physical + h->lie.n
								 : physical + n;

	for (uint64_t at = start; status == KMEM_READ_OK && at < end; at++)
		((uint8_t *)buf)[at - physical] = h->lie.n == 8
							  ? (uint8_t)(h->lie.value >>
								      8 * (at - h->lie.physical))
							  : 0;
	return status;
}

static inline bool hostile_next_data(const struct kmem_reader *reader, uint64_t from,
				     uint64_t *ret_start, uint64_t *ret_end)
{
	const struct hostile_reader *h = reader->context;

	return h->truth->next_data(h->truth, from, ret_start, ret_end);
}

static inline int hostile_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Each word once, sorted. */
static inline void hostile_log_sort(struct hostile_log *log)
{
	size_t n = 0;

	if (log->words.n)
		qsort(log->words.at, log->words.n, sizeof(uint64_t), hostile_compare);
	for (size_t i = 0; i < log->words.n; i++) {
		if (n == 0 || log->words.at[n - 1] != log->words.at[i])
			log->words.at[n++] = log->words.at[i];
	}
	log->words.n = n;
}

/* Is a word of [start, start + n) in a log that is sorted? */
static inline bool hostile_log_has(const struct hostile_log *log, uint64_t start, size_t n)
{
	size_t low = 0, high = log->words.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (log->words.at[middle] < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < log->words.n && log->words.at[low] - start < n;
}

static inline void hostile_touched(void *context, uint64_t physical, size_t n)
{
	struct hostile_log *log = ((struct hostile_reader *)context)->log;
	size_t i = n <= 64 ? 0 : (physical / 4096 * 2654435761U) % n, step = n <= 64 ? 8 : n;

	if (!log)
		return;
	if (log->words.n >= HOSTILE_LOG_LIMIT)
		hostile_log_sort(log);
	for (; i < n && log->words.n < HOSTILE_LOG_LIMIT; i += step)
		vec_push(&log->words, (physical + i) & ~UINT64_C(7));
}

static inline struct kmem_reader hostile_reader(struct hostile_reader *h)
{
	return (struct kmem_reader){ .read = hostile_read,
				     .next_data = hostile_next_data,
				     .context = h,
				     .touched = hostile_touched };
}

/* A plain generator: the same numbers everywhere. The state must not be 0. */
static inline uint64_t hostile_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Ways to lie about a word that was touched. */
#define HOSTILE_KINDS(X)                                   \
	X(SELF, "a pointer to itself")                     \
	X(OTHER, "a pointer to another word that is read") \
	X(SWAPPED, "what another word holds")              \
	X(LENGTH, "2^31")                                  \
	X(HALF_LENGTH, "2^31 in its upper half")           \
	X(NOTHING, "0")                                    \
	X(BIT, "one bit is another")                       \
	X(LITTLE, "a little more")                         \
	X(WILD, "any number")                              \
	X(PAGE, "a page of zeros")
#define HOSTILE_ENUM_(id, word) HOSTILE_##id,
enum hostile_kind { HOSTILE_KINDS(HOSTILE_ENUM_) HOSTILE_N_KINDS };
#define HOSTILE_WORD_(id, word) word,
static const char *const hostile_kind_words[] = { HOSTILE_KINDS(HOSTILE_WORD_) };

/* Always a change: a word that holds already what it is to hold is given another lie. */
static inline enum hostile_kind hostile_lie(struct hostile_reader *h, const struct hostile_log *log,
					    uint64_t direct_map, uint64_t *state)
{
	uint64_t at = log->words.at[hostile_random(state) % log->words.n];
	uint64_t other = log->words.at[hostile_random(state) % log->words.n];
	enum hostile_kind kind = hostile_random(state) % HOSTILE_N_KINDS;
	uint64_t old = 0, others = 0, value = 0;

	(void)!h->truth->read(h->truth, at, &old, 8);
	(void)!h->truth->read(h->truth, other, &others, 8);
	h->lie.physical = at;
	h->lie.n = 8;
	switch (kind) {
	case HOSTILE_SELF:
		value = direct_map + at;
		break;
	case HOSTILE_OTHER:
		value = direct_map + other;
		break;
	case HOSTILE_SWAPPED:
		value = others;
		break;
	case HOSTILE_LENGTH:
		value = UINT64_C(1) << 31;
		break;
	case HOSTILE_HALF_LENGTH:
		value = (old & UINT32_MAX) | UINT64_C(1) << 63;
		break;
	case HOSTILE_NOTHING:
		break;
	case HOSTILE_BIT:
		value = old ^ UINT64_C(1) << hostile_random(state) % 64;
		break;
	case HOSTILE_LITTLE:
		value = old + 1 + hostile_random(state) % 64;
		break;
	case HOSTILE_PAGE:
		h->lie.physical = at & ~UINT64_C(4095);
		h->lie.n = HOSTILE_PAGE_BYTES;
		break;
	default:
		value = hostile_random(state);
	}
	h->lie.value = h->lie.n == 8 && value == old ? old + 1 : value;
	return kind;
}

#endif
