// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <sys/utsname.h>

#include "agent/agent.h"
#include "agent/machine.h"
#include "agent/quiet.h"
#include "base/clock.h"
#include "topo/machine.h"

static struct agent_command *find_command(const struct agent *a, uint32_t channel)
{
	for (size_t i = 0; i < a->commands.n; i++)
		if (a->commands.at[i]->channel == channel)
			return a->commands.at[i];
	return NULL;
}

void agent_drop_all(struct agent *a)
{
	for (size_t i = 0; i < a->commands.n; i++)
		agent_command_free(a->commands.at[i]);
	vec_clear(&a->commands);
	agent_put_free(take_ptr(a->put));
	agent_quiet_free(take_ptr(a->quiet));
}

void agent_session_failed(struct agent *a, struct error *err)
{
	if (a->session_failed)
		error_free(err);
	else
		agent_output_fail(&a->out, 0, err);
	a->session_failed = true;
}

static void send_boot_log(struct agent *a)
{
	const char *at = a->config->boot_log;

	while (at && *at && !a->boot_log_sent) {
		size_t n = strcspn(at, "\n");

		agent_output_send(&a->out, WIRE_LOG, 0, at, n);
		at += n + (at[n] == '\n');
	}
	a->boot_log_sent = true;
}

static void send_ready(struct agent *a)
{
	struct utsname uts = { 0 };
	struct wire_ready ready = {
		.protocol = WIRE_PROTOCOL,
		.generation = a->identity->generation,
		.nonce_phys = a->nonce_phys,
		.monotonic_ns = clock_monotonic_ns(),
		.online_cpus = agent_machine_online_cpus(),
		.release = uts.release,
	};
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;

	uname(&uts);
	memcpy(ready.nonce, a->identity->nonce, sizeof(ready.nonce));
	wire_ready_encode(&ready, &payload);
	agent_output_send_buf(&a->out, WIRE_READY, 0, &payload);
}

static void handle_hello(struct agent *a, const struct wire_frame *frame)
{
	struct wire_hello hello;
	struct error *err, *clock_err = NULL, *entropy_err = NULL;

	agent_drop_all(a);
	a->session_failed = false;
	a->heartbeat_ns = 0;
	wire_sender_begin(&a->out.sender, frame->session);
	err = wire_hello_decode(frame->payload, &hello);
	if (!err && hello.protocol != WIRE_PROTOCOL)
		err = agent_error(AGENT_PROTOCOL, 0, "the host uses protocol %u, this agent %d",
				  hello.protocol, WIRE_PROTOCOL);
	if (err) {
		agent_session_failed(a, err);
		return;
	}
	if (a->config->owns_machine) {
		clock_err = agent_machine_set_clock(hello.realtime_ns);
		entropy_err = agent_machine_add_entropy(hello.entropy, sizeof(hello.entropy));
	}
	agent_identity_hello(a->identity, hello.nonce);
	/* The page stays where it is; a clone's first steps are dear. */
	if (a->nonce_phys == 0)
		a->nonce_phys = agent_identity_phys(a->identity);
	send_ready(a);
	send_boot_log(a);
	if (clock_err)
		agent_output_log(&a->out, 0, "%s", error_message(clock_err));
	if (entropy_err)
		agent_output_log(&a->out, 0, "%s", error_message(entropy_err));
	error_free(clock_err);
	error_free(entropy_err);
	a->heartbeat_ns = hello.heartbeat_ms * NS_PER_MS;
	a->next_heartbeat_ns = clock_monotonic_ns() + a->heartbeat_ns;
}

static struct error *check_channel(const struct agent *a, uint32_t channel)
{
	if (channel == 0)
		return agent_error(AGENT_CHANNEL, 0, "channel 0 is the session's own");
	if (find_command(a, channel) || (a->put && agent_put_channel(a->put) == channel) ||
	    (a->quiet && agent_quiet_channel(a->quiet) == channel))
		return agent_error(AGENT_CHANNEL, 0, "channel %u is in use", channel);
	return NULL;
}

static struct error *handle_run(struct agent *a, const struct wire_frame *frame)
{
	struct agent_launch_place place = {
		.cgroup_root = a->config->cgroup_root,
		.kernel_log = a->config->owns_machine ? "/dev/kmsg" : NULL,
		.reset_oom = a->config->owns_machine,
	};
	__attribute__((cleanup(wire_run_deinit))) struct wire_run run = { 0 };
	struct agent_command *command;
	struct error *err = check_channel(a, frame->channel);

	if (!err && a->commands.n >= AGENT_COMMANDS_MAX)
		err = agent_error(AGENT_LIMIT, 0, "%zu commands run already", a->commands.n);
	if (!err)
		err = wire_run_decode(frame->payload, &run);
	if (!err)
		err = agent_command_new(frame->channel, &run, &place, &command);
	if (!err)
		vec_push(&a->commands, command);
	return err;
}

/* Frames to a command that has just ended are late, not wrong. */
static struct error *handle_for_command(struct agent *a, const struct wire_frame *frame)
{
	struct agent_command *c = find_command(a, frame->channel);
	struct wire_signal sig;
	struct wire_resize resize;
	struct wire_limit limit;
	struct error *err;
	int errnum;

	if (!c)
		return NULL;
	if (frame->type == WIRE_STDIN)
		return agent_command_input(c, frame->payload, &a->out);
	if (frame->type == WIRE_STDIN_END) {
		agent_command_input_end(c);
		return NULL;
	}
	if (frame->type == WIRE_LIMIT) {
		err = wire_limit_decode(frame->payload, &limit);
		if (!err)
			agent_command_limit(c, limit.ms);
		return err;
	}
	if (frame->type == WIRE_RESIZE) {
		err = wire_resize_decode(frame->payload, &resize);
		if (!err)
			agent_command_resize(c, resize.cols, resize.rows);
		return err;
	}
	err = wire_signal_decode(frame->payload, &sig);
	if (err)
		return err;
	errnum = agent_command_signal(c, (int)sig.number);
	return errnum ? agent_error(AGENT_SYSTEM, errnum, "signal %u", sig.number) : NULL;
}

