/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process's memory that a test writes by itself, behind the interface of a
 * real one: a few pages at chosen addresses, everything else unmapped.
 */
#ifndef KTSTR_TESTS_PROBE_FAKE_MEMORY_H
#define KTSTR_TESTS_PROBE_FAKE_MEMORY_H

#include <stdlib.h>
#include <string.h>

#include "probe/glibc.h"

enum { FAKE_PAGE_BYTES = 4096, FAKE_MAX_PAGES = 64 };

struct fake_memory {
	struct probe_remote remote;
	struct {
		uint64_t address;
		uint8_t bytes[FAKE_PAGE_BYTES];
	} pages[FAKE_MAX_PAGES];
	size_t n_pages;
	/* What a read outside every page ends with. */
	enum probe_remote_status outside;
	size_t n_reads; /* how many ranges were asked for */
};

static uint8_t *fake_find(const struct fake_memory *memory, uint64_t address)
{
	for (size_t i = 0; i < memory->n_pages; i++)
		if (address - memory->pages[i].address < FAKE_PAGE_BYTES)
			return (uint8_t *)memory->pages[i].bytes +
			       (address - memory->pages[i].address);
	return NULL;
}

static void fake_read_many(const struct probe_remote *remote, struct probe_remote_range *ranges,
			   size_t n)
{
	struct fake_memory *memory = (struct fake_memory *)(uintptr_t)remote;

	for (size_t i = 0; i < n; i++) {
		memory->n_reads++;
		ranges[i].status = PROBE_REMOTE_OK;
		for (size_t k = 0; k < ranges[i].n; k++) {
			const uint8_t *byte = fake_find(memory, ranges[i].address + k);

			if (!byte) {
				ranges[i].status = memory->outside;
				break;
			}
			((uint8_t *)ranges[i].into)[k] = *byte;
		}
	}
}

static inline struct fake_memory *fake_memory_new(void)
{
	struct fake_memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		abort();
	memory->remote.read_many = fake_read_many;
	memory->outside = PROBE_REMOTE_FAULT;
	return memory;
}

/* Pages come to life when first written to. */
static inline void fake_put(struct fake_memory *memory, uint64_t address, const void *bytes,
			    size_t n)
{
	for (size_t k = 0; k < n; k++) {
		uint8_t *byte = fake_find(memory, address + k);

		if (!byte) {
			if (memory->n_pages == FAKE_MAX_PAGES)
				abort();
			memory->pages[memory->n_pages++].address = (address + k) &
								   ~(uint64_t)(FAKE_PAGE_BYTES - 1);
			byte = fake_find(memory, address + k);
		}
		*byte = ((const uint8_t *)bytes)[k];
	}
}

static inline void fake_put_u64(struct fake_memory *memory, uint64_t address, uint64_t value)
{
	fake_put(memory, address, &value, sizeof(value));
}

static inline void fake_put_u32(struct fake_memory *memory, uint64_t address, uint32_t value)
{
	fake_put(memory, address, &value, sizeof(value));
}

#endif
