// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/screen.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/frame/command.h"
#include "text/terminal.h"

#define PATIENCE_NS NS_PER_SEC
#define REDRAW_NS   (100 * NS_PER_MS)

void cli_screen_init(struct cli_screen *screen, bool quiet, bool verbose)
{
	*screen = (struct cli_screen){
		.quiet = quiet,
		.verbose = verbose,
		.terminal = text_terminal_is(STDERR_FILENO),
	};
}

void cli_screen_clear(struct cli_screen *screen)
{
	if (screen->open_line)
		fputs("\r\033[K", stderr);
	screen->open_line = false;
}

void cli_screen_say(struct cli_screen *screen, const char *line)
{
	if (screen->quiet)
		return;
	cli_screen_clear(screen);
	cli_say("%s", line);
}

void cli_screen_show(struct cli_screen *screen, const char *line)
{
	_cleanup_strbuf_ struct strbuf safe = STRBUF_INIT;
	uint64_t now = clock_monotonic_ns();

	if (screen->quiet || !screen->terminal || now - screen->shown_ns < REDRAW_NS ||
	    (screen->began_ns && now - screen->began_ns < PATIENCE_NS))
		return;
	screen->shown_ns = now;
	text_escape(&safe, line);
	fprintf(stderr, "\r%s\033[K", strbuf_str(&safe));
	screen->open_line = true;
}
