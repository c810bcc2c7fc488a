// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "agent/machine.h"
#include "agent/quiet.h"
#include "base/alloc.h"
#include "base/clock.h"

DEFINE_ERROR_DOMAIN(agent, AGENT, AGENT_ERRORS);

/* What one round of poll() looks at; `stream` of AGENT_COMMAND_N_STREAMS is not a command's. */
struct watch {
	struct agent_command *command;
	enum agent_command_stream stream;
};

struct loop {
	struct agent agent;
	int signals;  /* signalfd: children, and what poweroff, halt and reboot send */
	int ended_by; /* such a signal; 0: none yet */
	VEC(struct pollfd) fds;
	VEC(struct watch) watches;
	struct wire_frame held; /* of a mailbox, not yet its turn */
	bool holds;
	bool more; /* of a mailbox: the host has said that there is more */
	bool input_over;
	bool host_away;
};

static bool has_mailbox(const struct loop *l)
{
	return l->agent.config->input == AGENT_INPUT_MAILBOX;
}

static void watch(struct loop *l, struct pollfd fd, struct agent_command *command,
		  enum agent_command_stream stream)
{
	vec_push(&l->fds, fd);
	vec_push(&l->watches, (struct watch){ command, stream });
}

/* The first three have fixed places: signals, input, output. */
static void gather(struct loop *l)
{
	struct agent *a = &l->agent;
	bool full = agent_output_unsent(&a->out) > AGENT_OUTPUT_HIGH;
	bool reads = !l->input_over && !l->holds && !l->host_away &&
		     agent_output_unsent(&a->out) <= AGENT_OUTPUT_FULL;
	bool writes = !a->out.sink && agent_output_unsent(&a->out) > 0 && !l->host_away;

	vec_clear(&l->fds);
	vec_clear(&l->watches);
	watch(l, (struct pollfd){ l->signals, POLLIN, 0 }, NULL, AGENT_COMMAND_N_STREAMS);
	watch(l, (struct pollfd){ reads ? a->config->in : -1, POLLIN, 0 }, NULL,
	      AGENT_COMMAND_N_STREAMS);
	watch(l, (struct pollfd){ writes ? a->out.fd : -1, POLLOUT, 0 }, NULL,
	      AGENT_COMMAND_N_STREAMS);
	for (size_t i = 0; i < a->commands.n; i++) {
		for (enum agent_command_stream s = 0; s < AGENT_COMMAND_N_STREAMS; s++) {
			struct pollfd fd;

			if (agent_command_wants(a->commands.at[i], s, full, &fd))
				watch(l, fd, a->commands.at[i], s);
		}
	}
}

static void send_heartbeat(struct agent *a)
{
	struct wire_heartbeat heartbeat = {
		.uptime_ns = agent_machine_uptime_ns(),
		.mem_available_kb = agent_machine_available_kb(),
		.commands = (uint32_t)a->commands.n,
	};
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	uint64_t now = clock_monotonic_ns();

	if (a->heartbeat_ns == 0 || now < a->next_heartbeat_ns)
		return;
	/* After a long sleep one heartbeat, not all that were missed. */
	a->next_heartbeat_ns += a->heartbeat_ns;
	if (a->next_heartbeat_ns <= now)
		a->next_heartbeat_ns = now + a->heartbeat_ns;
	heartbeat.count = ++a->heartbeats;
	if (agent_output_unsent(&a->out) > AGENT_OUTPUT_FULL)
		return; /* the host does not read; the count will show it */
	wire_heartbeat_encode(&heartbeat, &payload);
	agent_output_send_buf(&a->out, WIRE_HEARTBEAT, 0, &payload);
}

/*
 * When the next thing is due that no descriptor tells: a heartbeat, a limit, a look at idle CPUs.
 * 0: nothing is.
 */
