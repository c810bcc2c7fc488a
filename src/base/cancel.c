// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/cancel.h"

#include <time.h>

#include "base/clock.h"

/* A signal ends the sleep early anyway; this bounds how long another thread's request waits. */
#define POLL_NS (10 * NS_PER_MS)

void cancel_request(struct cancel *cancel)
{
	atomic_store(&cancel->requested, true);
}

bool cancel_requested(const struct cancel *cancel)
{
	if (!cancel)
		return false;
	if (atomic_load(&cancel->requested))
		return true;
	return cancel->deadline_ns && clock_monotonic_ns() >= cancel->deadline_ns;
}

struct error *cancel_error(const struct cancel *cancel, const char *doing)
{
	if (!cancel_requested(cancel))
		return NULL;
	return base_error(BASE_CANCELLED, 0, "%s was ended by a signal or the deadline", doing);
}

bool cancel_sleep(const struct cancel *cancel, uint64_t ns)
{
	uint64_t end_ns = clock_monotonic_ns() + ns;

	for (;;) {
		uint64_t now_ns = clock_monotonic_ns();
		struct timespec ts = { 0 };

		if (cancel_requested(cancel))
			return false;
		if (now_ns >= end_ns)
			return true;
		ts.tv_nsec = (long)(end_ns - now_ns < POLL_NS ? end_ns - now_ns : POLL_NS);
		nanosleep(&ts, NULL);
	}
}
