/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Snapshots in files: a file is a row of zstd frames, each of them one JSON object. man 5
 * ktstr-snapshot says what stands in it.
 */
#ifndef KTSTR_CTPROF_FILE_FILE_H
#define KTSTR_CTPROF_FILE_FILE_H

#include "base/cancel.h"
#include "base/error.h"
#include "ctprof/snapshot.h"

struct ctprof_snapshot_frame_size {
	uint64_t json_bytes; /* before compression */
	uint64_t file_bytes;
};

/* Writes one frame where fd stands. `label` names it in errors; ret may be NULL. */
struct error *ctprof_snapshot_write_frame(const struct ctprof_snapshot *snapshot, int fd,
					  const char *label,
					  struct ctprof_snapshot_frame_size *ret) MUST_CHECK;

/*
 * A file that snapshots are put into, one after the other. The first replaces the file whole, by
 * one rename; each further one is appended and synced, and cut off again when that fails. "-" is
 * standard output. What exists and is not a regular file (a pipe, a device) is written into.
 */
struct ctprof_snapshot_output;

/* Finds out whether the file could be written, and changes nothing yet. */
struct error *ctprof_snapshot_output_open(const char *path,
					  struct ctprof_snapshot_output **ret) MUST_CHECK;
struct error *ctprof_snapshot_output_add(struct ctprof_snapshot_output *output,
					 const struct ctprof_snapshot *snapshot,
					 struct ctprof_snapshot_frame_size *ret) MUST_CHECK;
void ctprof_snapshot_output_free(struct ctprof_snapshot_output *output);
DEFINE_CLEANUP(ctprof_snapshot_output, struct ctprof_snapshot_output *, NULL,
	       ctprof_snapshot_output_free);
#define _cleanup_ctprof_snapshot_output_ _cleanup_(cleanup_ctprof_snapshot_output)

struct ctprof_snapshot_load_options {
	/* What the loaded snapshot may take; 0: half of what this machine has to spare now. */
	uint64_t memory_bytes;
	const struct cancel *cancel; /* may be NULL */
};

/* Where a snapshot came from. */
struct ctprof_snapshot_origin {
	char *path;
	uint64_t frame;	     /* from 1 */
	uint64_t frames;     /* whole ones in the file */
	uint64_t torn_bytes; /* behind them: an incomplete frame, which was left out */
};

void ctprof_snapshot_origin_deinit(struct ctprof_snapshot_origin *origin);
#define _cleanup_ctprof_snapshot_origin_ _cleanup_(ctprof_snapshot_origin_deinit)

/*
 * `name` is FILE, which means its first snapshot, or FILE@N; a file that bears the whole name
 * comes first. "-" is standard input. BASE_ABSENT when there is no such frame, BASE_PARSE with the
 * place in the JSON when it makes no sense, BASE_LIMIT past the memory. options and ret_origin may
 * be NULL. *ret is initialised by the call, and only when it succeeds.
 */
struct error *ctprof_snapshot_load(const char *name,
				   const struct ctprof_snapshot_load_options *options,
				   struct ctprof_snapshot *ret,
				   struct ctprof_snapshot_origin *ret_origin) MUST_CHECK;

#endif
