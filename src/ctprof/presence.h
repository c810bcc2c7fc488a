/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is known of each thread. Most threads of a host have the same set, so the file keeps each
 * set once and a thread only its number.
 */
#ifndef KTSTR_CTPROF_PRESENCE_H
#define KTSTR_CTPROF_PRESENCE_H

#include "ctprof/place.h"
#include "ctprof/snapshot.h"
#include "json/writer.h"

struct presence_set {
	uint32_t sources;
	uint64_t known[SAMPLE_WORDS];
};

struct presence_sets {
	VEC(struct presence_set) sets;
	size_t last; /* neighbours are mostly alike */
};

void presence_sets_deinit(struct presence_sets *sets);
#define _cleanup_presence_sets_ _cleanup_(presence_sets_deinit)

/* The number of the sample's set. */
uint32_t presence_add(struct presence_sets *sets, const struct thread_sample *sample);

/* Sources, reasons, paths and sets of the whole snapshot. */
void presence_write(const struct snapshot *snapshot, const struct presence_sets *sets,
		    struct json_writer *w);
struct error *presence_load(const struct json_value *value, const struct place *place,
			    struct snapshot *snapshot, struct presence_sets *ret) MUST_CHECK;

/* Takes away what the file does not vouch for. */
void presence_apply(const struct presence_set *set, struct thread_sample *sample);

#endif
