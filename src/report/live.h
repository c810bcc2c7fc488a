/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The line at the bottom of a terminal that says what is running. It is cut to fit and the cursor
 * is left at its first column: a terminal that breaks it anew when it gets narrower keeps the
 * cursor at the first of the pieces, so that clearing from there to the end of the screen takes all
 * of them away and nothing else.
 */
#ifndef KTSTR_REPORT_LIVE_H
#define KTSTR_REPORT_LIVE_H

#include "base/strbuf.h"
#include "base/vec.h"

struct live_test {
	size_t index;
	char *name; /* escaped */
	char *stage;
	uint64_t since_ns;
};

struct live {
	VEC(struct live_test) running; /* the oldest first */
	uint64_t now_ns;
	uint64_t drawn_ns;
	uint64_t idle_ns;    /* since when nothing runs; 0: not known yet */
	struct strbuf shown; /* empty: nothing is on the screen */
};

void live_deinit(struct live *live);

void live_start(struct live *live, size_t index, const char *name, uint64_t now_ns);
void live_set_stage(struct live *live, size_t index, const char *stage);
/* Nothing when it never started. */
void live_stop(struct live *live, size_t index);

/*
 * The line as text, at most so many columns. With none running it is only the count, and after a
 * while what is waited for.
 */
void live_format(const struct live *live, size_t n_done, size_t n_tests, size_t columns,
		 struct strbuf *into);

/* Appends what takes the line off the screen, if it is there. */
void live_clear(struct live *live, struct strbuf *out);
/* Appends what shows `line`, unless it is what is shown already. */
void live_draw(struct live *live, const char *line, struct strbuf *out);
/* Time goes on; true when the line may be drawn again. */
bool live_is_due(struct live *live, uint64_t now_ns);

#endif
