// SPDX-License-Identifier: LGPL-2.1-or-later
#include "report/form.h"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"

/* How often a cancellation is looked at; a signal may have gone to another thread. */
enum { LOOK_MS = 50 };

struct error *report_deliver(int fd, const char *label, const void *bytes, size_t n,
			     const struct cancel *cancel)
{
	uint64_t until_ns = 0;
	const char *at = bytes;

	while (n) {
		struct pollfd pollfd = { .fd = fd, .events = POLLOUT };
		/* What poll() promises room for in a pipe; more could wait in write(). */
		size_t piece = n < PIPE_BUF ? n : PIPE_BUF;
		ssize_t wrote;

		if (!until_ns && cancel_requested(cancel))
			until_ns = clock_monotonic_ns() + REPORT_HURRY_MS * NS_PER_MS;
		if (poll(&pollfd, 1, LOOK_MS) <= 0) {
			if (until_ns && clock_monotonic_ns() >= until_ns)
				return base_error(BASE_CANCELLED, 0,
						  "write %s: the reader does not read", label);
			continue;
		}
		wrote = write(fd, at, piece);
		if (wrote < 0 && errno != EINTR && errno != EAGAIN)
			return base_error(BASE_IO, errno, "write %s", label);
		if (wrote > 0) {
			at += wrote;
			n -= (size_t)wrote;
		}
	}
	return NULL;
}
