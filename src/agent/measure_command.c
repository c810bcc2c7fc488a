// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "agent/machine.h"
#include "agent/measure.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"

/* What goes through the pipe goes in one piece. */
enum { ANSWER_BYTES = PIPE_BUF };

static struct wire_measured message_of(const struct agent_model *m)
{
	const enum agent_load quiet = AGENT_LOAD_QUIET, busy = AGENT_LOAD_ALL_BUSY;

	return (struct wire_measured){
		.cpus = m->cpus,
		.alone_kips = m->alone_kips,
		.busy_kips = m->busy_kips,
		.total_kips = m->total_kips,
		.tick_ppm = m->tick_ppm,
		.turn_ns = m->turn_ns,
		.step_max_ns = m->steps.max_ns,
		.wake_quiet_p50_ns = m->wake[quiet].p50_ns,
		.wake_quiet_max_ns = m->wake[quiet].max_ns,
		.wake_busy_p50_ns = m->wake[busy].p50_ns,
		.wake_busy_max_ns = m->wake[busy].max_ns,
		.ipi_quiet_p50_ns = m->ipi[quiet].p50_ns,
		.ipi_quiet_max_ns = m->ipi[quiet].max_ns,
		.ipi_busy_p50_ns = m->ipi[busy].p50_ns,
		.ipi_busy_max_ns = m->ipi[busy].max_ns,
		.timer_p50_ns = m->timer[busy].p50_ns,
		.timer_max_ns = m->timer[busy].max_ns,
	};
}

/* The payload of MEASURED with status 0, else a text that says what went wrong. */
static _Noreturn void measure_main(uint32_t phase_ms, bool reset_oom, int answer)
{
	const unsigned int loads = 1U << AGENT_LOAD_QUIET | 1U << AGENT_LOAD_ALL_BUSY;
	struct strbuf payload = STRBUF_INIT;
	struct wire_measured message;
	struct agent_model model;
	struct error *err;

	/* A group of its own, which agent_command_free() kills. */
	setsid();
	if (reset_oom)
		agent_machine_write("/proc/self/oom_score_adj", "0");
	err = agent_measure(phase_ms * NS_PER_MS, loads, &model);
	if (err) {
		strbuf_append(&payload, error_message(err));
	} else {
		message = message_of(&model);
		wire_measured_encode(&message, &payload);
	}
	if (io_write_all(answer, "the answer", payload.at,
			 payload.n < ANSWER_BYTES ? payload.n : ANSWER_BYTES))
		_exit(2);
	_exit(err ? 1 : 0);
}

struct error *agent_command_measure(uint32_t channel, uint32_t phase_ms, bool reset_oom,
				    struct agent_command **ret)
{
	struct agent_command *c;
	int ends[2];
	pid_t pid;

	if (phase_ms == 0 || phase_ms > AGENT_LIMIT_MEASURE_MS)
		return agent_error(AGENT_LIMIT, 0, "phases of %u ms: expected 1 to %d", phase_ms,
				   AGENT_LIMIT_MEASURE_MS);
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return agent_error(AGENT_SYSTEM, errno, "cannot create a pipe for a measurement");
	pid = fork();
	if (pid == 0)
		measure_main(phase_ms, reset_oom, ends[1]);
	close(ends[1]);
	if (pid < 0) {
		int errnum = errno;

		close(ends[0]);
		return agent_error(AGENT_SYSTEM, errnum,
				   "cannot start a process for a measurement");
	}
	c = xnew(struct agent_command);
	*c = (struct agent_command){
		.channel = channel,
		.measures = true,
		.pid = pid,
		.fds = { -1, -1, -1, ends[0], -1 },
	};
	*ret = c;
	return NULL;
}

void agent_command_send_measured(struct agent_command *c, struct agent_output *out)
{
	char answer[ANSWER_BYTES + 1];
	ssize_t n = read(c->fds[AGENT_COMMAND_REPORT], answer, ANSWER_BYTES);

	answer[n > 0 ? n : 0] = '\0';
	if (WIFSIGNALED(c->status))
		agent_output_fail(out, c->channel,
				  agent_error(AGENT_SYSTEM, 0,
					      "the measurement was ended by signal %d",
					      WTERMSIG(c->status)));
	else if (c->status != 0 || n <= 0)
		agent_output_fail(out, c->channel,
				  agent_error(AGENT_SYSTEM, 0, "the measurement failed: %s",
					      n > 0 ? answer : "it said nothing"));
	else
		agent_output_send(out, WIRE_MEASURED, c->channel, answer, (size_t)n);
}
