/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that runs in its own process group, and the thread that keeps it: it collects both
 * streams all the time, so that the program never waits for a reader, ends it when its time is
 * over, and sees its end. The program has ended when its leader has: a descendant that still holds
 * the pipes is not waited for, and what it writes later is not read.
 */
#ifndef KTSTR_SUITE_PAYLOAD_PROCESS_H
#define KTSTR_SUITE_PAYLOAD_PROCESS_H

#include <sys/types.h>

#include "base/error.h"
#include "suite/capture.h"

struct suite_payload_process;

struct suite_payload_process_request {
	const char *const *argv;
	const char *const *env; /* whole; NULL: ours */
	int cgroup_procs;	/* as in struct spawn_request */
	size_t capture_bytes;	/* of each stream */
	uint64_t timeout_ms;	/* 0: none */
};

struct suite_payload_end {
	bool known;	/* false: somebody else reaped it */
	int exit_code;	/* minus the signal; INT32_MIN when not known */
	bool timed_out; /* we killed it, because its time was over */
	bool killed;	/* suite_payload_process_kill() is what ended it */
	uint64_t wall_ns;
	struct suite_capture out, err;
};

/* Returns once the program was executed. As spawn_child(): BASE_IO with errno. */
struct error *suite_payload_process_start(const struct suite_payload_process_request *request,
					  struct suite_payload_process **ret) MUST_CHECK;
/* Kills what still runs. */
void suite_payload_process_free(struct suite_payload_process *process);

pid_t suite_payload_process_pid(const struct suite_payload_process *process);
enum { SUITE_PAYLOAD_WAIT_FOREVER = -1 };
/* True when it has ended. */
bool suite_payload_process_wait(struct suite_payload_process *process, int timeout_ms);
/*
 * SIGKILL to the group and its leader. Does not wait. What a leader that has ended left behind is
 * killed as well, but not once suite_payload_process_end() was called: the numbers may be another's
 * then.
 */
void suite_payload_process_kill(struct suite_payload_process *process);
/* Only after the end; reaps it. Borrowed; the captures may be taken out of it. */
struct suite_payload_end *suite_payload_process_end(struct suite_payload_process *process);

#endif
