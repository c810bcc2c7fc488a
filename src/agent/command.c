// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>

#include "base/alloc.h"
#include "base/clock.h"

struct error *agent_command_new(uint32_t channel, const struct wire_run *run,
				const struct agent_launch_place *place, struct agent_command **ret)
{
	struct agent_launched launched;
	struct error *err = agent_launch(run, place, &launched);
	struct agent_command *c;

	if (err)
		return err;
	c = xnew(struct agent_command);
	*c = (struct agent_command){
		.channel = channel,
		.pty = run->flags & WIRE_RUN_PTY,
		.pid = launched.pid,
		.fds = { launched.in, launched.out, launched.err, launched.report,
			 launched.status },
	};
	*ret = c;
	return NULL;
}

void agent_command_free(struct agent_command *c)
{
	if (!c)
		return;
	if (!c->exited)
		agent_command_signal(c, SIGKILL);
	for (size_t i = 0; i < AGENT_COMMAND_N_STREAMS; i++)
		cleanup_fd(&c->fds[i]);
	strbuf_deinit(&c->input);
	free(c);
}

static void close_stream(struct agent_command *c, enum agent_command_stream stream)
{
	cleanup_fd(&c->fds[stream]);
	c->fds[stream] = -1;
}

static size_t input_left(const struct agent_command *c)
{
	return c->input.n - c->input_written;
}

bool agent_command_wants(const struct agent_command *c, enum agent_command_stream stream,
			 bool output_is_full, struct pollfd *ret)
{
	bool wants = c->fds[stream] >= 0;

	if (stream == AGENT_COMMAND_IN)
		wants &= c->started && input_left(c) > 0;
	/* Before it runs a terminal has no other end yet; after the end agent_command_finish()
	 * reads. */
	if (stream >= AGENT_COMMAND_OUT && stream <= AGENT_COMMAND_REPORT)
		wants &= c->started && !c->exited && !output_is_full;
	*ret = (struct pollfd){
		.fd = c->fds[stream],
		.events = stream == AGENT_COMMAND_IN ? POLLOUT : POLLIN,
	};
	return wants;
}

static void send_window(struct agent_command *c, struct agent_output *out, size_t n)
{
	struct wire_window window = { .bytes = (uint32_t)n };
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;

	wire_window_encode(&window, &payload);
	agent_output_send_buf(out, WIRE_WINDOW, c->channel, &payload);
	c->window += n;
}

static void handle_status(struct agent_command *c, struct agent_output *out)
{
	struct wire_started started = { .pid = (uint32_t)c->pid };
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	ssize_t n = read(c->fds[AGENT_COMMAND_STATUS], &c->failure, sizeof(c->failure));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	close_stream(c, AGENT_COMMAND_STATUS);
	if (n > 0) {
		c->not_started = true;
		return;
	}
	c->started = true;
	wire_started_encode(&started, &payload);
	agent_output_send_buf(out, WIRE_STARTED, c->channel, &payload);
	if (c->fds[AGENT_COMMAND_IN] >= 0)
		send_window(c, out, WIRE_STDIN_WINDOW);
}

/* The program closed its input: what the host still sends is read and dropped. */
static void discard_input(struct agent_command *c)
{
	c->granted += input_left(c);
	strbuf_clear(&c->input);
	c->input_written = 0;
	if (!c->pty)
		close_stream(c, AGENT_COMMAND_IN);
}

static void grant(struct agent_command *c, struct agent_output *out)
{
	if (c->granted >= AGENT_WINDOW_STEP || (c->granted && input_left(c) == 0)) {
		send_window(c, out, c->granted);
		c->granted = 0;
	}
}

/* All input was taken, and no more will come. */
static void end_input(struct agent_command *c)
{
	struct termios settings;
	char end_of_file = 4;

	if (c->fds[AGENT_COMMAND_IN] < 0)
		return;
	if (!c->pty) {
		close_stream(c, AGENT_COMMAND_IN);
		return;
	}
	if (tcgetattr(c->fds[AGENT_COMMAND_IN], &settings) == 0)
		end_of_file = (char)settings.c_cc[VEOF];
	if (write(c->fds[AGENT_COMMAND_IN], &end_of_file, 1) < 0)
		return; /* nobody reads there */
}

static void handle_input(struct agent_command *c, struct agent_output *out)
{
	ssize_t n = write(c->fds[AGENT_COMMAND_IN], c->input.at + c->input_written, input_left(c));

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		discard_input(c);
	if (n > 0) {
		c->input_written += (size_t)n;
		c->granted += (size_t)n;
	}
	if (input_left(c) == 0) {
		strbuf_clear(&c->input);
		c->input_written = 0;
		if (c->input_ends)
			end_input(c);
	}
	grant(c, out);
}

static bool is_terminal(const struct agent_command *c, enum agent_command_stream stream)
{
	return c->pty && stream == AGENT_COMMAND_OUT;
}

static enum wire_type type_of(enum agent_command_stream stream)
{
	static const enum wire_type types[] = {
		[AGENT_COMMAND_OUT] = WIRE_STDOUT,
		[AGENT_COMMAND_ERR] = WIRE_STDERR,
		[AGENT_COMMAND_REPORT] = WIRE_REPORT,
	};

	return types[stream];
}

static void end_output(struct agent_command *c, enum agent_command_stream stream,
		       struct agent_output *out)
{
	close_stream(c, stream);
	agent_output_send(out, type_of(stream), c->channel, NULL, 0);
}

/* True while there may be more to read at once. */
static bool handle_output(struct agent_command *c, enum agent_command_stream stream, size_t limit,
			  struct agent_output *out)
{
	char buffer[AGENT_READ_BYTES];
	size_t most = limit < sizeof(buffer) ? limit : sizeof(buffer);
	ssize_t n = read(c->fds[stream], buffer, most);

