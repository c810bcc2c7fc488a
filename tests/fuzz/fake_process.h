/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small process's memory out of a fuzzer's input, behind the interface of a real
 * one. Places are counted in words from ARENA, so that a changed byte still gives an
 * address that may be mapped: with free 64-bit pointers nearly every input would lead
 * nowhere. A record puts one value somewhere:
 *
 *	u8 kind, u16 place, then
 *	kind % 3 == 0   u16   a pointer to that place
 *	kind % 3 == 1   u32   a number
 *	kind % 3 == 2   u64   a number
 *
 * A page is mapped once something was put on it; the rest of it is zero.
 */
#ifndef KTSTR_TESTS_FUZZ_FAKE_PROCESS_H
#define KTSTR_TESTS_FUZZ_FAKE_PROCESS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "probe/glibc.h"

#define ARENA UINT64_C(0x7f0000000000)

enum {
	ARENA_BYTES = 65536 * 8 + 4096, /* the last word of the last place included */
	ARENA_PAGE = 4096,
	ARENA_PAGES = ARENA_BYTES / ARENA_PAGE,
};

struct fake_process {
	struct probe_remote remote;
	uint8_t *bytes;
	bool mapped[ARENA_PAGES];
	size_t n_reads;
	size_t n_good_reads;
};

/* Kept between executions: clearing what was used is quicker than half a megabyte each time. */
static uint8_t arena[ARENA_BYTES];

static inline uint64_t place_address(uint16_t place)
{
	return ARENA + (uint64_t)place * 8;
}

static inline bool fake_peek(const struct fake_process *process, uint64_t address, void *into,
			     size_t n)
{
	uint64_t offset = address - ARENA;

	if (offset > ARENA_BYTES || n > ARENA_BYTES - offset)
		return false;
	for (uint64_t at = offset; at < offset + n; at++)
		if (!process->mapped[at / ARENA_PAGE])
			return false;
	memcpy(into, process->bytes + offset, n);
	return true;
}

static inline void fake_read(const struct probe_remote *remote, struct probe_remote_range *ranges,
			     size_t n)
{
	struct fake_process *process = (struct fake_process *)(uintptr_t)remote;

	for (size_t i = 0; i < n; i++) {
		bool good = fake_peek(process, ranges[i].address, ranges[i].into, ranges[i].n);

		process->n_reads++;
		process->n_good_reads += good;
		ranges[i].status = good ? PROBE_REMOTE_OK : PROBE_REMOTE_FAULT;
	}
}

static inline void fake_put(struct fake_process *process, uint64_t address, uint64_t value,
			    size_t n)
{
	uint64_t offset = address - ARENA;

	process->mapped[offset / ARENA_PAGE] = true;
	process->mapped[(offset + n - 1) / ARENA_PAGE] = true;
	memcpy(process->bytes + offset, &value, n);
}

/* All records that are left in the input. */
static inline void fake_process_init(struct fake_process *process, struct cursor *in)
{
	*process = (struct fake_process){ .remote = { fake_read }, .bytes = arena };
	while (cursor_left(in) >= 5) {
		unsigned int kind = cursor_u8(in) % 3;
		uint64_t at = place_address(cursor_u16(in));

		if (kind == 0)
			fake_put(process, at, place_address(cursor_u16(in)), 8);
		else if (kind == 1)
			fake_put(process, at, cursor_u32(in), 4);
		else
			fake_put(process, at, cursor_u64(in), 8);
	}
}

static inline void fake_process_deinit(struct fake_process *process)
{
	for (size_t i = 0; i < ARENA_PAGES; i++)
		if (process->mapped[i])
			memset(process->bytes + i * ARENA_PAGE, 0, ARENA_PAGE);
}

#define MUST(condition)           \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

#endif
