/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a file of frames to a snapshot, in three steps: where the frames are, the pieces of one
 * object as its bytes come in, and what the pieces say.
 */
#ifndef KTSTR_CTPROF_FILE_LOAD_H
#define KTSTR_CTPROF_FILE_LOAD_H

#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "ctprof/file/record.h"
#include "ctprof/snapshot.h"

/* Every bound of what files of snapshots may cost. */

/* Half of the memory that is free, but never less or more than this, holds a loaded snapshot. */
#define CTPROF_SNAPSHOT_MEMORY_LEAST (UINT64_C(256) << 20)
#define CTPROF_LIMIT_SNAPSHOT_MEMORY (UINT64_C(16) << 30)
/* JSON takes about four times the memory of what it says; more than this is padding. */
#define CTPROF_SNAPSHOT_JSON_PER_MEMORY 16

enum {
	/* One thread, or one member of the object that is neither threads nor cgroups. */
	CTPROF_LIMIT_THREAD_BYTES = 4 << 20,
	CTPROF_LIMIT_MEMBER_BYTES = 32 << 20,
	CTPROF_LIMIT_KEY_BYTES = 64 << 10,
	/* CPUs that one thread may be allowed to run on. */
	CTPROF_LIMIT_CPUS = 1 << 18,
	/* Distinct sets of what is known; each thread has one. */
	CTPROF_LIMIT_SETS = 1 << 20,
	/* zstd's window: 2^27 bytes is what its own tools accept. */
	CTPROF_LIMIT_WINDOW_LOG = 27,
	/* Frames that are looked for in one file. */
	CTPROF_LIMIT_FRAMES = 1 << 24,
};

/*
 * Where the zstd frames of a file begin and end, found from their headers alone: nothing is
 * decompressed (RFC 8878, 3.1.1).
 */
enum ctprof_frame_state {
	CTPROF_FRAME_WHOLE,
	CTPROF_FRAME_SKIPPABLE, /* whole, and without a snapshot */
	CTPROF_FRAME_TORN,	/* the file ends before the frame does */
	CTPROF_FRAME_NONE,	/* there are bytes that begin no frame */
};

struct ctprof_frame_extent {
	enum ctprof_frame_state state;
	uint64_t size; /* of a whole one */
};

/* The frame that begins at offset < file_bytes. */
struct error *ctprof_frame_find(int fd, const char *label, uint64_t offset, uint64_t file_bytes,
				struct ctprof_frame_extent *ret) MUST_CHECK;

struct ctprof_frames_found {
	uint64_t whole;		/* skippable ones are not counted */
	uint64_t torn_bytes;	/* behind the last whole one */
	uint64_t offset, bytes; /* of the frame that was asked for, if there are as many */
};

/*
 * Counts the frames of a file and finds number `wanted`, from 1. BASE_PARSE when something in it is
 * no frame.
 */
struct error *ctprof_frames_count(int fd, const char *label, uint64_t file_bytes, uint64_t wanted,
				  struct ctprof_frames_found *ret) MUST_CHECK;

/*
 * A large JSON object in pieces, as its bytes come in: each member is one piece, and members that
 * the owner wants to see opened come element by element. Nothing but the piece at hand is held.
 *
 * Syntax between pieces is checked here, the pieces themselves by their parsers.
 */
struct ctprof_split_piece {
	const char *key; /* of the member of the outermost object */
	/* Of an opened member; inner is NULL in an array. */
	bool opened;
	const char *inner;
	size_t index;
	struct strbuf *text; /* borrowed: one JSON value */
};

struct ctprof_split_callbacks {
	/* Whether the container that is this member's value shall come in pieces. */
	bool (*opens)(void *arg, const char *key);
	/* Most bytes of a piece of this member. */
	size_t (*limit)(void *arg, const char *key);
	struct error *(*piece)(void *arg, const struct ctprof_split_piece *piece);
	/* An opened member ended; it may have had no piece at all. May be NULL. */
	struct error *(*opened)(void *arg, const char *key, bool object);
	void *arg;
};

enum ctprof_split_state {
	CTPROF_SPLIT_START, /* before the outermost brace */
	CTPROF_SPLIT_FIRST, /* behind an opening brace or bracket */
	CTPROF_SPLIT_KEY,   /* a key must follow */
	CTPROF_SPLIT_IN_KEY,
	CTPROF_SPLIT_COLON,
	CTPROF_SPLIT_VALUE, /* a value must follow */
	CTPROF_SPLIT_IN_CONTAINER,
	CTPROF_SPLIT_IN_STRING,
	CTPROF_SPLIT_IN_SCALAR,
	CTPROF_SPLIT_BEHIND, /* a comma or the end of the container must follow */
	CTPROF_SPLIT_END,
};

struct ctprof_split {
	struct ctprof_split_callbacks callbacks;
	enum ctprof_split_state state;
	bool opened, opened_is_object;
	/* In a string of a piece, or in a key; behind a backslash there. */
	bool in_string, escaped;
	size_t depth; /* of brackets in the piece */
	size_t limit; /* of the piece */
	size_t index;
	uint64_t bytes; /* taken so far */
	struct strbuf text;
	char *key, *inner;
};

void ctprof_split_init(struct ctprof_split *split, const struct ctprof_split_callbacks *callbacks);
void ctprof_split_deinit(struct ctprof_split *split);
#define _cleanup_ctprof_split_ _cleanup_(ctprof_split_deinit)

/* BASE_PARSE with the byte; an error of a callback ends it as well. No call after an error. */
struct error *ctprof_split_feed(struct ctprof_split *split, const char *bytes, size_t n) MUST_CHECK;
/* BASE_PARSE when the object is not complete. */
struct error *ctprof_split_finish(struct ctprof_split *split) MUST_CHECK;

struct ctprof_loader {
	struct ctprof_snapshot snapshot;
	uint64_t memory_limit, memory_used;
	struct ctprof_split split;
	struct ctprof_thread_hints hints;
	struct ctprof_presence_sets sets;
	VEC(uint32_t) set_of; /* of each thread: its set's number */
	uint32_t seen;	      /* members of the object */
};

void ctprof_loader_init(struct ctprof_loader *loader, uint64_t memory_bytes);
void ctprof_loader_deinit(struct ctprof_loader *loader);
#define _cleanup_ctprof_loader_ _cleanup_(ctprof_loader_deinit)

struct error *ctprof_loader_feed(struct ctprof_loader *loader, const char *bytes,
				 size_t n) MUST_CHECK;
/* Hands the snapshot out; the caller owns it. */
struct error *ctprof_loader_finish(struct ctprof_loader *loader,
				   struct ctprof_snapshot *ret) MUST_CHECK;

#endif
