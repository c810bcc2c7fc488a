// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/cmd_capture.h"

#include <inttypes.h>

void screen_format_progress(const struct ctprof_progress *progress, struct strbuf *into)
{
	strbuf_append(into, progress->stage ? progress->stage : "working");
	if (progress->processes_total)
		strbuf_appendf(into, ": %" PRIu64 " of %" PRIu64 " processes",
			       progress->processes_done, progress->processes_total);
	if (progress->threads)
		strbuf_appendf(into, ", %" PRIu64 " threads", progress->threads);
}

void screen_progress(const struct ctprof_progress *progress, void *screen)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	screen_format_progress(progress, &line);
	cli_screen_show(screen, strbuf_str(&line));
}

void screen_note(const char *line, void *screen_)
{
	struct cli_screen *screen = screen_;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!screen->verbose)
		return;
	strbuf_appendf(&text, "note: %s", line);
	cli_screen_say(screen, strbuf_str(&text));
}
