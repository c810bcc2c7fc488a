// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include "base/clock.h"

static double ms(uint64_t ns)
{
	return (double)ns / (double)NS_PER_MS;
}

void timing_begin(struct timing *timing, uint64_t now_ns)
{
	*timing = (struct timing){ .begun_ns = now_ns, .last_ns = now_ns };
}

void timing_mark(struct timing *timing, const char *what, uint64_t now_ns)
{
	if (timing->n < TIMING_LIMIT)
		timing->at[timing->n++].what = what;
	timing->at[timing->n - 1].ns += now_ns - timing->last_ns;
	timing->last_ns = now_ns;
}

void timing_format(const struct timing *timing, struct strbuf *into)
{
	for (size_t i = 0; i < timing->n; i++)
		strbuf_appendf(into, "%s%s %.1f", i ? ", " : "", timing->at[i].what,
			       ms(timing->at[i].ns));
	strbuf_appendf(into, "; %.1f ms in all", ms(timing->last_ns - timing->begun_ns));
}
