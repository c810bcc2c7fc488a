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
enum command_stream {
	COMMAND_IN,
	COMMAND_OUT,
	COMMAND_ERR,
	COMMAND_REPORT,
	COMMAND_STATUS,
	COMMAND_N_STREAMS
};

struct command {
	uint32_t channel;
	bool pty;
	pid_t pid;
	int fds[COMMAND_N_STREAMS]; /* -1: none, or over */

	bool started;	  /* STARTED was sent */
	bool not_started; /* failure says why */
	struct launch_failure failure;

	bool exited; /* and reaped: the pid is no longer ours */
	int status;
	struct rusage usage;
	size_t left[COMMAND_STATUS]; /* what the pipes of output held when it ended */

	struct strbuf input; /* came from the host, not yet taken by the program */
	size_t input_written;
	bool input_ends;
	size_t window;	/* how much more the host may send */
	size_t granted; /* taken by the program, not yet told to the host */
};

struct error *command_new(uint32_t channel, const struct wire_run *run,
			  const struct launch_place *place, struct command **ret) MUST_CHECK;
/* Kills the group if it still runs. */
void command_free(struct command *c);

/* The descriptor and events to wait for on one stream; false: nothing. */
bool command_wants(const struct command *c, enum command_stream stream, bool output_is_full,
		   struct pollfd *ret);
/* The stream is ready: moves a bounded amount. */
void command_handle(struct command *c, enum command_stream stream, struct output *out);

/* More than the window is AGENT_WINDOW; then the input is over for the program too. */
struct error *command_input(struct command *c, struct bytes bytes, struct output *out) MUST_CHECK;
void command_input_end(struct command *c);
/* To the process group. 0 or an errno; after the end there is nobody left to tell: 0. */
int command_signal(const struct command *c, int number);
void command_resize(const struct command *c, uint16_t cols, uint16_t rows);

/* wait4() returned it. */
void command_reaped(struct command *c, int status, const struct rusage *usage);
/* Ended, and all it wrote is on its way: sends EXITED, after which it can be freed. */
bool command_finish(struct command *c, struct output *out);

#endif
