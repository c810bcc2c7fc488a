/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of a process's objects holds the jemalloc to read, and where its counters are. */
#ifndef KTSTR_PROBE_RESOLVE_H
#define KTSTR_PROBE_RESOLVE_H

#include "probe/objects.h"
#include "probe/state.h"

/*
 * Fills probe->place, evidence, object_path, offsets_source and others. Of several jemallocs it
 * is the one that most was allocated with. Errors of the attach domain, except BASE_CANCELLED.
 */
struct error *resolve_jemalloc(struct probe *probe, struct objects *objects,
			       const struct probe_options *options) MUST_CHECK;

#endif
