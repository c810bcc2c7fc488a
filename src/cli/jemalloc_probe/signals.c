// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"

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

static struct error *handle(int signum, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigemptyset(&action.sa_mask);
	if (sigaction(signum, &action, NULL) < 0)
		return base_error(BASE_IO, errno, "sigaction %d", signum);
	return NULL;
}

struct error *signals_install(struct cancel *cancel, uint64_t abort_after_ms)
{
	struct itimerval timer = {
		.it_value = { .tv_sec = (time_t)(abort_after_ms / 1000),
			      .tv_usec = (suseconds_t)(abort_after_ms % 1000 * 1000) },
	};
	struct error *err;
	sigset_t ours;

	handler_cancel = cancel;
	err = handle(SIGINT, on_stop, SA_RESETHAND);
	if (!err)
		err = handle(SIGTERM, on_stop, SA_RESETHAND);
	/* A reader that went away ends us quietly, also when our parent ignores the signal. */
	if (!err)
		err = handle(SIGPIPE, SIG_DFL, 0);
	if (!err)
		err = handle(SIGALRM, on_deadline, 0);
	if (err)
		return err;
	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGALRM);
	sigaddset(&ours, SIGPIPE);
	sigprocmask(SIG_UNBLOCK, &ours, NULL);
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
