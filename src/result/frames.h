/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a guest with a virtual clock sent, a line for every frame, in a file beside the record: two
 * runs are compared by it, and the first frame that differs says when they parted.
 *
 *	ktstr-frames 1
 *	0 1 0 5250000000 96 9e3779b97f4a7c15
 *	1 6 2 5250013376 12 0123456789abcdef
 *	end 2 f39cc0605cedc834
 *
 * A line is number, type (as in PROTOCOL.md), channel, the guest's CLOCK_MONOTONIC in ns, bytes of
 * the payload and their hash. The end says how many frames there were, of which the first
 * RESULT_LIMIT_FRAMES have lines, and the digest of all of them.
 */
#ifndef KTSTR_RESULT_FRAMES_H
#define KTSTR_RESULT_FRAMES_H

#include "base/error.h"
#include "base/strbuf.h"
#include "base/vec.h"

#define RESULT_FRAMES_FILE_TAIL ".frames"

struct result_frame {
	uint64_t time_ns, hash;
	uint32_t type, channel, n;
};

struct result_frames {
	VEC(struct result_frame) frames; /* at most RESULT_LIMIT_FRAMES */
	uint64_t n_sent;		 /* all of them */
	uint64_t digest;
};

void result_frames_deinit(struct result_frames *frames);
#define _cleanup_result_frames_ __attribute__((cleanup(result_frames_deinit)))

/* Past the limit a frame is only counted. */
void result_frames_add(struct result_frames *frames, const struct result_frame *frame);

void result_frames_format(const struct result_frames *frames, struct strbuf *into);
/* The bytes are foreign. BASE_PARSE, BASE_LIMIT; *ret is untouched then. */
struct error *result_frames_parse(const char *text, size_t n, const char *label,
				  struct result_frames *ret) MUST_CHECK;

/* `path` is in dir. Takes the place of another file of that name. */
struct error *result_frames_write(const char *dir, const char *path,
				  const struct result_frames *frames) MUST_CHECK;
/* Of a regular file; BASE_ABSENT and BASE_IO too. */
struct error *result_frames_read(const char *path, struct result_frames *ret) MUST_CHECK;

/*
 * The number of the first frame in which they differ; one of them may have ended there. False:
 * they have none, as far as there are lines.
 */
bool result_frames_find_difference(const struct result_frames *a, const struct result_frames *b,
				   size_t *ret_number);

#endif
