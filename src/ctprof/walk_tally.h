/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What could not be read. Notes about a thread are held back until it is clear that the thread
 * belongs into the snapshot: one that ended before anything was read leaves none.
 */
#ifndef KTSTR_CTPROF_WALK_TALLY_H
#define KTSTR_CTPROF_WALK_TALLY_H

#include "ctprof/snapshot.h"

struct walk_notes {
	uint32_t absent;     /* METRIC_SOURCE_BIT of sources that were wanted and are not there */
	uint32_t unreadable; /* those of them whose file could not be read at all */
	uint8_t reasons[N_METRIC_SOURCES]; /* enum snapshot_reason, of the absent ones */
	unsigned int negative_times;
};

struct walk_tally {
	uint64_t tids_walked;
	uint64_t negative_times;
	uint64_t failures[N_METRIC_SOURCES];
	uint64_t reasons[N_METRIC_SOURCES][N_SNAPSHOT_REASONS];
};

void walk_notes_absent(struct walk_notes *notes, enum metric_source source,
		       enum snapshot_reason reason);
/* As above, and the file counts as one more that could not be read; a name never does. */
void walk_notes_unreadable(struct walk_notes *notes, enum metric_source source,
			   enum snapshot_reason reason);

void walk_tally_commit(struct walk_tally *tally, const struct walk_notes *notes);
void walk_tally_add(struct walk_tally *tally, const struct walk_tally *more);

/*
 * Into the snapshot, with the file that failed most (of equal ones the first in the alphabet) and
 * whether at least half are files that the kernel may have been built without.
 */
void walk_tally_summarise(const struct walk_tally *tally, struct snapshot *snapshot);

#endif
