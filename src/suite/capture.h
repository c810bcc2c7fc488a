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

struct suite_capture {
	char *at; /* NULL while empty: use suite_capture_str() */
	size_t n; /* kept */
	size_t capacity;
	size_t limit;
	uint64_t total;			     /* written by the program */
	char last[SUITE_PAYLOAD_TAIL_BYTES]; /* of those that were not kept */
	size_t n_last;
};

void suite_capture_init(struct suite_capture *capture, size_t limit);
void suite_capture_deinit(struct suite_capture *capture);

enum suite_capture_state {
	SUITE_CAPTURE_TAKEN,
	SUITE_CAPTURE_NOTHING_YET,
	SUITE_CAPTURE_ENDED, /* nobody can write any more */
};
/* One read() of a descriptor that does not block, of at most that many bytes. */
enum suite_capture_state suite_capture_take(struct suite_capture *capture, int fd, size_t at_most);
/* What the pipe holds at this moment and not a byte of what comes later: others may write on. */
void suite_capture_take_rest(struct suite_capture *capture, int fd);

/* Never NULL, with a NUL behind it. */
const char *suite_capture_str(const struct suite_capture *capture);
uint64_t suite_capture_dropped(const struct suite_capture *capture);
/* Appends the last SUITE_PAYLOAD_TAIL_BYTES that the program wrote, or fewer. */
void suite_capture_tail(const struct suite_capture *capture, struct strbuf *into);

#endif
