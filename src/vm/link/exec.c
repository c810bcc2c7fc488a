// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/link/exec.h"

#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/io.h"
#include "vm/state.h"
#include "wire/crc32c.h"

enum {
	/* Standard input waits in the pipe, not in our memory. */
	BACKLOG_LIMIT = 512 << 10,
	CHUNK = 64 << 10,
	OOM_TAIL_BYTES = 64 << 10,
	/* How long the guest may take to end a command that was killed. */
	KILL_WAIT_SEC = 20,
	/* What is typed into a guest that does not read. */
	HELD_LIMIT = 256 << 10,
	/* Signals and new sizes of the terminal are asked for this often. */
	ASK_MS = 50,
	/* Of an archive. */
	PUT_BACKLOG_LIMIT = 2 << 20,
	/* Unpacking is quick; a guest that says nothing for so long has a problem. */
	PUT_ANSWER_SEC = 120,
	/* Much shorter than the guest needs for what is queued. */
	PUT_DRAIN_MS = 5,
	/* What a command may read from standard input where all of it is sent ahead. */
	INPUT_LIMIT = 64 << 20,
	/*
	 * Limits are the guest's time where that is virtual. It may pass much slower than the
	 * host's; past this something else is wrong.
	 */
	HOST_LIMIT_SEC = 600,
	HOST_LIMIT_TIMES = 60,
};

struct run {
	struct vm *vm;
	const struct vm_command *command;
	uint32_t channel;
	uint64_t window; /* bytes of standard input the agent will take */
	bool input_open;
	struct strbuf held; /* input that was filtered and waits for the window */
	bool end_held;	    /* the end of input comes after what is held */
	bool finished, killed;
	uint64_t deadline_ns;
	uint64_t ask_ns; /* when to look for signals and sizes again */
	struct vm_end end;
};

static struct wire_run command_message(const struct vm_command *command)
{
	return (struct wire_run){
		.flags = (command->stdin_fd >= 0 ? WIRE_RUN_STDIN : 0) |
			 (command->pty ? WIRE_RUN_PTY : 0) |
			 (command->report ? WIRE_RUN_REPORT : 0),
		.cols = command->cols,
		.rows = command->rows,
		.cwd = command->cwd ? command->cwd : "/root",
		.cgroup = command->cgroup ? command->cgroup : "",
		.argv = command->argv,
		.env = command->env,
	};
}

static struct error *send_run(struct run *run)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	struct wire_run message = command_message(run->command);

	wire_run_encode(&message, &payload);
	if (payload.n > WIRE_PAYLOAD_MAX)
		return vm_error(VM_AGENT, E2BIG, "arguments and environment have %zu bytes",
				payload.n);
	return vm_link_send(&run->vm->link, WIRE_RUN, run->channel, payload.at, payload.n);
}

static struct error *send_signal(struct run *run, int number)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;

	wire_signal_encode(&(struct wire_signal){ .number = (uint32_t)number }, &payload);
	return vm_link_send(&run->vm->link, WIRE_SIGNAL, run->channel, payload.at, payload.n);
}

static struct error *send_held(struct run *run)
{
	struct strbuf *held = &run->held;

	while (held->n && run->window) {
		size_t n = held->n < run->window ? held->n : (size_t)run->window;
		struct error *err;

		n = n < CHUNK ? n : CHUNK;
		err = vm_link_send(&run->vm->link, WIRE_STDIN, run->channel, held->at, n);
		if (err)
			return err;
		run->window -= n;
		memmove(held->at, held->at + n, held->n - n);
		held->n -= n;
	}
	if (held->n || !run->end_held)
		return NULL;
	run->end_held = false;
	return vm_link_send(&run->vm->link, WIRE_STDIN_END, run->channel, NULL, 0);
}

static struct error *end_input(struct run *run)
{
	run->input_open = false;
	run->end_held = true;
	return send_held(run);
}

static struct error *forward_input(struct run *run)
{
	size_t (*filter)(void *context, char *bytes, size_t n) = run->command->filter_input;
	size_t want = !filter && run->window < CHUNK ? (size_t)run->window : CHUNK;
	char buf[CHUNK];
	ssize_t n;

