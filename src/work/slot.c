// SPDX-License-Identifier: LGPL-2.1-or-later
#include "work/group.h"

#include <string.h>

_Static_assert(sizeof(struct work_slot_figures) % sizeof(uint64_t) == 0, "copied in words");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2,
	       "a lock would not work between processes");

/*
 * Copy v & 1 is being written only while the version is v - 1. A reader that saw a word
 * of a later copy has, by acquire, also seen the version before it, and tries again. The
 * order is carried by the words themselves: fences are what ThreadSanitizer cannot see.
 */
void work_slot_publish(struct work_slot *slot, const struct work_slot_figures *figures)
{
	uint64_t next = atomic_load_explicit(&slot->version, memory_order_relaxed) + 1;
	uint64_t words[WORK_SLOT_WORDS];

	memcpy(words, figures, sizeof(words));
	for (size_t i = 0; i < WORK_SLOT_WORDS; i++)
		atomic_store_explicit(&slot->copies[next & 1][i], words[i], memory_order_release);
	atomic_store_explicit(&slot->version, next, memory_order_release);
}

bool work_slot_read(struct work_slot *slot, struct work_slot_figures *ret)
{
	uint64_t version = atomic_load_explicit(&slot->version, memory_order_acquire);
	uint64_t words[WORK_SLOT_WORDS], again;

	/* Ends: a dead writer changes nothing, a live one publishes far slower than this reads. */
	for (; version != 0; version = again) {
		for (size_t i = 0; i < WORK_SLOT_WORDS; i++)
			words[i] = atomic_load_explicit(&slot->copies[version & 1][i],
							memory_order_acquire);
		again = atomic_load_explicit(&slot->version, memory_order_acquire);
		if (again == version) {
			memcpy(ret, words, sizeof(words));
			return true;
		}
	}
	return false;
}

static void add(_Atomic uint64_t *words, unsigned int cpu)
{
	if (cpu < TOPO_LIMIT_CPUS)
		atomic_fetch_or_explicit(&words[cpu / 64], UINT64_C(1) << (cpu % 64),
					 memory_order_relaxed);
}

static void read_set(const _Atomic uint64_t *words, struct topo_cpuset *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(ret->words); i++)
		ret->words[i] = atomic_load_explicit(&words[i], memory_order_relaxed);
}

void work_slot_add_cpu(struct work_slot *slot, unsigned int cpu)
{
	add(slot->cpus, cpu);
}

void work_slot_read_cpus(struct work_slot *slot, struct topo_cpuset *ret)
{
	read_set(slot->cpus, ret);
}

void work_slot_add_outside(struct work_slot *slot, unsigned int cpu, const struct topo_cpuset *had)
{
	struct topo_cpuset before;

	read_set(slot->outside, &before);
	for (size_t i = 0; topo_cpuset_count(&before) == 0 && i < ARRAY_SIZE(had->words); i++)
		atomic_store_explicit(&slot->had[i], had->words[i], memory_order_relaxed);
	add(slot->outside, cpu);
}

void work_slot_read_outside(struct work_slot *slot, struct topo_cpuset *ret,
			    struct topo_cpuset *ret_had)
{
	read_set(slot->outside, ret);
	read_set(slot->had, ret_had);
}
