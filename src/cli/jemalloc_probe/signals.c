// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/frame/interrupts.h"

/* Handlers take no argument of ours, so what they need is global. */
static struct cancel *handler_cancel;
static char deadline_line[64];
static atomic_flag deadline_reported = ATOMIC_FLAG_INIT;

static void say_deadline(void)
{
	ssize_t ignored UNUSED;

	if (!atomic_flag_test_and_set(&deadline_reported))
		ignored = write(STDERR_FILENO, deadline_line, strlen(deadline_line));
}

static void on_stop(int signum UNUSED)
{
	cancel_request(handler_cancel);
}

static void on_deadline(int signum UNUSED)
{
	int saved_errno = errno;

	say_deadline();
	cancel_request(handler_cancel);
	errno = saved_errno;
}

struct error *signals_install(struct cancel *cancel, uint64_t abort_after_ms)
{
	static const struct {
		int number;
		void (*handler)(int);
		int flags;
	} rows[] = {
		{ SIGINT, on_stop, (int)SA_RESETHAND },
		{ SIGTERM, on_stop, (int)SA_RESETHAND },
		/* A reader that went away ends us quietly, also when our parent ignores it. */
		{ SIGPIPE, SIG_DFL, 0 },
		{ SIGALRM, on_deadline, 0 },
	};
	struct itimerval timer = {
		.it_value = { .tv_sec = (time_t)(abort_after_ms / 1000),
			      .tv_usec = (suseconds_t)(abort_after_ms % 1000 * 1000) },
	};

	handler_cancel = cancel;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error *err = cli_handle_signal(rows[i].number, rows[i].handler,
						      rows[i].flags);

		if (err)
			return err;
	}
	if (abort_after_ms == 0)
		return NULL;
	snprintf(deadline_line, sizeof(deadline_line), "ktstr-probe-deadline: abort after %llums\n",
		 (unsigned long long)abort_after_ms);
	cancel->deadline_ns = clock_monotonic_ns() + abort_after_ms * NS_PER_MS;
	if (setitimer(ITIMER_REAL, &timer, NULL) < 0)
		return base_error(BASE_IO, errno, "setitimer");
	return NULL;
}

void signals_report_deadline(void)
{
	const struct cancel *cancel = handler_cancel;

	if (cancel && cancel->deadline_ns && clock_monotonic_ns() >= cancel->deadline_ns)
		say_deadline();
}
