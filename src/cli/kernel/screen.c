// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/kernel/commands.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "text/escape.h"
#include "text/number.h"
#include "text/terminal.h"

enum { REDRAW_MS = 100 };

/* Handlers take no argument of ours. */
static struct cancel *handler_cancel;

static void on_stop(int signum UNUSED)
{
	cancel_request(handler_cancel);
}

static void close_line(struct kernel_screen *screen)
{
	if (screen->open_line)
		fputs("\r\033[K", stderr);
	screen->open_line = false;
}

static void say(void *context, const char *line)
{
	struct kernel_screen *screen = context;
	_cleanup_strbuf_ struct strbuf safe = STRBUF_INIT;

	if (screen->quiet)
		return;
	close_line(screen);
	text_escape(&safe, line);
	fprintf(stderr, "%s\n", strbuf_str(&safe));
}

static void progress(void *context, const char *what, uint64_t done, uint64_t total)
{
	struct kernel_screen *screen = context;
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	uint64_t now = clock_monotonic_ns();

	if (screen->quiet || !screen->terminal || total == 0 ||
	    (screen->shown_ns && now - screen->shown_ns < REDRAW_MS * NS_PER_MS))
		return;
	screen->shown_ns = now;
	text_escape(&line, what);
	strbuf_append(&line, "  ");
	number_format_bytes(&line, done);
	strbuf_append(&line, " of ");
	number_format_bytes(&line, total);
	fprintf(stderr, "\r%s  %3u%%\033[K", strbuf_str(&line), (unsigned int)(done * 100 / total));
	screen->open_line = true;
}

void kernel_screen_init(struct kernel_screen *screen, bool quiet)
{
	struct sigaction action = { .sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND };

	*screen = (struct kernel_screen){ .quiet = quiet, .terminal = terminal_is(STDERR_FILENO) };
	screen->watch = (struct kernel_watch){
		.cancel = &screen->cancel,
		.say = say,
		.progress = progress,
		.context = screen,
	};
	handler_cancel = &screen->cancel;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

void kernel_screen_finish(struct kernel_screen *screen)
{
	close_line(screen);
}
