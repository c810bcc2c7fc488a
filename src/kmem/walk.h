/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What all walks over a guest's lists and trees have in common: a bound, an end that is told, and
 * "shown a of b". A walk goes on counting after it has shown as much as was wanted.
 */
#ifndef KTSTR_KMEM_WALK_H
#define KTSTR_KMEM_WALK_H

#include "base/strbuf.h"
#include "kmem/space.h"

enum kmem_walk_end {
	KMEM_WALK_WHOLE,      /* to the end */
	KMEM_WALK_STOPPED,    /* the callback had enough */
	KMEM_WALK_LIMIT,      /* more steps than any kernel needs */
	KMEM_WALK_CYCLE,      /* it leads back into itself */
	KMEM_WALK_UNREADABLE, /* `status` at `failed` */
};

struct kmem_walk {
	/* How many to show, 0: all; and how much may be written of them. Set it before the walk. */
	uint64_t wanted;
	const size_t *written; /* so far, by whoever shows them; NULL: nobody counts */
	size_t most_written;
	/* Shared with other walks, so that lists of lists have an end; NULL: only its own limit. */
	uint64_t *steps_left;

	enum kmem_walk_end end;
	uint64_t n_shown, n; /* given to the callback, seen */
	/*
	 * Links that do not point back to where they were followed from: torn by a change in
	 * progress, or damaged. Lists are followed all the same; branches of trees are not.
	 */
	uint64_t n_crooked;
	enum kmem_status status;
	uint64_t failed;

	uint64_t n_steps;
};

/* Starts anew; what is wanted stays. */
void kmem_walk_begin(struct kmem_walk *walk);
/* One step more; false: that was too many, and the walk has ended. */
bool kmem_walk_step(struct kmem_walk *walk) MUST_CHECK;
/* A read with its failure noted; false: the walk has ended. */
bool kmem_walk_read(struct kmem_walk *walk, struct kmem_space *space, uint64_t address, void *buf,
		    size_t n) MUST_CHECK;
/* One thing was found: true if it is to be shown. */
bool kmem_walk_shows(struct kmem_walk *walk) MUST_CHECK;

/*
 * Brent: one element is remembered, after every power of two of steps another. Who meets it again
 * walks in a circle; no list of what was seen is needed. Starts as zeros.
 */
struct kmem_circle {
	uint64_t remembered;
	uint64_t since, until;
};
/* True: `at` was met before, and the walk has ended. */
bool kmem_walk_circles(struct kmem_walk *walk, struct kmem_circle *circle, uint64_t at) MUST_CHECK;

/* A walk was part of this one, as the chain of a bucket is: what was wrong with it counts here. */
void kmem_walk_join(struct kmem_walk *walk, const struct kmem_walk *part);

/* "5", "shown 5 of 12", "shown 5 of at least 9: it leads back into itself" and so on. */
void kmem_walk_format(const struct kmem_walk *walk, struct strbuf *into);

#endif
