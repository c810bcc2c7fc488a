// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/interrupts.h"

#include <signal.h>

#include "base/macros.h"

/* Handlers take no argument of ours, so what they need is global. */
static struct cancel *handler_cancel;
static volatile sig_atomic_t forwarding, pending, resized, ended_by;

static void on_end(int number)
{
	if (!ended_by)
		ended_by = number;
	cancel_request(handler_cancel);
}

static void on_interrupt(int number)
{
	if (!forwarding) {
		on_end(number);
		return;
	}
	forwarding = 0;
	pending = number;
}

static void on_resize(int number UNUSED)
{
	resized = 1;
}

struct error *cli_handle_signal(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	sigset_t one;

	sigemptyset(&action.sa_mask);
	if (sigaction(number, &action, NULL) < 0)
		return base_error(BASE_IO, errno, "sigaction %d", number);
	sigemptyset(&one);
	sigaddset(&one, number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	return NULL;
}

struct error *cli_interrupts_install(struct cancel *cancel)
{
	static const struct {
		int number;
		void (*handler)(int);
	} rows[] = {
		{ SIGINT, on_interrupt },
		{ SIGTERM, on_end },
		{ SIGHUP, on_end },
		{ SIGQUIT, on_end },
		{ SIGWINCH, on_resize },
		/* A reader of our output that went away is seen where we write. */
		{ SIGPIPE, SIG_IGN },
	};
	struct error *err = NULL;
	struct sigaction old;

	handler_cancel = cancel;
	forwarding = pending = resized = ended_by = 0;
	for (size_t i = 0; !err && i < ARRAY_SIZE(rows); i++) {
		if (sigaction(rows[i].number, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
			continue;
		/* No SA_RESTART: a call that waits returns, and the request is seen. */
		err = cli_handle_signal(rows[i].number, rows[i].handler, 0);
	}
	return err;
}

void cli_interrupts_forward(bool forward)
{
	forwarding = forward;
}

int cli_interrupts_take(void)
{
	int number = pending;

	pending = 0;
	return number;
}

bool cli_interrupts_take_resize(void)
{
	bool was = resized;

	resized = 0;
	return was;
}

int cli_interrupts_ended_by(void)
{
	return ended_by;
}