	n = read(run->command->stdin_fd, buf, want);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return NULL;
	if (n <= 0)
		return end_input(run);
	if (filter) {
		strbuf_append_bytes(&run->held, buf, filter(run->command->context, buf, (size_t)n));
		return send_held(run);
	}
	run->window -= (uint64_t)n;
	return vm_link_send(&run->vm->link, WIRE_STDIN, run->channel, buf, (size_t)n);
}

static struct error *forward_outside(struct run *run)
{
	const struct vm_command *command = run->command;
	uint16_t cols, rows;
	struct error *err = NULL;
	int number;

	if (command->tick)
		command->tick(command->context);
	if (run->vm->link.mailbox)
		return NULL;
	if (command->take_signal && (number = command->take_signal(command->context)) != 0)
		err = send_signal(run, number);
	if (!err && command->take_resize && command->take_resize(command->context, &cols, &rows)) {
		_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;

		wire_resize_encode(&(struct wire_resize){ .cols = cols, .rows = rows }, &payload);
		err = vm_link_send(&run->vm->link, WIRE_RESIZE, run->channel, payload.at,
				   payload.n);
	}
	return err;
}

static struct error *decode_end(struct bytes payload, struct vm_end *ret)
{
	struct wire_exited exited;
	struct error *err = wire_exited_decode(payload, &exited);

	if (err)
		return err;
	*ret = (struct vm_end){
		.how = (enum wire_end)exited.how,
		.value = exited.value,
		.utime_us = exited.utime_us,
		.stime_us = exited.stime_us,
		.maxrss_kb = exited.maxrss_kb,
	};
	return NULL;
}

static enum vm_stream stream_of(enum wire_type type)
{
	return type == WIRE_STDOUT ? VM_STDOUT : type == WIRE_STDERR ? VM_STDERR : VM_REPORT;
}

static struct error *take_frame(struct run *run, const struct wire_frame *frame)
{
	const struct vm_command *command = run->command;
	struct wire_window window;
	struct error *err;

	/* What another command left behind. */
	if (frame->channel != run->channel)
		return NULL;
	switch (frame->type) {
	case WIRE_STDOUT:
	case WIRE_STDERR:
	case WIRE_REPORT:
		if (frame->payload.n == 0 || !command->on_output)
			return NULL;
		err = command->on_output(command->context, stream_of(frame->type),
					 frame->payload.at, frame->payload.n);
		/* A slow reader of our output does not count as silence of the guest. */
		run->vm->heard_ns = clock_monotonic_ns();
		return err;
	case WIRE_WINDOW:
		err = wire_window_decode(frame->payload, &window);
		if (err)
			return err;
		if (run->vm->link.mailbox)
			return NULL;
		run->window += window.bytes;
		return send_held(run);
	case WIRE_EXITED:
		err = decode_end(frame->payload, &run->end);
		run->finished = !err;
		return err;
	case WIRE_FAILED:
		return vm_failed(frame->payload);
	case WIRE_STARTED:
		return NULL;
	default:
		return vm_error(VM_AGENT, 0, "a command was answered with %s",
				wire_type_name(frame->type));
	}
}

static uint64_t next_deadline(const struct run *run)
{
	if (!run->command->take_signal && !run->command->take_resize && !run->command->tick)
		return run->deadline_ns;
	return run->deadline_ns && run->deadline_ns < run->ask_ns ? run->deadline_ns : run->ask_ns;
}

/* Past the deadline: the command is killed first and reported later, so that nothing runs on. */
static struct error *out_of_time(struct run *run)
{
	if (!run->deadline_ns || clock_monotonic_ns() < run->deadline_ns)
		return NULL;
	if (run->finished)
		return NULL;
	if (run->vm->link.mailbox)
		return vm_error(VM_HOST_LIMIT, 0,
				"the host's limit ended the run, which cannot be repeated at that "
				"instruction");
	if (run->killed)
		return vm_error(VM_HANG, 0, "a command that was killed did not end");
	run->killed = true;
	run->deadline_ns = clock_monotonic_ns() + KILL_WAIT_SEC * NS_PER_SEC;
	return send_signal(run, SIGKILL);
}

