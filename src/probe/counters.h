/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From thread pointers to counters: many threads, few system calls. */
#ifndef KTSTR_PROBE_COUNTERS_H
#define KTSTR_PROBE_COUNTERS_H

#include "base/error.h"
#include "probe/tracer.h"
#include "probe/glibc.h"

/* What the dynamic loader knows about a library's thread-local storage. */

enum {
	PROBE_LIMIT_LIBRARIES = 65536,
	PROBE_LIMIT_NAMESPACES = 64,
	PROBE_LIMIT_SLOTINFO_LISTS = 4096,
};

struct probe_library_tls {
	uint64_t module_id;
	/* Block = thread pointer - offset when the library has a place in the static area. */
	bool is_static;
	uint64_t static_offset;
	/* Generation of the module's slot: a thread's DTV older than it says nothing about the
	 * module. */
	uint64_t generation;
};

/*
 * Finds the library loaded with this bias by walking _r_debug. BASE_ABSENT with
 * the reason when it is not there or has no thread-local storage.
 */
struct error *probe_link_map_find_tls(const struct probe_remote *remote,
				      const struct probe_glibc_layout *layout, uint64_t bias,
				      struct probe_library_tls *ret) MUST_CHECK;

/* A thread's own vector of TLS blocks, for libraries without a place in the static area. */
enum probe_dtv_status {
	PROBE_DTV_FOUND,
	PROBE_DTV_UNTOUCHED, /* the thread has never used the library: its counters are 0 */
	PROBE_DTV_UNREADABLE,
};

struct probe_dtv_lookup {
	uint64_t thread_pointer; /* input */
	enum probe_dtv_status status;
	enum probe_remote_status why; /* with PROBE_DTV_UNREADABLE */
	uint64_t block;		      /* with PROBE_DTV_FOUND */
};

/* All threads at once, in three rounds of batched reads. */
void probe_dtv_find_blocks(const struct probe_remote *remote,
			   const struct probe_glibc_layout *layout,
			   const struct probe_library_tls *tls, struct probe_dtv_lookup *lookups,
			   size_t n);

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

/* These offsets are those of two counters in jemalloc's order. */
bool probe_counters_are_sane(uint64_t allocated, uint64_t deallocated);
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