static uint64_t next_due_ns(const struct agent *a)
{
	uint64_t due = a->heartbeat_ns ? a->next_heartbeat_ns : 0;

	for (size_t i = 0; i < a->commands.n; i++) {
		const struct agent_command *c = a->commands.at[i];

		if (c->limit_ns && !c->over_limit && (due == 0 || c->limit_ns < due))
			due = c->limit_ns;
	}
	if (a->quiet && (due == 0 || agent_quiet_due_ns(a->quiet) < due))
		due = agent_quiet_due_ns(a->quiet);
	return due;
}

static int time_left_ms(const struct loop *l)
{
	const struct agent *a = &l->agent;
	uint64_t now = clock_monotonic_ns(), due = next_due_ns(a);
	uint64_t left;

	/* Output left by an ended command waits for room, which no descriptor signals. */
	for (size_t i = 0; i < a->commands.n; i++)
		if (a->commands.at[i]->exited && agent_output_unsent(&a->out) <= AGENT_OUTPUT_HIGH)
			return 0;
	if (l->host_away)
		return AGENT_HANGUP_MS;
	if (due == 0)
		return -1;
	if (due <= now)
		return 0;
	left = (due - now + NS_PER_MS - 1) / NS_PER_MS;
	return left > 3600000 ? 3600000 : (int)left;
}

static void take_signals(struct loop *l)
{
	struct agent *a = &l->agent;
	struct signalfd_siginfo info;
	struct rusage usage;
	int status;
	pid_t pid;

	while (read(l->signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			l->ended_by = (int)info.ssi_signo;
	/* Orphans of the whole guest are reparented to us; most are not commands of the host. */
	while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0)
		for (size_t i = 0; i < a->commands.n; i++)
			if (a->commands.at[i]->pid == pid && !a->commands.at[i]->exited)
				agent_command_reaped(a->commands.at[i], status, &usage);
}

static struct error *take_frames(struct loop *l)
{
	struct agent *a = &l->agent;
	struct error *err;
	bool got;

	for (;;) {
		if (!l->holds) {
			err = wire_receiver_take(&a->receiver, &l->held, &got);
			if (err) {
				agent_session_failed(a, err);
				continue;
			}
			if (!got)
				return NULL;
			l->holds = true;
		}
		if (has_mailbox(l) && !agent_may_handle(a, &l->held))
			return NULL;
		l->holds = false;
		agent_handle(a, &l->held);
		send_heartbeat(a);
		/* The host hears of it while a long transfer goes on. */
		err = agent_output_flush(&a->out);
		if (err || a->powering_off)
			return err;
	}
}

/* A virtio port gives 4 KiB at a time: as many of them as there are, up to a bound. */
static struct error *read_input(struct loop *l)
{
	struct agent *a = &l->agent;
	static char buffer[WIRE_PAYLOAD_MAX];
	size_t have = 0;
	ssize_t n;

	do {
		n = read(a->config->in, buffer + have, sizeof(buffer) - have);
		have += n > 0 ? (size_t)n : 0;
	} while (n > 0 && have < sizeof(buffer));
	if (have) {
		/* How it ended will be seen again in the next round. */
		wire_receiver_feed(&a->receiver, buffer, have);
		return NULL;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return NULL;
	if (a->config->input == AGENT_INPUT_PORT) {
		l->host_away = true;
		return NULL;
	}
	if (n < 0 && errno != ECONNRESET)
		return agent_error(AGENT_SYSTEM, errno, "reading from the host");
	l->input_over = true;
	return NULL;
}

static void finish_commands(struct agent *a)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->commands.n; i++) {
		if (agent_command_finish(a->commands.at[i], &a->out))
			agent_command_free(a->commands.at[i]);
		else
			a->commands.at[kept++] = a->commands.at[i];
	}
	a->commands.n = kept;
}

static bool is_over(const struct loop *l)
{
	if (l->agent.powering_off || l->ended_by)
		return true;
	return l->input_over;
}

/*
 * The machine stands still until the host has answered, so it is asked only when nothing is under
 * way, or when it said that the rest of something comes.
 */
