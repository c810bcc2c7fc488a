/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stopping one thread at a time with PTRACE_SEIZE, and letting it go exactly as
 * it was: a signal that arrived instead of our stop is handed back, a group-stop stays
 * one, and a thread that would not stop in time is waited for and released before
 * the tracer ends.
 */
#ifndef KTSTR_PROBE_TRACER_H
#define KTSTR_PROBE_TRACER_H

#include <sys/types.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/vec.h"

/* Seized, but no stop was seen in time. */
struct probe_late_thread {
	pid_t tid;
	uint64_t asked_ns;
};

struct probe_tracer {
	const struct cancel *cancel; /* ends every wait; may be NULL */
	uint64_t stopped_threads;
	/* From the request to stop until the release: an upper bound of the time stood still. */
	uint64_t stopped_ns;
	VEC(struct probe_late_thread) unreleased;
	bool finished; /* the late ones of now were waited for already */
};

struct probe_stopped_thread {
	pid_t tid;
	int signal; /* to hand back on release; 0 for none */
	uint64_t asked_ns;
};

/*
 * Errors of the thread domain, and BASE_CANCELLED. A thread that did not stop in time will stop
 * later: probe_tracer_release_late() lets it go on.
 */
struct error *probe_tracer_stop(struct probe_tracer *tracer, pid_t tid,
				struct probe_stopped_thread *ret) MUST_CHECK;
struct error *probe_tracer_thread_pointer(const struct probe_stopped_thread *thread,
					  uint64_t *ret) MUST_CHECK;
void probe_tracer_release(struct probe_tracer *tracer, const struct probe_stopped_thread *thread);
/* Releases those of the late threads that have stopped by now; does not wait. False: some have not.
 */
bool probe_tracer_release_late(struct probe_tracer *tracer);
/*
 * Waits for all threads that were late, together no longer than this, and
 * releases each as soon as it stops. Those that never do are released by the kernel when we exit.
 * False when the cancel ended the wait before its time.
 */
bool probe_tracer_finish(struct probe_tracer *tracer, uint64_t timeout_ns);
void probe_tracer_deinit(struct probe_tracer *tracer);

#endif
