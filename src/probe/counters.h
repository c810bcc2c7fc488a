/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From thread pointers to counters: many threads, few system calls. */
#ifndef KTSTR_PROBE_COUNTERS_H
#define KTSTR_PROBE_COUNTERS_H

#include "probe/glibc.h"
#include "probe/link_map.h"
#include "probe/remote.h"
#include "probe/arch.h"

/* jemalloc keeps them three words apart; more than this is another struct. */
enum { COUNTERS_MAX_SPAN_BYTES = 4096 };

/* Where the counters of every thread of one process are. */
struct counter_place {
	bool in_executable;
	struct elf_tls tls;	    /* in_executable */
	struct library_tls library; /* otherwise */
	/* From the start of the thread-local block. */
	uint64_t allocated;
	uint64_t deallocated;
};

enum counter_status {
	COUNTER_OK,
	COUNTER_UNREADABLE,
	COUNTER_NO_ADDRESS, /* the arithmetic does not fit */
};

struct counter_read {
	uint64_t thread_pointer; /* input */
	enum counter_status status;
	enum remote_status why; /* with COUNTER_UNREADABLE */
	uint64_t address;	/* of the first counter; 0 for a library the thread never used */
	uint64_t allocated_bytes;
	uint64_t deallocated_bytes;
};

/* The place's offsets are those of two counters in jemalloc's order. */
bool counter_place_is_sane(const struct counter_place *place);
/* Both counters of a thread come out of one range of one read. */
void counters_read(const struct remote *remote, const struct glibc_layout *glibc,
		   const struct counter_place *place, struct counter_read *reads, size_t n);
/* The address of an offset in each thread's block; status and address are set, nothing is read
 * there. */
void counters_locate(const struct remote *remote, const struct glibc_layout *glibc,
		     const struct counter_place *place, uint64_t offset, struct counter_read *reads,
		     size_t n);

#endif