static bool wants_mail(const struct loop *l)
{
	return has_mailbox(l) && !l->holds && (l->more || !agent_is_busy(&l->agent));
}

static struct error *read_mail(struct loop *l)
{
	struct bytes input = l->agent.config->source(&l->more);
	struct error *err;

	wire_receiver_feed(&l->agent.receiver, input.at, input.n);
	err = take_frames(l);
	return err ? err : agent_output_flush(&l->agent.out);
}

static struct error *one_round(struct loop *l)
{
	struct agent *a = &l->agent;
	struct error *err = NULL;

	if (wants_mail(l))
		return read_mail(l);
	gather(l);
	if (poll(l->fds.at, l->fds.n, time_left_ms(l)) < 0 && errno != EINTR)
		return agent_error(AGENT_SYSTEM, errno, "poll");
	l->host_away = false;
	if (l->fds.at[0].revents)
		take_signals(l);
	for (size_t i = 3; i < l->fds.n; i++)
		if (l->fds.at[i].revents)
			agent_command_handle(l->watches.at[i].command, l->watches.at[i].stream,
					     &a->out);
	for (size_t i = 0; i < a->commands.n; i++)
		agent_command_check_limit(a->commands.at[i], clock_monotonic_ns());
	finish_commands(a);
	if (a->quiet && agent_quiet_step(a->quiet, &a->out))
		agent_quiet_free(take_ptr(a->quiet));
	if (l->fds.at[1].revents)
		err = read_input(l);
	if (!err)
		err = take_frames(l);
	send_heartbeat(a);
	return err ? err : agent_output_flush(&a->out);
}

static void send_bye(struct loop *l)
{
	struct agent *a = &l->agent;

	if (!l->ended_by)
		agent_output_send(&a->out, WIRE_BYE, 0, NULL, 0);
	/* A host that is gone gets no BYE. */
	error_free(agent_output_drain(&a->out, AGENT_FAREWELL_MS));
}

static void loop_deinit(struct loop *l)
{
	agent_drop_all(&l->agent);
	vec_deinit(&l->agent.commands);
	vec_deinit(&l->fds);
	vec_deinit(&l->watches);
	agent_output_deinit(&l->agent.out);
	wire_receiver_deinit(&l->agent.receiver);
	agent_identity_free(l->agent.identity);
	cleanup_fd(&l->signals);
}

static int open_signals(const struct agent_config *config)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	if (config->owns_machine) {
		sigaddset(&set, SIGUSR1); /* halt */
		sigaddset(&set, SIGUSR2); /* poweroff */
		sigaddset(&set, SIGTERM); /* reboot */
	}
	/* Even the first process gets a signal that it blocks. */
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -1;
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

struct error *agent_serve(const struct agent_config *config, enum agent_end *ret)
{
	__attribute__((cleanup(loop_deinit))) struct loop l = {
		.agent = { .config = config, .out = { .fd = config->out, .sink = config->sink } },
		.signals = -1,
	};
	struct error *err = agent_identity_new(&l.agent.identity);

	if (err)
		return err;
	signal(SIGPIPE, SIG_IGN);
	l.signals = open_signals(config);
	if (l.signals < 0)
		return agent_error(AGENT_SYSTEM, errno, "waiting for signals");
	wire_receiver_init(&l.agent.receiver, WIRE_GUEST);
	while (!err && !is_over(&l)) {
		err = one_round(&l);
		/* A stream ends when the other side closes, whichever direction shows it first. */
		if (err && config->input == AGENT_INPUT_STREAM && error_errno(err) == EPIPE) {
			error_free(take_ptr(err));
			l.input_over = true;
		}
	}
	if (err)
		return err;
	send_bye(&l);
	if (l.ended_by)
		*ret = l.ended_by == SIGTERM ? AGENT_END_GUEST_REBOOT : AGENT_END_GUEST_OFF;
	else
		*ret = l.agent.powering_off ? AGENT_END_POWER_OFF : AGENT_END_INPUT;
	return NULL;
}
