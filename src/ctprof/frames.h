/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the zstd frames of a file begin and end, found from their headers alone: nothing is
 * decompressed (RFC 8878, 3.1.1).
 */
#ifndef KTSTR_CTPROF_FRAMES_H
#define KTSTR_CTPROF_FRAMES_H

#include "base/error.h"

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

#endif
