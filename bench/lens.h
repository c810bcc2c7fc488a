/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places of a guest that are looked at again and again: found once, read together, each time anew.
 * For a guest that runs: no page that was read before is used again.
 *
 *	lens = kmem_lens_new(&kmem->space);
 *	status = kmem_lens_add(lens, address, n, &i);	now and then
 *	kmem_lens_look(lens);				often
 *	kmem_lens_at(lens, i, &bytes)
 *
 * What is found once is the physical address (by page tables as the space remembers them), so this
 *is for memory that stays where it is: per-CPU variables, the kernel's image, objects that live.
 *
 * RAM files on tmpfs are mapped, and a look is a copy; only pages that the file has are touched
 *there, because touching a hole would fill it. Memory of a process is read with one call for all
 *places. Everything else is read piece by piece.
 */
#ifndef KTSTR_BENCH_LENS_H
#define KTSTR_BENCH_LENS_H

#include "kmem/space.h"

/* Of one lens, together. */
enum { KMEM_LIMIT_LENS_PLACES = 1 << 16, KMEM_LIMIT_LENS_BYTES = 64 << 20 };

struct kmem_lens;

/* The space is borrowed, and with it the reader. */
struct kmem_lens *kmem_lens_new(struct kmem_space *space) MUST_CHECK;
void kmem_lens_free(struct kmem_lens *lens);
DEFINE_CLEANUP(kmem_lens, struct kmem_lens *, NULL, kmem_lens_free);
#define _cleanup_kmem_lens_ _cleanup_(cleanup_kmem_lens)

/*
 * *ret is the place's number, counted from 0; it is given for places that cannot be found as well,
 * which stay so. At most KMEM_LIMIT_LENS_PLACES of KMEM_LIMIT_LENS_BYTES together.
 */
struct error *kmem_lens_add(struct kmem_lens *lens, uint64_t address, size_t n,
			    size_t *ret) MUST_CHECK;
/* No places any more; what is mapped stays mapped. */
void kmem_lens_clear(struct kmem_lens *lens);

void kmem_lens_look(struct kmem_lens *lens);
/* Of the last look; KMEM_READ_UNKNOWN before the first. *ret holds until the next add or clear. */
enum kmem_status kmem_lens_at(const struct kmem_lens *lens, size_t i, struct bytes *ret) MUST_CHECK;

#endif
