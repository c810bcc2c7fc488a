/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a program prints without end, kept within bounds: how it began, and how it ended. */
#ifndef KTSTR_SUITE_STREAM_H
#define KTSTR_SUITE_STREAM_H

#include "base/strbuf.h"

struct suite_stream {
	int fd; /* does not block; -1: closed */
	size_t head_limit, tail_limit;
	struct strbuf head, tail; /* the tail may hold up to twice its limit */
	uint64_t bytes;
};

/* Takes the descriptor. */
void suite_stream_init(struct suite_stream *stream, int fd, size_t head_limit, size_t tail_limit);
void suite_stream_deinit(struct suite_stream *stream);
/* Takes what there is to read; does not wait. The descriptor is closed at its end. */
void suite_stream_pump(struct suite_stream *stream);
void suite_stream_take(struct suite_stream *stream, const char *bytes, size_t n);
/* All of it, or with a line in the middle that says how much is missing. */
void suite_stream_text(const struct suite_stream *stream, struct strbuf *into);
/*
 * The last line that speaks of a failure, for usage and hints often follow it; when none does, the
 * last one that is not blank. At most its first limit_bytes. NULL: none. The caller owns it.
 */
char *suite_stream_last_words(const struct suite_stream *stream, size_t limit_bytes);
bool suite_stream_line_speaks_of_failure(const char *line, size_t n);

#endif