static struct error *step(struct run *run, const struct cancel *cancel)
{
	bool has_room = run->command->filter_input ? run->held.n < HELD_LIMIT : run->window > 0;
	bool wants_input = run->input_open && has_room &&
			   vm_link_backlog(&run->vm->link) < BACKLOG_LIMIT;
	struct pollfd input = { .fd = run->command->stdin_fd, .events = POLLIN };
	struct wire_frame frame;
	enum vm_event event;
	struct error *err;

	err = vm_wait(run->vm, &input, wants_input ? 1 : 0, next_deadline(run), cancel, &event,
		      &frame);
	if (err)
		return err;
	if (event == VM_EVENT_FRAME)
		err = take_frame(run, &frame);
	else if (event == VM_EVENT_FD)
		err = forward_input(run);
	/* By the clock, not by the event: a command that never falls silent is stopped as well. */
	if (!err && clock_monotonic_ns() >= run->ask_ns) {
		run->ask_ns = clock_monotonic_ns() + ASK_MS * NS_PER_MS;
		err = forward_outside(run);
	}
	return err ? err : out_of_time(run);
}

static void look_for_oom(struct vm *vm, size_t from, struct vm_end *end)
{
	_cleanup_strbuf_ struct strbuf tail = STRBUF_INIT, line = STRBUF_INIT;

	error_free(vm_console_read_from(vm->console_path, from, OOM_TAIL_BYTES, &tail));
	if (vm_console_read_signs(strbuf_str(&tail), tail.n, &line) == VM_CONSOLE_OOM)
		snprintf(end->oom, sizeof(end->oom), "%s", strbuf_str(&line));
	end->n_oom_pids = vm_console_read_oom_pids(strbuf_str(&tail), tail.n, end->oom_pids,
						   VM_LIMIT_OOM_PIDS);
}

/* Nothing reaches a guest with a virtual clock while it works: it gets all input at once. */
static struct error *send_all_input(struct run *run)
{
	_cleanup_strbuf_ struct strbuf input = STRBUF_INIT;
	struct error *err;

	if (run->command->stdin_fd < 0)
		return NULL;
	err = io_read_fd(run->command->stdin_fd, "standard input", INPUT_LIMIT, &input);
	for (size_t at = 0; !err && at < input.n;) {
		size_t n = input.n - at < CHUNK ? input.n - at : CHUNK;

		err = vm_link_send(&run->vm->link, WIRE_STDIN, run->channel, input.at + at, n);
		at += n;
	}
	run->input_open = false;
	return err ? err : vm_link_send(&run->vm->link, WIRE_STDIN_END, run->channel, NULL, 0);
}

static struct error *send_limit(struct run *run)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	uint64_t ms = run->command->timeout_ns / NS_PER_MS;

	wire_limit_encode(&(struct wire_limit){ .ms = ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX },
			  &payload);
	return vm_link_send(&run->vm->link, WIRE_LIMIT, run->channel, payload.at, payload.n);
}

/* How long the agent may be silent and how long the command may take, in the guest's time. */
static struct error *begin_virtual(struct run *run)
{
	struct vm_mailbox *mailbox = run->vm->link.mailbox;
	uint64_t silence_ns = vm_silence_limit_ns(run->vm->heartbeat_ms, run->command->patience_ns);
	struct error *err = NULL;

	silence_ns = silence_ns < UINT8_MAX * NS_PER_SEC ? silence_ns : UINT8_MAX * NS_PER_SEC;
	mailbox->silence_s = run->vm->heartbeat_ms ? (uint8_t)(silence_ns / NS_PER_SEC) : 0;
	if (run->deadline_ns)
		err = send_limit(run);
	if (run->deadline_ns)
		run->deadline_ns = clock_monotonic_ns() + HOST_LIMIT_SEC * NS_PER_SEC +
				   HOST_LIMIT_TIMES * run->command->timeout_ns;
	return err ? err : send_all_input(run);
}

struct error *vm_exec(struct vm *vm, const struct vm_command *command, const struct cancel *cancel,
		      struct vm_end *ret)
{
	struct run run = {
		.vm = vm,
		.command = command,
		.channel = ++vm->last_channel,
		.input_open = command->stdin_fd >= 0,
		.deadline_ns = command->timeout_ns ? clock_monotonic_ns() + command->timeout_ns : 0,
	};
	uint64_t log_from = vm_console_size(vm->console_path);
	struct error *err;

