// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/kernel/commands.h"

#include <signal.h>

#include "text/number.h"

/* Handlers take no argument of ours. */
static struct cancel *handler_cancel;

static void on_stop(int signum UNUSED)
{
	cancel_request(handler_cancel);
}

static void say(void *context, const char *line)
{
	struct kernel_screen *screen = context;

	cli_screen_say(&screen->screen, line);
}

static void progress(void *context, const char *what, uint64_t done, uint64_t total)
{
	struct kernel_screen *screen = context;
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	if (total == 0)
		return;
	strbuf_appendf(&line, "%s  ", what);
	text_format_bytes(&line, done);
	strbuf_append(&line, " of ");
	text_format_bytes(&line, total);
	strbuf_appendf(&line, "  %3u%%", (unsigned int)(done * 100 / total));
	cli_screen_show(&screen->screen, strbuf_str(&line));
}

void kernel_screen_init(struct kernel_screen *screen, bool quiet)
{
	struct sigaction action = { .sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND };

	*screen = (struct kernel_screen){ 0 };
	cli_screen_init(&screen->screen, quiet, false);
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
	cli_screen_clear(&screen->screen);
}
