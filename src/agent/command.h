/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One running command: its streams become frames on its channel, frames of its
 * channel become its input and its signals. Nothing here waits; the caller polls.
 */
#ifndef KTSTR_AGENT_COMMAND_H
#define KTSTR_AGENT_COMMAND_H

#include <poll.h>
#include <sys/resource.h>

#include "agent/launch.h"
#include "agent/output.h"

/* What a command has to poll for. */
enum agent_command_stream {
	AGENT_COMMAND_IN,
	AGENT_COMMAND_OUT,
	AGENT_COMMAND_ERR,
	AGENT_COMMAND_REPORT,
	AGENT_COMMAND_STATUS,
	AGENT_COMMAND_N_STREAMS
};

struct agent_command {
	uint32_t channel;
	bool pty;
	pid_t pid;
	int fds[AGENT_COMMAND_N_STREAMS]; /* -1: none, or over */

	bool started;	  /* STARTED was sent */
	bool not_started; /* failure says why */
	struct agent_launch_failure failure;

	bool exited; /* and reaped: the pid is no longer ours */
	int status;
	struct rusage usage;
	size_t left[AGENT_COMMAND_STATUS]; /* what the pipes of output held when it ended */

	struct strbuf input; /* came from the host, not yet taken by the program */
	size_t input_written;
	bool input_ends;
	size_t window;	/* how much more the host may send */
	size_t granted; /* taken by the program, not yet told to the host */
};

struct error *agent_command_new(uint32_t channel, const struct wire_run *run,
				const struct agent_launch_place *place,
				struct agent_command **ret) MUST_CHECK;
/* Kills the group if it still runs. */
void agent_command_free(struct agent_command *c);

/* The descriptor and events to wait for on one stream; false: nothing. */
bool agent_command_wants(const struct agent_command *c, enum agent_command_stream stream,
			 bool output_is_full, struct pollfd *ret);
/* The stream is ready: moves a bounded amount. */
void agent_command_handle(struct agent_command *c, enum agent_command_stream stream,
			  struct agent_output *out);

/* More than the window is AGENT_WINDOW; then the input is over for the program too. */
struct error *agent_command_input(struct agent_command *c, struct bytes bytes,
				  struct agent_output *out) MUST_CHECK;
void agent_command_input_end(struct agent_command *c);
/* To the process group. 0 or an errno; after the end there is nobody left to tell: 0. */
int agent_command_signal(const struct agent_command *c, int number);
void agent_command_resize(const struct agent_command *c, uint16_t cols, uint16_t rows);

/* wait4() returned it. */
void agent_command_reaped(struct agent_command *c, int status, const struct rusage *usage);
/* Ended, and all it wrote is on its way: sends EXITED, after which it can be freed. */
bool agent_command_finish(struct agent_command *c, struct agent_output *out);

#endif
