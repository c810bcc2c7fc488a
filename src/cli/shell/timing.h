/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the milliseconds went, for -v. */
#ifndef KTSTR_CLI_SHELL_TIMING_H
#define KTSTR_CLI_SHELL_TIMING_H

#include "base/strbuf.h"

enum { TIMING_LIMIT = 12 };

struct timing {
	uint64_t begun_ns, last_ns;
	size_t n;
	struct {
		const char *what; /* static */
		uint64_t ns;
	} at[TIMING_LIMIT];
};

void timing_begin(struct timing *timing, uint64_t now_ns);
/* What lasted from the mark before this one to now. Past the limit marks are added to the last. */
void timing_mark(struct timing *timing, const char *what, uint64_t now_ns);
/* "kernel 0.3, restore 41.0; 41.3 ms in all". */
void timing_format(const struct timing *timing, struct strbuf *into);

#endif
