/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where jemalloc keeps the counters, for builds without debug information. The
 * rows of layouts.def are made by tools/layout-table from real builds: each was asked
 * where its counters are. A row is only believed after the live process was seen to
 * agree with it.
 */
#ifndef KTSTR_PROBE_LAYOUT_H
#define KTSTR_PROBE_LAYOUT_H

#include "base/macros.h"
#include "probe/jemalloc.h"

struct layout {
	const char *version;
	uint64_t tls_bytes;  /* of the object's whole thread-local segment */
	uint64_t tsd_bytes;  /* of the variable alone; 0 when the build did not say */
	uint64_t tsd_offset; /* of the variable in the segment */
	/* All from the start of the segment. */
	uint64_t allocated;
	uint64_t next_event; /* the word between the counters */
	uint64_t deallocated;
	uint64_t state; /* one byte */
	const char *origin;
};

extern const struct layout layouts[];
extern const size_t n_layouts;

/*
 * The row for this object, or NULL. Without the symbol the segment's size must
 * match; with it the variable's size must, wherever it lies in the segment.
 */
const struct layout *layout_find(const struct jemalloc_signs *signs, uint64_t tls_bytes);
/* How far the row's offsets move when the variable lies elsewhere in this object's segment. */
int64_t layout_shift(const struct layout *layout, const struct jemalloc_signs *signs);

/* What one look at a thread shows of the places a row names. */
struct layout_sample {
	uint64_t allocated;
	uint64_t next_event;
	uint64_t deallocated;
	uint8_t state;
};

/* Could these bytes be what the row says they are? */
bool layout_sample_fits(const struct layout_sample *sample);
/* And could the second be the first, later? */
bool layout_samples_fit(const struct layout_sample *first, const struct layout_sample *second);

#endif