	if (n > 0) {
		agent_output_send(out, type_of(stream), c->channel, buffer, (size_t)n);
		if (c->exited && !is_terminal(c, stream))
			c->left[stream] -= (size_t)n;
		return true;
	}
	if (n < 0 && errno == EINTR)
		return true;
	if (n < 0 && errno == EAGAIN)
		return false;
	/* A terminal ends with EIO. */
	end_output(c, stream, out);
	return false;
}

void agent_command_handle(struct agent_command *c, enum agent_command_stream stream,
			  struct agent_output *out)
{
	if (c->fds[stream] < 0)
		return;
	if (stream == AGENT_COMMAND_STATUS)
		handle_status(c, out);
	else if (stream == AGENT_COMMAND_IN)
		handle_input(c, out);
	else if (!c->exited) /* else only what was in the pipes counts: agent_command_finish() */
		(void)handle_output(c, stream, SIZE_MAX, out);
}

struct error *agent_command_input(struct agent_command *c, struct bytes bytes,
				  struct agent_output *out)
{
	if (bytes.n > c->window) {
		agent_command_input_end(c);
		return agent_error(AGENT_WINDOW, 0, "%zu bytes, %zu were granted", bytes.n,
				   c->window);
	}
	c->window -= bytes.n;
	if (c->input_ends)
		return NULL;
	if (bytes.n)
		strbuf_append_bytes(&c->input, bytes.at, bytes.n);
	/* With the reader gone the bytes count as taken: a host that waits must not hang. */
	if (c->fds[AGENT_COMMAND_IN] < 0) {
		discard_input(c);
		grant(c, out);
	}
	return NULL;
}

void agent_command_input_end(struct agent_command *c)
{
	if (c->input_ends)
		return;
	c->input_ends = true;
	if (input_left(c) == 0)
		end_input(c);
}

int agent_command_signal(const struct agent_command *c, int number)
{
	if (c->exited || kill(-c->pid, number) == 0)
		return 0;
	/* A moment after fork() there is no group yet. */
	if (errno == ESRCH && kill(c->pid, number) == 0)
		return 0;
	return errno == ESRCH ? 0 : errno;
}

void agent_command_limit(struct agent_command *c, uint32_t ms)
{
	c->limit_ns = clock_monotonic_ns() + ms * NS_PER_MS;
}

void agent_command_check_limit(struct agent_command *c, uint64_t now_ns)
{
	if (!c->limit_ns || c->exited || c->over_limit || now_ns < c->limit_ns)
		return;
	c->over_limit = true;
	agent_command_signal(c, SIGKILL);
}

void agent_command_resize(const struct agent_command *c, uint16_t cols, uint16_t rows)
{
	struct winsize size = { .ws_col = cols, .ws_row = rows };

	/* The kernel tells the foreground group; a pipe has no size and says so. */
	if (c->fds[AGENT_COMMAND_OUT] >= 0 && c->pty)
		(void)ioctl(c->fds[AGENT_COMMAND_OUT], TIOCSWINSZ, &size);
}

void agent_command_reaped(struct agent_command *c, int status, const struct rusage *usage)
{
	c->exited = true;
	c->status = status;
	c->usage = *usage;
	/*
	 * Background processes may hold the pipes and write for ever: what counts is what is in
	 * them now. A terminal was hung up when its leader ended, so it ends by itself.
	 */
	for (enum agent_command_stream s = AGENT_COMMAND_OUT; s <= AGENT_COMMAND_REPORT; s++) {
		int n = 0;

		if (c->fds[s] >= 0 && ioctl(c->fds[s], FIONREAD, &n) == 0)
			c->left[s] = (size_t)n;
	}
}

static uint64_t microseconds(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

static void send_exited(struct agent_command *c, struct agent_output *out)
{
	struct wire_exited exited = {
		.how = WIRE_END_EXITED,
		.utime_us = microseconds(c->usage.ru_utime),
		.stime_us = microseconds(c->usage.ru_stime),
		.maxrss_kb = (uint64_t)c->usage.ru_maxrss,
	};
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;

	if (c->not_started) {
		c->failure.text[sizeof(c->failure.text) - 1] = '\0';
		agent_output_log(out, c->channel, "%s", c->failure.text);
		exited.how = WIRE_END_NOT_STARTED;
		exited.value = (uint32_t)c->failure.errnum;
	} else if (WIFSIGNALED(c->status)) {
		exited.how = c->over_limit ? WIRE_END_TIMED_OUT : WIRE_END_SIGNALLED;
		exited.value = (uint32_t)WTERMSIG(c->status);
	} else {
		exited.value = (uint32_t)WEXITSTATUS(c->status);
	}
	wire_exited_encode(&exited, &payload);
	agent_output_send_buf(out, WIRE_EXITED, c->channel, &payload);
}

bool agent_command_finish(struct agent_command *c, struct agent_output *out)
{
	if (!c->exited)
		return false;
	if (c->measures) {
		agent_command_send_measured(c, out);
		return true;
	}
	/* Its end may be known before its beginning was looked at. */
	if (c->fds[AGENT_COMMAND_STATUS] >= 0)
		handle_status(c, out);
	for (enum agent_command_stream s = AGENT_COMMAND_OUT;
	     s <= AGENT_COMMAND_REPORT && c->started; s++) {
		while (c->fds[s] >= 0) {
			size_t limit = is_terminal(c, s) ? SIZE_MAX : c->left[s];

			if (agent_output_unsent(out) > AGENT_OUTPUT_HIGH)
				return false;
			if (limit == 0 || !handle_output(c, s, limit, out))
				break;
		}
		if (c->fds[s] >= 0)
			end_output(c, s, out);
	}
	send_exited(c, out);
	return true;
}