static struct error *handle_put(struct agent *a, const struct wire_frame *frame)
{
	struct wire_put message;
	struct error *err = check_channel(a, frame->channel);

	if (!err && a->put)
		err = agent_error(AGENT_LIMIT, 0, "files still arrive on channel %u",
				  agent_put_channel(a->put));
	if (!err)
		err = wire_put_decode(frame->payload, &message);
	if (!err)
		err = agent_put_new(frame->channel, a->config->root, message.root, &a->put);
	return err;
}

static struct error *handle_put_data(struct agent *a, const struct wire_frame *frame)
{
	struct wire_put_end message;
	struct wire_put_done done;
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	struct agent_put *put = a->put;
	struct error *err;

	/* Data of a failed transfer that was already sent; the failure was reported once. */
	if (!put || agent_put_channel(put) != frame->channel)
		return NULL;
	if (frame->type == WIRE_PUT_DATA) {
		err = agent_put_data(put, frame->payload);
	} else {
		err = wire_put_end_decode(frame->payload, &message);
		if (!err)
			err = agent_put_end(put, message.bytes, message.crc, &done);
	}
	if (err || frame->type == WIRE_PUT_END)
		agent_put_free(take_ptr(a->put));
	if (!err && frame->type == WIRE_PUT_END) {
		wire_put_done_encode(&done, &payload);
		agent_output_send_buf(&a->out, WIRE_PUT_DONE, frame->channel, &payload);
	}
	return err;
}

static struct error *handle_topology(struct agent *a, const struct wire_frame *frame)
{
	_cleanup_topo_machine_ struct topo_machine *machine = NULL;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err = topo_machine_read(a->config->sysfs, &machine);

	if (err)
		return err;
	topo_machine_format(machine, &text);
	if (text.n > WIRE_PAYLOAD_MAX)
		return agent_error(AGENT_LIMIT, 0, "a topology of %zu bytes", text.n);
	agent_output_send_buf(&a->out, WIRE_TOPOLOGY, frame->channel, &text);
	return NULL;
}

static struct error *handle_settle(struct agent *a, const struct wire_frame *frame)
{
	struct wire_settle request;
	struct error *err = check_channel(a, frame->channel);

	if (!err && a->quiet)
		err = agent_error(AGENT_LIMIT, 0, "already waiting for idle CPUs on channel %u",
				  agent_quiet_channel(a->quiet));
	if (!err)
		err = wire_settle_decode(frame->payload, &request);
	return err ? err : agent_quiet_new(frame->channel, &request, a->config->proc, &a->quiet);
}

static struct error *handle_measure(struct agent *a, const struct wire_frame *frame)
{
	struct agent_command *command;
	struct wire_measure message;
	struct error *err = check_channel(a, frame->channel);

	if (err)
		return err;
	if (a->commands.n > 0)
		return agent_error(
			AGENT_LIMIT, 0,
			"the machine is measured while nothing runs, and %zu commands do",
			a->commands.n);
	err = wire_measure_decode(frame->payload, &message);
	if (err)
		return err;
	err = agent_command_measure(frame->channel, message.phase_ms, a->config->owns_machine,
				    &command);
	if (!err)
		vec_push(&a->commands, command);
	return err;
}

static struct error *handle_power_off(struct agent *a, const struct wire_frame *frame UNUSED)
{
	a->powering_off = true;
	return NULL;
}

void agent_handle(struct agent *a, const struct wire_frame *frame)
{
	/* The receiver passes no type that is not for us. */
	static struct error *(*const handlers[WIRE_N_TYPES])(struct agent *,
							     const struct wire_frame *) = {
		[WIRE_RUN] = handle_run,
		[WIRE_STDIN] = handle_for_command,
		[WIRE_STDIN_END] = handle_for_command,
		[WIRE_SIGNAL] = handle_for_command,
		[WIRE_RESIZE] = handle_for_command,
		[WIRE_LIMIT] = handle_for_command,
		[WIRE_PUT] = handle_put,
		[WIRE_PUT_DATA] = handle_put_data,
		[WIRE_PUT_END] = handle_put_data,
		[WIRE_GET_TOPOLOGY] = handle_topology,
		[WIRE_POWER_OFF] = handle_power_off,
		[WIRE_SETTLE] = handle_settle,
		[WIRE_MEASURE] = handle_measure,
	};
	struct error *err = NULL;

	if (frame->type == WIRE_HELLO)
		handle_hello(a, frame);
	else if (!a->session_failed && handlers[frame->type])
		err = handlers[frame->type](a, frame);
	if (err)
		agent_output_fail(&a->out, frame->channel, err);
}

bool agent_is_busy(const struct agent *a)
{
	return a->commands.n > 0 || a->quiet;
}

bool agent_may_handle(const struct agent *a, const struct wire_frame *frame)
{
	struct agent_command *c;

	switch (frame->type) {
	case WIRE_RUN:
	case WIRE_PUT:
	case WIRE_GET_TOPOLOGY:
	case WIRE_POWER_OFF:
	case WIRE_SETTLE:
	case WIRE_MEASURE:
		return !agent_is_busy(a);
	case WIRE_STDIN:
		c = find_command(a, frame->channel);
		return !c || c->window >= frame->payload.n || c->exited;
	default:
		return true;
	}
}
