/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent proper: it reads, handles and sends frames, in one thread that never waits
 * for long. It needs no machine of its own: over a socketpair it serves as an ordinary process.
 */
#ifndef KTSTR_AGENT_AGENT_H
#define KTSTR_AGENT_AGENT_H

#include <poll.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/vec.h"
#include "wire/frame.h"
#include "wire/message.h"

struct agent_quiet;

/* The tags travel in FAILED frames. */
#define AGENT_ERRORS(X)                                                               \
	X(AGENT_SYSTEM, "agent-system", "the guest's kernel refused something")       \
	X(AGENT_PROTOCOL, "agent-protocol", "the host uses another protocol version") \
	X(AGENT_CHANNEL, "agent-channel", "the channel is in use, or is 0")           \
	X(AGENT_LIMIT, "agent-limit", "more at once than the agent allows")           \
	X(AGENT_WINDOW, "agent-window", "more standard input came than was granted")  \
	X(AGENT_PUT, "agent-put", "the files did not arrive as they were sent")       \
	X(AGENT_BUSY, "agent-busy", "the CPUs of the guest do not become idle")
DECLARE_ERROR_DOMAIN(agent, AGENT, AGENT_ERRORS);

enum {
	AGENT_COMMANDS_MAX = 256,	     /* at once */
	AGENT_READ_BYTES = 64 * 1024,	     /* of one pipe in one round */
	AGENT_OUTPUT_HIGH = 512 * 1024,	     /* pipes are not read while more is unsent */
	AGENT_OUTPUT_FULL = 4 * 1024 * 1024, /* nor is the host while more is unsent */
	AGENT_WINDOW_STEP = 64 * 1024,	     /* WINDOW is sent for at least so much, or all */
	AGENT_FAREWELL_MS = 2000,	     /* for the last frames to leave */
	AGENT_HANGUP_MS = 20,		     /* between looks at a port whose host is away */
};

/*
 * What a clone proves itself with: a page that stays where it is in physical memory,
 * holding the nonce of the first host and a count of sessions. The host finds it in the
 * RAM of the template and of the clone.
 */

#define AGENT_IDENTITY_MAGIC "KTSTRID1"

/* At the start of the page; docs/PROTOCOL.md gives the layout. */
struct agent_identity {
	char magic[8];
	uint8_t nonce[WIRE_NONCE_BYTES];
	uint32_t generation; /* HELLOs so far */
	uint32_t reserved;
};
_Static_assert(sizeof(struct agent_identity) == 32, "the host reads it out of RAM");

/* One locked page; stays for the life of the process. */
struct error *agent_identity_new(struct agent_identity **ret) MUST_CHECK;
void agent_identity_free(struct agent_identity *id);
/* A HELLO came. All zero keeps the nonce that is there. */
void agent_identity_hello(struct agent_identity *id, const uint8_t nonce[WIRE_NONCE_BYTES]);
/* Guest-physical address of the page; 0 when the kernel does not say. */
uint64_t agent_identity_phys(const struct agent_identity *id);

/* Frames on their way to the host: queued whole, written as the channel takes them. */

/* A channel that takes every byte at once. */
typedef void agent_sink(const void *bytes, size_t n);
/* Waits for bytes of the host. Valid until the next call; *more: there are more at once. */
typedef struct bytes agent_source(bool *more);

struct agent_output {
	int fd;		  /* does not block; not used with a sink */
	agent_sink *sink; /* or NULL */
	struct wire_sender sender;
	struct strbuf pending;
	size_t written; /* of pending */
};

void agent_output_deinit(struct agent_output *out);
/* n is at most WIRE_PAYLOAD_MAX; what is longer is cut. */
void agent_output_send(struct agent_output *out, enum wire_type type, uint32_t channel,
		       const void *payload, size_t n);
void agent_output_send_buf(struct agent_output *out, enum wire_type type, uint32_t channel,
			   const struct strbuf *payload);
