/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Asking long work to stop. A signal handler or another thread calls
 * cancel_request(); a deadline needs no call. Work that may take long
 * polls cancel_requested() before every step that may block and returns
 * cancel_error(). A NULL cancel never fires.
 */
#ifndef KTSTR_BASE_CANCEL_H
#define KTSTR_BASE_CANCEL_H

#include <stdatomic.h>

#include "base/error.h"

struct cancel {
	atomic_bool requested;
	/* CLOCK_MONOTONIC; 0 means none. Set before the work starts. */
	uint64_t deadline_ns;
};

/* Async-signal-safe. */
void cancel_request(struct cancel *cancel);
bool cancel_requested(const struct cancel *cancel);
/* BASE_CANCELLED when requested, else NULL; `doing` names the work. */
struct error *cancel_error(const struct cancel *cancel, const char *doing) MUST_CHECK;
/* Sleeps; false when cancelled before the time was over. */
bool cancel_sleep(const struct cancel *cancel, uint64_t ns) MUST_CHECK;

#endif