	vm->patience_ns = command->patience_ns;
	err = send_run(&run);
	if (!err && vm->link.mailbox)
		err = begin_virtual(&run);
	while (!err && !run.finished)
		err = step(&run, cancel);
	/* What others leave in the guest then is the same in every run. */
	if (!err && vm->link.mailbox)
		err = vm_await_hold(vm, clock_monotonic_ns() + HOST_LIMIT_SEC * NS_PER_SEC, cancel);
	vm->patience_ns = 0;
	strbuf_deinit(&run.held);
	if (err)
		return error_wrap(err, "running %s", command->argv[0]);
	look_for_oom(vm, log_from, &run.end);
	*ret = run.end;
	if (run.killed || run.end.how == WIRE_END_TIMED_OUT)
		return base_error(BASE_CANCELLED, ETIMEDOUT, "running %s", command->argv[0]);
	return NULL;
}

struct transfer {
	struct vm *vm;
	uint32_t channel;
	uint64_t bytes;
	uint32_t crc;
	bool done;
	uint64_t files;
};

/* Takes what the guest says; waits for it, or for a moment in which the queue drains. */
static struct error *listen_to(struct transfer *t, bool wait, const struct cancel *cancel)
{
	uint64_t deadline_ns = clock_monotonic_ns() +
			       (wait ? PUT_ANSWER_SEC * NS_PER_SEC : PUT_DRAIN_MS * NS_PER_MS);
	struct wire_put_done done;
	struct wire_frame frame;
	enum vm_event event;
	struct error *err;

	err = vm_wait(t->vm, NULL, 0, deadline_ns, cancel, &event, &frame);
	if (err)
		return err;
	if (event == VM_EVENT_DEADLINE)
		return wait ? vm_error(VM_HANG, 0, "the guest stopped unpacking") : NULL;
	if (frame.channel != t->channel)
		return NULL;
	switch (frame.type) {
	case WIRE_PUT_DONE:
		err = wire_put_done_decode(frame.payload, &done);
		if (err)
			return err;
		t->files = done.files;
		t->done = true;
		return NULL;
	case WIRE_FAILED:
		return vm_failed(frame.payload);
	default:
		return vm_error(VM_AGENT, 0, "an archive was answered with %s",
				wire_type_name(frame.type));
	}
}

static struct error *send_archive(struct transfer *t, struct bytes piece,
				  const struct cancel *cancel)
{
	struct error *err = NULL;

	t->crc = wire_crc32c(t->crc, piece.at, piece.n);
	t->bytes += piece.n;
	for (size_t at = 0; !err && at < piece.n;) {
		size_t left = piece.n - at;
		size_t n = left < WIRE_PAYLOAD_MAX ? left : WIRE_PAYLOAD_MAX;

		err = vm_link_send(&t->vm->link, WIRE_PUT_DATA, t->channel, piece.at + at, n);
		at += n;
		/* The guest may refuse in the middle: then the rest need not go. */
		while (!err && vm_link_backlog(&t->vm->link) > PUT_BACKLOG_LIMIT)
			err = listen_to(t, false, cancel);
	}
	return err;
}

struct error *vm_put_bytes(struct vm *vm, const char *root, const void *archive, size_t n,
			   const struct cancel *cancel, uint64_t *ret_files)
{
	struct transfer t = { .vm = vm, .channel = ++vm->last_channel };
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	struct error *err;

	wire_put_encode(&(struct wire_put){ .root = root }, &payload);
	err = vm_link_send(&vm->link, WIRE_PUT, t.channel, payload.at, payload.n);
	if (!err)
		err = send_archive(&t, (struct bytes){ archive, n }, cancel);
	if (!err) {
		strbuf_clear(&payload);
		wire_put_end_encode(&(struct wire_put_end){ .bytes = t.bytes, .crc = t.crc },
				    &payload);
		err = vm_link_send(&vm->link, WIRE_PUT_END, t.channel, payload.at, payload.n);
	}
	while (!err && !t.done)
		err = listen_to(&t, true, cancel);
	if (err)
		return error_wrap(err, "sending files");
	if (ret_files)
		*ret_files = t.files;
	return NULL;
}
