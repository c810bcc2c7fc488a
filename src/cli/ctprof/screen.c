// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/cmd_capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "text/escape.h"
#include "text/terminal.h"

#define PATIENCE_NS NS_PER_SEC
#define REDRAW_NS   (100 * NS_PER_MS)

void screen_init(struct screen *screen, bool quiet, bool verbose)
{
	*screen = (struct screen){
		.quiet = quiet,
		.verbose = verbose,
		.terminal = terminal_is(STDERR_FILENO),
		.began_ns = clock_monotonic_ns(),
	};
}

void screen_begin(struct screen *screen)
{
	screen->began_ns = clock_monotonic_ns();
}

void screen_clear(struct screen *screen)
{
	if (screen->open_line)
		fputs("\r\033[K", stderr);
	screen->open_line = false;
}

void screen_say(struct screen *screen, const char *line)
{
	_cleanup_strbuf_ struct strbuf safe = STRBUF_INIT;

	if (screen->quiet)
		return;
	screen_clear(screen);
	text_escape(&safe, line);
	fprintf(stderr, "%s\n", strbuf_str(&safe));
}

void screen_format_progress(const struct capture_progress *progress, struct strbuf *into)
{
	strbuf_append(into, progress->stage ? progress->stage : "working");
	if (progress->processes_total)
		strbuf_appendf(into, ": %" PRIu64 " of %" PRIu64 " processes",
			       progress->processes_done, progress->processes_total);
	if (progress->threads)
		strbuf_appendf(into, ", %" PRIu64 " threads", progress->threads);
}

void screen_progress(const struct capture_progress *progress, void *screen_)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	struct screen *screen = screen_;
	uint64_t now = clock_monotonic_ns();

	if (screen->quiet || !screen->terminal || now - screen->began_ns < PATIENCE_NS ||
	    now - screen->shown_ns < REDRAW_NS)
		return;
	screen->shown_ns = now;
	screen_format_progress(progress, &line);
	fprintf(stderr, "\r%s\033[K", strbuf_str(&line));
	screen->open_line = true;
}

void screen_note(const char *line, void *screen_)
{
	struct screen *screen = screen_;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!screen->verbose)
		return;
	strbuf_appendf(&text, "note: %s", line);
	screen_say(screen, strbuf_str(&text));
}
