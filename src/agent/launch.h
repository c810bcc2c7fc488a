/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a RUN message to a process of its own: pipes or terminal, group, cgroup, exec. */
#ifndef KTSTR_AGENT_LAUNCH_H
#define KTSTR_AGENT_LAUNCH_H

#include <sys/types.h>

#include "base/error.h"
#include "wire/run.h"

/* What kept a program from being run; small enough to go through a pipe in one piece. */
struct agent_launch_failure {
	int errnum;
	char text[252]; /* "cgroup left/one: No such file or directory" */
};

struct agent_launch_place {
	const char *cgroup_root; /* where cgroup2 is mounted */
	const char *kernel_log;	 /* is told of programs that report; NULL: none */
	bool reset_oom; /* the agent cannot be killed by the OOM killer, its children can */
};

/* Our ends; none blocks. -1: there is no such stream. */
struct agent_launched {
	pid_t pid; /* also its session and process group */
	int in, out, err, report;
	/* Ends when the program runs, or brings a struct agent_launch_failure. */
	int status;
};

struct error *agent_launch(const struct wire_run *run, const struct agent_launch_place *place,
			   struct agent_launched *ret) MUST_CHECK;
#endif
