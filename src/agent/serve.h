/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent proper: frames in, deeds, frames out, in one thread that never waits
 * for long. It needs no machine of its own: over a socketpair it serves as an ordinary process.
 */
#ifndef KTSTR_AGENT_SERVE_H
#define KTSTR_AGENT_SERVE_H

#include "agent/output.h"
#include "base/error.h"

enum agent_input {
	AGENT_INPUT_STREAM, /* a socket: its end is the end of the work */
	AGENT_INPUT_PORT,   /* a virtio port: an end only means that the host is away */
	/*
	 * A file of frames. RUN, PUT, GET_TOPOLOGY and POWER_OFF wait until nothing runs,
	 * STDIN waits for its window; the end of the file is the end once nothing runs.
	 */
	AGENT_INPUT_PLAN,
};

struct agent_config {
	enum agent_input input;
	int in, out;	  /* may be the same; not blocking, except a plan */
	agent_sink *sink; /* in place of out */
	const char *root; /* PUT unpacks below it; "/" in a guest */
	const char *sysfs;
	const char *cgroup_root;
	/* Clock, randomness and OOM scores are ours to set; SIGUSR1, SIGUSR2 and SIGTERM end us. */
	bool owns_machine;
	const char *boot_log; /* lines for the host, sent after the first READY; may be NULL */
};

enum agent_end {
	AGENT_END_INPUT, /* the stream or the plan is over */
	AGENT_END_POWER_OFF,
	/* Asked for inside the guest, by the signals that busybox sends to its first process. */
	AGENT_END_GUEST_OFF,
	AGENT_END_GUEST_REBOOT,
};

/*
 * The last frame is BYE, and it has left; there is none when the guest itself made the end.
 * Commands that still run are killed.
 */
struct error *agent_serve(const struct agent_config *config, enum agent_end *ret) MUST_CHECK;

#endif
