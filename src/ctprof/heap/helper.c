// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/heap/heap.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/clock.h"

/* A cancel is noticed this soon. */
#define POLL_NS (100 * NS_PER_MS)

const struct ctprof_helper_limits ctprof_helper_default_limits = {
	.memory_bytes = UINT64_C(2) << 30,
	.cpu_sec = 20,
	.wall_ms = 30000,
};

/* One child; fd is -1 when there is none. */
struct helper {
	pid_t pid;
	int fd;
	bool busy;
	size_t item;
	uint64_t deadline_ns;
};

struct helpers {
	const struct ctprof_helper_work *work;
	const struct ctprof_helper_limits *limits;
	struct helper *rows;
	unsigned int n;
	size_t next; /* item */
	uint8_t message[sizeof(size_t) + CTPROF_HELPER_RESULT_BYTES];
};

static void limit_to(int resource, uint64_t soft)
{
	struct rlimit limit;

	if (getrlimit((__rlimit_resource_t)resource, &limit) < 0)
		return;
	if (limit.rlim_max == RLIM_INFINITY || soft < limit.rlim_max)
		limit.rlim_cur = soft;
	setrlimit((__rlimit_resource_t)resource, &limit);
}

/* What it has already is the caller's: a sanitizer alone reserves terabytes. */
static void limit_memory(uint64_t more_bytes)
{
	unsigned long long size = 0, data = 0;
	FILE *statm = fopen("/proc/self/statm", "re");
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (!statm)
		return;
	if (fscanf(statm, "%llu %*u %*u %*u %*u %llu", &size, &data) == 2) {
		limit_to(RLIMIT_AS, size * page + more_bytes);
		limit_to(RLIMIT_DATA, data * page + more_bytes);
	}
	fclose(statm);
}

static void limit_cpu(unsigned int more_sec)
{
	struct rusage used;

	if (getrusage(RUSAGE_SELF, &used) == 0)
		limit_to(RLIMIT_CPU, (uint64_t)used.ru_utime.tv_sec +
					     (uint64_t)used.ru_stime.tv_sec + 1 + more_sec);
}

/* Whatever the caller does about crashes is not meant for ours. */
static void reset_signals(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS,	 SIGFPE, SIGILL,  SIGABRT,
				       SIGSYS,	SIGXCPU, SIGINT, SIGTERM, SIGPIPE };

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_DFL);
}

/* A library that dies says so on standard error, in the middle of the caller's words. */
static void be_quiet(void)
{
#ifndef __SANITIZE_ADDRESS__
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
#endif
}

static void __attribute__((noreturn)) child_main(struct helpers *h, int fd, pid_t parent)
{
	size_t item;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	prctl(PR_SET_NAME, "ktstr-helper");
	for (unsigned int i = 0; i < h->n; i++)
		if (h->rows[i].fd >= 0)
			close(h->rows[i].fd);
	reset_signals();
	be_quiet();
	limit_to(RLIMIT_CORE, 0);
	limit_memory(h->limits->memory_bytes);
	while (recv(fd, &item, sizeof(item), 0) == (ssize_t)sizeof(item)) {
		limit_cpu(h->limits->cpu_sec);
		memset(h->message, 0, sizeof(h->message));
		memcpy(h->message, &item, sizeof(item));
		h->work->run(h->work->arg, item, h->message + sizeof(item));
		if (send(fd, h->message, sizeof(item) + h->work->result_bytes, MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

static bool start(struct helpers *h, struct helper *helper)
{
	pid_t parent = getpid();
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return false;
	helper->pid = fork();
	if (helper->pid == 0) {
		close(ends[0]);
		child_main(h, ends[1], parent);
	}
	close(ends[1]);
	if (helper->pid < 0) {
		close(ends[0]);
		return false;
	}
	helper->fd = ends[0];
	return true;
}

static void end(struct helper *helper)
{
	if (helper->fd < 0)
		return;
	close(helper->fd);
	helper->fd = -1;
	kill(helper->pid, SIGKILL);
	while (waitpid(helper->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Gives it the next item; a child that cannot be had is as good as dead. */
static void give(struct helpers *h, struct helper *helper)
{
	helper->busy = false;
	while (h->next < h->work->n) {
		helper->item = h->next++;
		if ((helper->fd >= 0 || start(h, helper)) &&
		    send(helper->fd, &helper->item, sizeof(helper->item), MSG_NOSIGNAL) > 0) {
			helper->busy = true;
			helper->deadline_ns = clock_monotonic_ns() + h->limits->wall_ms * NS_PER_MS;
			return;
		}
		end(helper);
		h->work->done(h->work->arg, helper->item, NULL);
	}
}

static void take(struct helpers *h, struct helper *helper)
{
	size_t n = sizeof(helper->item) + h->work->result_bytes;
	ssize_t got = recv(helper->fd, h->message, sizeof(h->message), MSG_DONTWAIT);
	bool answered = got == (ssize_t)n &&
			memcmp(h->message, &helper->item, sizeof(helper->item)) == 0;

	if (!answered)
		end(helper);
	h->work->done(h->work->arg, helper->item,
		      answered ? h->message + sizeof(helper->item) : NULL);
	give(h, helper);
}

/* Waits for an answer, an end or a deadline; false when nobody works any more. */
static bool step(struct helpers *h, struct pollfd *pollfds)
{
	uint64_t now_ns = clock_monotonic_ns(), wait_ns = POLL_NS;
	bool any = false;

	for (unsigned int i = 0; i < h->n; i++) {
		const struct helper *helper = &h->rows[i];

		pollfds[i] = (struct pollfd){ .fd = helper->busy ? helper->fd : -1,
					      .events = POLLIN };
		if (!helper->busy)
			continue;
		any = true;
		if (helper->deadline_ns <= now_ns)
			wait_ns = 0;
		else if (helper->deadline_ns - now_ns < wait_ns)
			wait_ns = helper->deadline_ns - now_ns;
	}
	if (!any)
		return false;
	if (poll(pollfds, h->n, (int)((wait_ns + NS_PER_MS - 1) / NS_PER_MS)) < 0)
		return true;
	now_ns = clock_monotonic_ns();
	for (unsigned int i = 0; i < h->n; i++) {
		struct helper *helper = &h->rows[i];

		if (!helper->busy)
			continue;
		if (pollfds[i].revents) {
			take(h, helper);
		} else if (helper->deadline_ns <= now_ns) {
			end(helper);
			h->work->done(h->work->arg, helper->item, NULL);
			give(h, helper);
		}
	}
	return true;
}

void ctprof_helper_run(const struct ctprof_helper_work *work, unsigned int jobs,
		       const struct ctprof_helper_limits *limits, const struct cancel *cancel)
{
	unsigned int n = work->n < jobs ? (unsigned int)work->n : jobs;
	_cleanup_free_ struct helpers *h = xnew(struct helpers);
	_cleanup_free_ struct pollfd *pollfds = xcalloc(n + 1, sizeof(*pollfds));

	h->work = work;
	h->limits = limits;
	h->n = n;
	h->rows = xcalloc(n + 1, sizeof(*h->rows));
	for (unsigned int i = 0; i < n; i++)
		h->rows[i].fd = -1;
	for (unsigned int i = 0; i < n && !cancel_requested(cancel); i++)
		give(h, &h->rows[i]);
	while (!cancel_requested(cancel) && step(h, pollfds))
		;
	for (unsigned int i = 0; i < n; i++)
		end(&h->rows[i]);
	free(h->rows);
}
