// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"

#include <signal.h>
#include <sys/wait.h>

#include "heard.h"

enum { CHANNEL = 5 };

/* As the loop does it. */
static void reap(struct agent_command *c)
{
	struct rusage usage;
	int status;

	assert_int_equal(wait4(c->pid, &status, 0, &usage), c->pid);
	agent_command_reaped(c, status, &usage);
}

static void a_measurement_becomes_one_frame(void **state UNUSED)
{
	struct agent_command *c;
	struct wire_frame frame;
	struct wire_measured m;
	struct pollfd fd;
	struct heard h;
	bool got;

	heard_begin(&h);
	assert_success(agent_command_measure(CHANNEL, 1, false, &c));
	/* Nothing to wait for but its end. */
	for (enum agent_command_stream s = 0; s < AGENT_COMMAND_N_STREAMS; s++)
		assert_false(agent_command_wants(c, s, false, &fd));
	assert_false(agent_command_finish(c, &h.out));
	reap(c);
	assert_true(agent_command_finish(c, &h.out));
	wire_receiver_feed(&h.receiver, h.out.pending.at, h.out.pending.n);
	assert_success(wire_receiver_take(&h.receiver, &frame, &got));
	assert_true(got);
	assert_int_equal(frame.type, WIRE_MEASURED);
	assert_int_equal(frame.channel, CHANNEL);
	assert_success(wire_measured_decode(frame.payload, &m));
	assert_true(m.cpus > 0);
	assert_true(m.alone_kips > 0);
	assert_true(m.total_kips >= m.busy_kips);
	assert_true(m.timer_max_ns >= m.timer_p50_ns);
	assert_true(m.wake_busy_max_ns >= m.wake_busy_p50_ns);
	assert_success(wire_receiver_take(&h.receiver, &frame, &got));
	assert_false(got);
	agent_command_free(c);
	heard_end(&h);
}

static void a_measurement_that_is_killed_failed(void **state UNUSED)
{
	struct agent_command *c;
	struct heard h;

	heard_begin(&h);
	assert_success(agent_command_measure(CHANNEL, 1000, false, &c));
	assert_int_equal(agent_command_signal(c, SIGKILL), 0);
	reap(c);
	assert_true(agent_command_finish(c, &h.out));
	heard_listen(&h);
	assert_int_equal(h.n, 1);
	assert_int_equal(h.types[0], WIRE_FAILED);
	assert_int_equal(h.channels[0], CHANNEL);
	assert_string_equal(h.failed_tag, "agent-system");
	agent_command_free(c);
	heard_end(&h);
}

static void phases_of_no_or_endless_length_are_refused(void **state UNUSED)
{
	struct agent_command *c = NULL;

	assert_error_tag(agent_command_measure(CHANNEL, 0, false, &c), "agent-limit");
	assert_error_tag(agent_command_measure(CHANNEL, 10001, false, &c), "agent-limit");
	assert_null(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_measurement_becomes_one_frame),
		cmocka_unit_test(a_measurement_that_is_killed_failed),
		cmocka_unit_test(phases_of_no_or_endless_length_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