void agent_output_log(struct agent_output *out, uint32_t channel, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* A FAILED frame; takes the error. */
void agent_output_fail(struct agent_output *out, uint32_t channel, struct error *err);

size_t agent_output_unsent(const struct agent_output *out);
/* As much as goes without waiting. A channel that is gone is AGENT_SYSTEM. */
struct error *agent_output_flush(struct agent_output *out) MUST_CHECK;
/* Waits for the channel, but not past the limit. */
struct error *agent_output_drain(struct agent_output *out, int limit_ms) MUST_CHECK;

enum agent_input {
	AGENT_INPUT_STREAM, /* a socket: its end is the end of the work */
	AGENT_INPUT_PORT,   /* a virtio port: an end only means that the host is away */
	/*
	 * Memory in which frames lie when we ask for them, and time does not pass while we wait.
	 * RUN, PUT, GET_TOPOLOGY, SETTLE and POWER_OFF wait until nothing runs, STDIN waits for its
	 * window.
	 */
	AGENT_INPUT_MAILBOX,
};

struct agent_config {
	enum agent_input input;
	int in, out;	      /* may be the same; not blocking; not used with a source and a sink */
	agent_source *source; /* in place of in: a mailbox's */
	agent_sink *sink;     /* in place of out */
	const char *root;     /* PUT unpacks below it; "/" in a guest */
	const char *proc, *sysfs;
	const char *cgroup_root;
	/* Clock, randomness and OOM scores are ours to set; SIGUSR1, SIGUSR2 and SIGTERM end us. */
	bool owns_machine;
	const char *boot_log; /* lines for the host, sent after the first READY; may be NULL */
};

enum agent_end {
	AGENT_END_INPUT, /* the stream is over */
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

/* From a RUN message to a process of its own: pipes or terminal, group, cgroup, exec. */

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

/*
 * One running command: its streams become frames on its channel, frames of its
 * channel become its input and its signals. Nothing here waits; the caller polls.
 */

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
	bool measures; /* a measurement of ours: the report is a MEASURED frame */
	pid_t pid;
	int fds[AGENT_COMMAND_N_STREAMS]; /* -1: none, or over */

	uint64_t limit_ns; /* CLOCK_MONOTONIC when it is killed; 0: never */
	bool over_limit;

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
/* Signals the process group. 0 or an errno; after the end nothing is sent: 0. */
int agent_command_signal(const struct agent_command *c, int number);
/* From now on, by the clock of the guest. */
void agent_command_limit(struct agent_command *c, uint32_t ms);
/* Kills it if its time is over. */
void agent_command_check_limit(struct agent_command *c, uint64_t now_ns);
void agent_command_resize(const struct agent_command *c, uint16_t cols, uint16_t rows);

/* wait4() returned it. */
void agent_command_reaped(struct agent_command *c, int status, const struct rusage *usage);
/* Ended, and all it wrote is on its way: sends EXITED, after which it can be freed. */
bool agent_command_finish(struct agent_command *c, struct agent_output *out);

/* A measurement of the machine (measure.h) in a process of its own, as if it were a command. */

struct error *agent_command_measure(uint32_t channel, uint32_t phase_ms, bool reset_oom,
				    struct agent_command **ret) MUST_CHECK;
/* agent_command_finish() of a measurement: sends MEASURED or FAILED. */
void agent_command_send_measured(struct agent_command *c, struct agent_output *out);

/*
 * Files from the host: an archive that arrives in pieces is unpacked below one
 * directory and nowhere else, whatever links it brings or finds.
 */

struct agent_put;

/* The directory `destination` below `root` is made if it is absent. */
struct error *agent_put_new(uint32_t channel, const char *root, const char *destination,
			    struct agent_put **ret) MUST_CHECK;
void agent_put_free(struct agent_put *put);
uint32_t agent_put_channel(const struct agent_put *put);
struct error *agent_put_data(struct agent_put *put, struct bytes bytes) MUST_CHECK;
/* AGENT_PUT unless exactly these bytes came and were a whole archive. */
struct error *agent_put_end(struct agent_put *put, uint64_t bytes, uint32_t crc,
			    struct wire_put_done *ret) MUST_CHECK;

/* Shared by the loop (serve.c) and the frame handlers (handle.c) only. */

struct agent {
	const struct agent_config *config;
	struct agent_output out;
	struct wire_receiver receiver;
	struct agent_identity *identity;
	uint64_t nonce_phys; /* 0: not yet known, or hidden by the kernel */
	VEC(struct agent_command *) commands;
	struct agent_put *put;	   /* the transfer under way, or NULL */
	struct agent_quiet *quiet; /* whoever waits for idle CPUs, or NULL */
	bool boot_log_sent;
	bool session_failed; /* nothing but HELLO counts */
	bool powering_off;
	uint64_t heartbeat_ns; /* 0: none */
	uint64_t next_heartbeat_ns;
	uint64_t heartbeats;
};

/* Handles one frame; errors are reported to the host. */
void agent_handle(struct agent *a, const struct wire_frame *frame);
/* With a mailbox: is it this frame's turn? */
bool agent_may_handle(const struct agent *a, const struct wire_frame *frame);
/* Something is under way that needs time: a command, or waiting for idle CPUs. */
bool agent_is_busy(const struct agent *a);
/* The stream can no longer be trusted. Takes the error. */
void agent_session_failed(struct agent *a, struct error *err);
/* Ends what runs: its channels are forgotten. */
void agent_drop_all(struct agent *a);

#endif
