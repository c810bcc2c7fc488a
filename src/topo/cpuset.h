/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets of CPUs and the kernel's text for them: "0-3,5". A value of 1 KiB without pointers. */
#ifndef KTSTR_TOPO_CPUSET_H
#define KTSTR_TOPO_CPUSET_H

#include "base/strbuf.h"
#include "topo/error.h"
#include "topo/limits.h"

struct cpuset {
	uint64_t words[TOPO_LIMIT_CPUS / 64];
};

/* CPUs from TOPO_LIMIT_CPUS on are never members; adding one does nothing. */
void cpuset_add(struct cpuset *set, unsigned int cpu);
void cpuset_add_range(struct cpuset *set, unsigned int first, unsigned int last);
bool cpuset_has(const struct cpuset *set, unsigned int cpu);
bool cpuset_equal(const struct cpuset *a, const struct cpuset *b);
unsigned int cpuset_count(const struct cpuset *set);
/* The lowest member at or above `from`; TOPO_LIMIT_CPUS when there is none. */
unsigned int cpuset_next(const struct cpuset *set, unsigned int from);

#define cpuset_for_each(cpu, set)                                               \
	for (unsigned int cpu = cpuset_next((set), 0); (cpu) < TOPO_LIMIT_CPUS; \
	     (cpu) = cpuset_next((set), (cpu) + 1))

/*
 * Strict: numbers and ranges "a-b" with a <= b, separated by single commas,
 * each CPU once, in any order. No text is the empty set, as in /sys. One
 * newline may end it.
 */
struct error *cpuset_parse(const char *text, size_t n, struct cpuset *ret) MUST_CHECK;
/* Sorted and compact; nothing for the empty set. */
void cpuset_format(const struct cpuset *set, struct strbuf *into);

#endif
