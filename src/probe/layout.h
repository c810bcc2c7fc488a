/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where jemalloc keeps the counters, for builds without debug information. The
 * rows of layouts.def are made by tools/layout-table from real builds: each was asked
 * where its counters are. Those of layouts_observed.def were seen in programs whose build
 * is not available. A row is used only after the live process has confirmed it.
 */
#ifndef KTSTR_PROBE_LAYOUT_H
#define KTSTR_PROBE_LAYOUT_H

#include "probe/object_facts.h"

struct probe_layout {
	const char *version; /* a row may have the hash abbreviated */
	uint64_t tls_bytes;  /* of the whole thread-local segment of the build that was asked */
	/* All from the start of that segment; how they lie to each other depends on the version
	 * only.
	 */
	uint64_t state;	    /* one byte */
	uint64_t rtree_ctx; /* PROBE_TSD_RTREE_BYTES */
	uint64_t allocated;
	uint64_t next_event; /* the word between the counters; 0 before 5.3, which has none */
	uint64_t deallocated;
	const char *origin;
};

extern const struct probe_layout probe_layouts[];
extern const size_t probe_n_layouts;

/* The row for this version, or NULL. */
const struct probe_layout *probe_layout_find(const char *version);
/*
 * How far the row's offsets move in this object, for each place where its thread data may be.
 * At most PROBE_LIMIT_TSD_PLACES; how many in ret.
 */
size_t probe_layout_shifts(const struct probe_layout *layout,
			   const struct probe_object_facts *facts, int64_t *ret);

/* What one look at a thread shows of the places a row names. */
struct probe_layout_sample {
	uint64_t allocated;
	uint64_t deallocated;
	/* Only with next_event: of allocated and of deallocated. */
	uint64_t next_event, next_free_event;
	uint64_t rtree_ctx[2 * PROBE_TSD_RTREE_PAIRS];
	uint8_t state;
};

enum probe_layout_verdict {
	PROBE_LAYOUT_MISFIT,
	PROBE_LAYOUT_FITS,   /* as far as it goes: the thread has not allocated */
	PROBE_LAYOUT_PROVEN, /* nothing else looks like this */
};

/* Could these bytes be what the row says they are? */
enum probe_layout_verdict probe_layout_judge(const struct probe_layout *layout,
					     const struct probe_layout_sample *sample);
/* And could the second be the first, later? */
bool probe_layout_samples_fit(const struct probe_layout_sample *first,
			      const struct probe_layout_sample *second);

#endif
