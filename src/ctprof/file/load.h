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
#define SNAPSHOT_MEMORY_LEAST (UINT64_C(256) << 20)
#define SNAPSHOT_MEMORY_MOST  (UINT64_C(16) << 30)
/* JSON takes about four times the memory of what it says; more than this is padding. */
#define SNAPSHOT_JSON_PER_MEMORY 16

enum {
	/* One thread, or one member of the object that is neither threads nor cgroups. */
	SNAPSHOT_THREAD_BYTES_LIMIT = 4 << 20,
	SNAPSHOT_MEMBER_BYTES_LIMIT = 32 << 20,
	SNAPSHOT_KEY_BYTES_LIMIT = 64 << 10,
	/* CPUs that one thread may be allowed to run on. */
	SNAPSHOT_CPUS_LIMIT = 1 << 18,
	/* Distinct sets of what is known; each thread has one. */
	SNAPSHOT_SETS_LIMIT = 1 << 20,
	/* zstd's window: 2^27 bytes is what its own tools accept. */
	SNAPSHOT_WINDOW_LOG_LIMIT = 27,
	/* Frames that are looked for in one file. */
	SNAPSHOT_FRAMES_LIMIT = 1 << 24,
};

/*
 * Where the zstd frames of a file begin and end, found from their headers alone: nothing is
 * decompressed (RFC 8878, 3.1.1).
 */
enum frame_state {
	FRAME_WHOLE,
	FRAME_SKIPPABLE, /* whole, and without a snapshot */
	FRAME_TORN,	 /* the file ends before the frame does */
	FRAME_NONE,	 /* there are bytes that begin no frame */
};

struct frame_extent {
	enum frame_state state;
	uint64_t size; /* of a whole one */
};

/* The frame that begins at offset < file_bytes. */
struct error *frame_find(int fd, const char *label, uint64_t offset, uint64_t file_bytes,
			 struct frame_extent *ret) MUST_CHECK;

struct frames_found {
	uint64_t whole;		/* skippable ones are not counted */
	uint64_t torn_bytes;	/* behind the last whole one */
	uint64_t offset, bytes; /* of the frame that was asked for, if there are as many */
};

/*
 * Counts the frames of a file and finds number `wanted`, from 1. BASE_PARSE when something in it is
 * no frame.
 */
struct error *frames_count(int fd, const char *label, uint64_t file_bytes, uint64_t wanted,
			   struct frames_found *ret) MUST_CHECK;

/*
 * A large JSON object in pieces, as its bytes come in: each member is one piece, and members that
 * the owner wants to see opened come element by element. Nothing but the piece at hand is held.
 *
 * What stands between pieces is checked here, what stands in them by whoever parses them.
 */
struct split_piece {
	const char *key; /* of the member of the outermost object */
	/* Of an opened member; inner is NULL in an array. */
	bool opened;
	const char *inner;
	size_t index;
	struct strbuf *text; /* borrowed: one JSON value */
};

struct split_callbacks {
	/* Whether the container that is this member's value shall come in pieces. */
	bool (*opens)(void *arg, const char *key);
	/* Most bytes of a piece of this member. */
	size_t (*limit)(void *arg, const char *key);
	struct error *(*piece)(void *arg, const struct split_piece *piece);
	/* An opened member ended; it may have had no piece at all. May be NULL. */
	struct error *(*opened)(void *arg, const char *key, bool object);
	void *arg;
};

enum split_state {
	SPLIT_START, /* before the outermost brace */
	SPLIT_FIRST, /* behind an opening brace or bracket */
	SPLIT_KEY,   /* a key must follow */
	SPLIT_IN_KEY,
	SPLIT_COLON,
	SPLIT_VALUE, /* a value must follow */
	SPLIT_IN_CONTAINER,
	SPLIT_IN_STRING,
	SPLIT_IN_SCALAR,
	SPLIT_BEHIND, /* a comma or the end of the container must follow */
	SPLIT_END,
};

struct ctprof_split {
	struct split_callbacks callbacks;
	enum split_state state;
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

void ctprof_split_init(struct ctprof_split *split, const struct split_callbacks *callbacks);
void ctprof_split_deinit(struct ctprof_split *split);
#define _cleanup_split_ _cleanup_(ctprof_split_deinit)

/* BASE_PARSE with the byte; an error of a callback ends it as well. No call after an error. */
struct error *split_feed(struct ctprof_split *split, const char *bytes, size_t n) MUST_CHECK;
/* BASE_PARSE when the object is not complete. */
struct error *split_finish(struct ctprof_split *split) MUST_CHECK;

struct loader {
	struct snapshot snapshot;
	uint64_t memory_limit, memory_used;
	struct ctprof_split split;
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
