/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a program wrote to one stream: the first bytes up to a limit, how many there were in all,
 * and the very last ones even when they did not fit.
 */
#ifndef KTSTR_SUITE_CAPTURE_H
#define KTSTR_SUITE_CAPTURE_H

#include "base/macros.h"
#include "base/strbuf.h"
#include "suite/payload_limits.h"

struct capture {
	char *at; /* NULL while empty: use capture_str() */
	size_t n; /* kept */
	size_t capacity;
	size_t limit;
	uint64_t total;		       /* written by the program */
	char last[PAYLOAD_TAIL_BYTES]; /* of those that were not kept */
	size_t n_last;
};

void capture_init(struct capture *capture, size_t limit);
void capture_deinit(struct capture *capture);

enum capture_state {
	CAPTURE_TAKEN,
	CAPTURE_NOTHING_YET,
	CAPTURE_ENDED, /* nobody can write any more */
};
/* One read() of a descriptor that does not block, of at most that many bytes. */
enum capture_state suite_capture_take(struct capture *capture, int fd, size_t at_most);
/* What the pipe holds at this moment and not a byte of what comes later: others may write on. */
void capture_take_rest(struct capture *capture, int fd);

/* Never NULL, with a NUL behind it. */
const char *capture_str(const struct capture *capture);
uint64_t capture_dropped(const struct capture *capture);
/* Appends the last PAYLOAD_TAIL_BYTES that the program wrote, or fewer. */
void capture_tail(const struct capture *capture, struct strbuf *into);

#endif
