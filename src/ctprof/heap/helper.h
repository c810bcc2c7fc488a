/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Work on foreign bytes in processes of its own: whatever the bytes do to the one who reads them,
 * the caller lives and goes on with the next.
 */
#ifndef KTSTR_CTPROF_HEAP_HELPER_H
#define KTSTR_CTPROF_HEAP_HELPER_H

#include "base/cancel.h"

struct ctprof_helper_limits {
	uint64_t memory_bytes; /* beyond what the caller itself has */
	unsigned int cpu_sec;  /* of one item */
	unsigned int wall_ms;  /* of one item */
};

extern const struct ctprof_helper_limits ctprof_helper_default_limits;

enum { CTPROF_HELPER_RESULT_BYTES = 16384 };

struct ctprof_helper_work {
	size_t n;	     /* items */
	size_t result_bytes; /* of each; at most CTPROF_HELPER_RESULT_BYTES */
	/* In a child, which has the caller's memory as it was when the work began. */
	void (*run)(void *arg, size_t item, void *result);
	/* In the caller; NULL: the child died of the item, or took longer than it may. */
	void (*done)(void *arg, size_t item, const void *result);
	void *arg;
};

/*
 * Each item once, `jobs` at a time. One that kills its child is done with NULL, and another child
 * goes on. When the cancel fires no more are begun and those under way are dropped: done() is not
 * called for them. Call it while no other thread holds a lock that run() needs.
 */
void ctprof_helper_run(const struct ctprof_helper_work *work, unsigned int jobs,
		       const struct ctprof_helper_limits *limits, const struct cancel *cancel);

#endif
