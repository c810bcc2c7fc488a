/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A Linux kernel in a guest's memory, found without help: no vmlinux, no agent, no registers.
 *
 *	VMCOREINFO ─> page tables ─> kallsyms ─> "does the kernel point to such a note?"
 *	                                      └> direct map, CPUs, types (BTF), members
 *
 * Everything in it was written by the guest. Pointers are values to be read through `space`,
 * lengths are checked, and what could not be found is absent with a reason.
 */
#ifndef KTSTR_KMEM_KMEM_H
#define KTSTR_KMEM_KMEM_H

#include "btf/btf.h"
#include "kmem/fields.h"
#include "kmem/names.h"
#include "kmem/space.h"
#include "kmem/vmcoreinfo.h"

/*
 * The guest's CPUs and where each keeps its own copy of a per-CPU variable: symbol +
 * __per_cpu_offset[cpu], modulo 2^64, in every version. Entries of CPUs that are not possible hold
 * something all the same: ask the mask.
 */

struct kmem_cpus {
	uint32_t n; /* nr_cpu_ids: numbers run from 0 to n - 1 */
	uint64_t *offsets;
	uint64_t *possible, *online; /* bit masks */
};

struct error *kmem_cpus_read(struct kmem_space *space, struct kmem_names *names,
			     struct kmem_cpus *ret) MUST_CHECK;
void kmem_cpus_deinit(struct kmem_cpus *cpus);

bool kmem_cpus_is_possible(const struct kmem_cpus *cpus, uint32_t cpu);
bool kmem_cpus_is_online(const struct kmem_cpus *cpus, uint32_t cpu);
/* Of a per-CPU symbol or of a pointer that alloc_percpu() gave. False: no such CPU. */
bool kmem_cpus_address(const struct kmem_cpus *cpus, uint32_t cpu, uint64_t address,
		       uint64_t *ret) MUST_CHECK;

/* As uname(2) says; each text ends with a NUL. */
struct kmem_uname {
	char sysname[65], nodename[65], release[65], version[65], machine[65];
};

struct kmem {
	struct kmem_reader reader;
	struct kmem_space space;
	struct kmem_vmcoreinfo info;
	struct kmem_names names;
	uint64_t note_physical;	    /* of the note that the kernel points to */
	unsigned int n_stale_notes; /* found before, of other kernels */
	uint64_t scanned_bytes;
	struct kmem_uname uname;

	/* 0: the kernel has no such symbol. */
	uint64_t page_offset_base, vmalloc_base, vmemmap_base;

	/* Each with its reason when it is absent: cpus.n is 0. Types: see kmem_types(). */
	struct kmem_cpus cpus;
	struct error *no_cpus;
	struct btf *btf;
	void *btf_bytes;
	struct error *no_btf;
	struct kmem_fields fields;

	bool from_cache;	/* it was known before */
	struct error *no_cache; /* why not; NULL as well when it was not asked for */
	size_t n_cached;	/* symbols that were known */
};

/*
 * `note` is VMCOREINFO's text from a core file; without one (n is 0) memory is searched. The
 * reader is copied; what it reads from must outlive *ret. KMEM_NO_NOTE: nothing was found;
 * otherwise the error of the last candidate.
 *
 * In `cache_dir` (may be NULL) kmem_save_cache() may have left what it knew of this kernel. What is
 * found does not depend on it, only how soon.
 */
#define KMEM_CACHE_DIRECTORY "kernel-memory" /* the usual one, below the project's cache */
struct error *kmem_attach(const struct kmem_reader *reader, struct bytes note,
			  const char *cache_dir, struct kmem **ret) MUST_CHECK;
/*
 * Keeps what has been found out, for the next time; called after all was looked at. Nothing happens
 * when nothing is new, or when the kernel has no build-id or no types.
 */
struct error *kmem_save_cache(struct kmem *kmem, const char *cache_dir) MUST_CHECK;
void kmem_free(struct kmem *kmem);
DEFINE_CLEANUP(kmem, struct kmem *, NULL, kmem_free);
#define _cleanup_kmem_ _cleanup_(cleanup_kmem)

/* The kernel's types; NULL: there are none, kmem->no_btf says why. */
const struct btf *kmem_types(struct kmem *kmem);

/* A member of the object at `base`: see kmem_field_read() and kmem_field_read_text(). */
enum kmem_status kmem_get(struct kmem *kmem, enum kmem_field_id id, uint64_t base,
			  uint64_t *ret) MUST_CHECK;
enum kmem_status kmem_get_text(struct kmem *kmem, enum kmem_field_id id, uint64_t base, char *buf,
			       size_t size) MUST_CHECK;
/* Where it begins, 0 when it is not known. */
uint64_t kmem_offset(const struct kmem *kmem, enum kmem_field_id id);

/* The address of a symbol. KMEM_NO_SYMBOL when there is none or several share the name. */
struct error *kmem_symbol(struct kmem *kmem, const char *name, uint64_t *ret) MUST_CHECK;
/* The unsigned value of a variable with that name and width. */
struct error *kmem_variable(struct kmem *kmem, const char *name, unsigned int width,
			    uint64_t *ret) MUST_CHECK;

#endif
