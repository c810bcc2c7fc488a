/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A snapshot out of the bytes of one JSON object, as they come out of the decompressor. */
#ifndef KTSTR_CTPROF_LOAD_H
#define KTSTR_CTPROF_LOAD_H

#include "ctprof/record.h"
#include "ctprof/snapshot.h"
#include "ctprof/split.h"

struct loader {
	struct snapshot snapshot;
	uint64_t memory_limit, memory_used;
	struct split split;
	struct thread_hints hints;
	struct presence_sets sets;
	VEC(struct thread_marks) marks; /* of each thread */
	uint32_t seen;			/* members of the object */
};

void loader_init(struct loader *loader, uint64_t memory_bytes);
void loader_deinit(struct loader *loader);
#define _cleanup_loader_ _cleanup_(loader_deinit)

struct error *loader_feed(struct loader *loader, const char *bytes, size_t n) MUST_CHECK;
/* Hands the snapshot out; the caller owns it. */
struct error *loader_finish(struct loader *loader, struct snapshot *ret) MUST_CHECK;

#endif
