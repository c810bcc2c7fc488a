/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where jemalloc's thread data lies in the initial image of an object's thread-local storage,
 * told by its initial values: each thread's block starts as a copy of that image. It needs no
 * symbols, and it holds for every configuration of jemalloc 5.2 and 5.3.
 */
#ifndef KTSTR_PROBE_TSD_IMAGE_H
#define KTSTR_PROBE_TSD_IMAGE_H

#include "base/bytes.h"

enum {
	/* rtree_ctx_t: 16 entries of the direct-mapped cache and 8 of the second level. */
	TSD_RTREE_PAIRS = 24,
	TSD_RTREE_BYTES = TSD_RTREE_PAIRS * 16,
	TSD_RTREE_NO_KEY = 1, /* RTREE_LEAFKEY_INVALID */
	/* tsd_state_nominal, _nominal_slow and _nominal_recompute: 0 to 2. */
	TSD_STATE_LAST_NOMINAL = 2,
	TSD_STATE_UNINITIALIZED = 6,
};

struct tsd_place {
	uint64_t state;	      /* offset of the state byte in the block */
	bool rtree_is_before; /* the radix tree's cache ends there (5.3); otherwise it follows (5.2)
			       */
};

/* The first max of them; how many there are in all. */
size_t tsd_image_find(struct bytes image, struct tsd_place *ret, size_t max);

#endif
