/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From thread pointers to counters: many threads, few system calls. */
#ifndef KTSTR_PROBE_COUNTERS_H
#define KTSTR_PROBE_COUNTERS_H

#include "probe/glibc.h"
#include "probe/link_map.h"
#include "probe/remote.h"
#include "probe/arch.h"

/* jemalloc keeps them three words apart; more than this is another struct. */
enum { PROBE_LIMIT_COUNTER_SPAN_BYTES = 4096 };

/* Where the counters of every thread of one process are. */
struct probe_counter_place {
	bool in_executable;
	struct elf_tls tls;		  /* in_executable */
	struct probe_library_tls library; /* otherwise */
	/* From the start of the thread-local block. */
	uint64_t allocated;
	uint64_t deallocated;
};

enum probe_counter_status {
	PROBE_COUNTER_OK,
	PROBE_COUNTER_UNREADABLE,
	PROBE_COUNTER_NO_ADDRESS, /* the arithmetic does not fit */
};

struct probe_counter_read {
	uint64_t thread_pointer; /* input */
	enum probe_counter_status status;
	enum probe_remote_status why; /* with PROBE_COUNTER_UNREADABLE */
	uint64_t address; /* of the first counter; 0 for a library the thread never used */
	uint64_t allocated_bytes;
	uint64_t deallocated_bytes;
};

/* The place's offsets are those of two counters in jemalloc's order. */
bool probe_counter_place_is_sane(const struct probe_counter_place *place);
/* Both counters of a thread come out of one range of one read. */
void probe_counters_read(const struct probe_remote *remote, const struct probe_glibc_layout *glibc,
			 const struct probe_counter_place *place, struct probe_counter_read *reads,
			 size_t n);
/* The address of an offset in each thread's block; status and address are set, nothing is read
 * there. */
void probe_counters_locate(const struct probe_remote *remote,
			   const struct probe_glibc_layout *glibc,
			   const struct probe_counter_place *place, uint64_t offset,
			   struct probe_counter_read *reads, size_t n);

#endif
