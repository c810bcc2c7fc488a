/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets of CPUs and the kernel's text for them: "0-3,5". A value of 1 KiB without pointers. */
#ifndef KTSTR_TOPO_CPUSET_H
#define KTSTR_TOPO_CPUSET_H

#include "base/strbuf.h"
#include "topo/error.h"

struct topo_cpuset {
	uint64_t words[TOPO_LIMIT_CPUS / 64];
};

/* CPUs from TOPO_LIMIT_CPUS on are never members; adding one does nothing. */
void topo_cpuset_add(struct topo_cpuset *set, unsigned int cpu);
void topo_cpuset_add_range(struct topo_cpuset *set, unsigned int first, unsigned int last);
bool topo_cpuset_has(const struct topo_cpuset *set, unsigned int cpu);
bool topo_cpuset_equal(const struct topo_cpuset *a, const struct topo_cpuset *b);
unsigned int topo_cpuset_count(const struct topo_cpuset *set);
/* The lowest member at or above `from`; TOPO_LIMIT_CPUS when there is none. */
unsigned int topo_cpuset_next(const struct topo_cpuset *set, unsigned int from);

#define topo_cpuset_for_each(cpu, set)                                               \
	for (unsigned int cpu = topo_cpuset_next((set), 0); (cpu) < TOPO_LIMIT_CPUS; \
	     (cpu) = topo_cpuset_next((set), (cpu) + 1))

/*
 * Strict: numbers and ranges "a-b" with a <= b, separated by single commas,
 * each CPU once, in any order. No text is the empty set, as in /sys. One
 * newline may end it.
 */
struct error *topo_cpuset_parse(const char *text, size_t n, struct topo_cpuset *ret) MUST_CHECK;
/* Sorted and compact; nothing for the empty set. */
void topo_cpuset_format(const struct topo_cpuset *set, struct strbuf *into);

#endif
