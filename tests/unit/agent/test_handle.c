// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"

#include <sys/wait.h>

#include "heard.h"
#include "scratch.h"

struct stage {
	struct agent agent;
	struct agent_config config;
	struct heard heard;
	struct strbuf payload;
};

static void stage_begin(struct stage *s, const char *root)
{
	memset(s, 0, sizeof(*s));
	s->config = (struct agent_config){
		.root = root,
		.sysfs = "/sys",
		.cgroup_root = "/nowhere",
		.boot_log = "one mount\nanother",
	};
	heard_begin(&s->heard);
	s->agent.config = &s->config;
	s->agent.out.fd = -1;
	assert_success(agent_identity_new(&s->agent.identity));
}

static void stage_end(struct stage *s)
{
	agent_drop_all(&s->agent);
	vec_deinit(&s->agent.commands);
	agent_identity_free(s->agent.identity);
	agent_output_deinit(&s->agent.out);
	heard_end(&s->heard);
	strbuf_deinit(&s->payload);
}

static struct wire_frame frame_of(struct stage *s, enum wire_type type, uint32_t channel)
{
	return (struct wire_frame){
		.type = type,
		.session = 0,
		.channel = channel,
		.payload = { (const uint8_t *)s->payload.at, s->payload.n },
	};
}

/* Hands the payload over, and hears what is said to it. */
static void handle(struct stage *s, enum wire_type type, uint32_t channel)
{
	struct wire_frame frame = frame_of(s, type, channel);

	agent_handle(&s->agent, &frame);
	strbuf_clear(&s->payload);
	wire_receiver_feed(&s->heard.receiver, s->agent.out.pending.at, s->agent.out.pending.n);
	strbuf_clear(&s->agent.out.pending);
	heard_listen(&s->heard);
}

static void hello(struct stage *s, uint32_t protocol)
{
	struct wire_hello message = { .protocol = protocol, .nonce = "a nonce" };

	wire_hello_encode(&message, &s->payload);
	/* The numbers begin again. */
	wire_receiver_begin(&s->heard.receiver, 0);
	handle(s, WIRE_HELLO, 0);
}

static void run(struct stage *s, uint32_t channel, const char *script)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct wire_run message = { .argv = argv, .flags = WIRE_RUN_STDIN };

	wire_run_encode(&message, &s->payload);
	handle(s, WIRE_RUN, channel);
}

static void hello_is_answered_by_ready_and_the_boot_log_once(void **state)
{
	struct stage s;

	stage_begin(&s, *state);
	hello(&s, WIRE_PROTOCOL);
	assert_int_equal(s.heard.n, 3);
	assert_int_equal(s.heard.types[0], WIRE_READY);
	assert_int_equal(s.heard.types[1], WIRE_LOG);
	assert_int_equal(s.heard.ready.generation, 1);
	assert_int_equal(s.heard.ready.protocol, 1);
	assert_memory_equal(s.heard.ready.nonce, "a nonce", 8);
	assert_true(s.heard.ready.online_cpus > 0);
	hello(&s, WIRE_PROTOCOL);
	assert_int_equal(s.heard.n, 4);
	assert_int_equal(s.heard.ready.generation, 2);
	stage_end(&s);
}

static void another_protocol_fails_the_session_until_a_good_hello(void **state)
{
	struct stage s;

	stage_begin(&s, *state);
	hello(&s, WIRE_PROTOCOL + 1);
	assert_string_equal(s.heard.failed_tag, "agent-protocol");
	run(&s, 1, "true");
	assert_int_equal(s.agent.commands.n, 0);
	assert_int_equal(s.heard.n, 1);
	hello(&s, WIRE_PROTOCOL);
	run(&s, 1, "true");
	assert_int_equal(s.agent.commands.n, 1);
	stage_end(&s);
}

static void a_failed_session_reports_one_error_and_ignores_requests(void **state)
{
	struct stage s;

	stage_begin(&s, *state);
	hello(&s, WIRE_PROTOCOL);
	agent_session_failed(&s.agent, wire_error(WIRE_GAP, 0, "x"));
	agent_session_failed(&s.agent, wire_error(WIRE_BAD_MAGIC, 0, "x"));
	handle(&s, WIRE_POWER_OFF, 0);
	assert_string_equal(s.heard.failed_tag, "wire-gap");
	assert_false(s.agent.powering_off);
	stage_end(&s);
}

static void run_is_refused_on_a_busy_channel_and_on_channel_0(void **state)
{
	struct stage s;

	stage_begin(&s, *state);
	hello(&s, WIRE_PROTOCOL);
	run(&s, 0, "true");
	assert_string_equal(s.heard.failed_tag, "agent-channel");
	s.heard.failed_tag[0] = '\0';
	run(&s, 7, "sleep 1000");
	assert_string_equal(s.heard.failed_tag, "");
	run(&s, 7, "true");
	assert_string_equal(s.heard.failed_tag, "agent-channel");
	assert_int_equal(s.heard.channels[s.heard.n - 1], 7);
	assert_int_equal(s.agent.commands.n, 1);
	stage_end(&s);
}

static void commands_running_at_once_are_limited(void **state)
{
	static struct agent_command stand_ins[AGENT_COMMANDS_MAX];
	struct stage s;

	stage_begin(&s, *state);
	hello(&s, WIRE_PROTOCOL);
	for (uint32_t i = 0; i < AGENT_COMMANDS_MAX; i++) {
		stand_ins[i].channel = i + 1;
		vec_push(&s.agent.commands, &stand_ins[i]);
	}
	run(&s, 9999, "true");
	assert_string_equal(s.heard.failed_tag, "agent-limit");
	vec_clear(&s.agent.commands);
	stage_end(&s);
}

static void malformed_requests_fail_on_their_channel(void **state)
{
	static const enum wire_type types[] = { WIRE_RUN, WIRE_PUT };
	struct stage s;

	stage_begin(&s, *state);
	hello(&s, WIRE_PROTOCOL);
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		s.heard.failed_tag[0] = '\0';
		strbuf_append(&s.payload, "x");
		handle(&s, types[i], 4);
		assert_string_equal(s.heard.failed_tag, "wire-malformed");
		assert_int_equal(s.heard.channels[s.heard.n - 1], 4);
	}
	stage_end(&s);
}

static void frames_for_an_unknown_channel_are_ignored(void **state)
{
	static const enum wire_type types[] = { WIRE_STDIN,  WIRE_STDIN_END, WIRE_SIGNAL,
						WIRE_RESIZE, WIRE_PUT_DATA,  WIRE_PUT_END };
	struct stage s;
	size_t before;

	stage_begin(&s, *state);
	hello(&s, WIRE_PROTOCOL);
	before = s.heard.n;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		handle(&s, types[i], 55);
	assert_int_equal(s.heard.n, before);
	stage_end(&s);
}

static void a_signal_that_does_not_exist_fails(void **state)
{
	struct wire_signal message = { .number = 4000 };
	struct stage s;

	stage_begin(&s, *state);
	hello(&s, WIRE_PROTOCOL);
	run(&s, 1, "sleep 1000");
	wire_signal_encode(&message, &s.payload);
	handle(&s, WIRE_SIGNAL, 1);
	assert_string_equal(s.heard.failed_tag, "agent-system");
	stage_end(&s);
}

static void hello_kills_running_commands_and_drops_a_transfer(void **state)
{
	struct wire_put message = { "/in" };
	struct stage s;
	pid_t pid;

	stage_begin(&s, *state);
	hello(&s, WIRE_PROTOCOL);
	run(&s, 1, "sleep 1000");
	pid = s.agent.commands.at[0]->pid;
	wire_put_encode(&message, &s.payload);
	handle(&s, WIRE_PUT, 2);
	assert_non_null(s.agent.put);
	hello(&s, WIRE_PROTOCOL);
	assert_int_equal(s.agent.commands.n, 0);
	assert_null(s.agent.put);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	stage_end(&s);
}

static void a_second_transfer_is_refused_and_a_bad_one_fails_once(void **state)
{
	struct wire_put message = { "/in" };
	struct wire_put_end end = { .bytes = 4 };
	struct stage s;
	size_t before;

	stage_begin(&s, *state);
	hello(&s, WIRE_PROTOCOL);
	wire_put_encode(&message, &s.payload);
	handle(&s, WIRE_PUT, 2);
	wire_put_encode(&message, &s.payload);
	handle(&s, WIRE_PUT, 3);
	assert_string_equal(s.heard.failed_tag, "agent-limit");
	run(&s, 2, "true");
	assert_string_equal(s.heard.failed_tag, "agent-channel");
	/* No archive: told at once, and the rest of it is let pass. */
	strbuf_append_repeated(&s.payload, 'x', 200);
	handle(&s, WIRE_PUT_DATA, 2);
	assert_string_equal(s.heard.failed_tag, "cpio-magic");
	before = s.heard.n;
	strbuf_append(&s.payload, "more");
	handle(&s, WIRE_PUT_DATA, 2);
	wire_put_end_encode(&end, &s.payload);
	handle(&s, WIRE_PUT_END, 2);
	assert_int_equal(s.heard.n, before);
	wire_put_encode(&message, &s.payload);
	handle(&s, WIRE_PUT, 2);
	assert_int_equal(s.heard.n, before);
	stage_end(&s);
}

static void get_topology_is_answered_on_the_channel_that_asked(void **state)
{
	struct stage s;

	stage_begin(&s, *state);
	hello(&s, WIRE_PROTOCOL);
	handle(&s, WIRE_GET_TOPOLOGY, 31);
	assert_int_equal(s.heard.types[s.heard.n - 1], WIRE_TOPOLOGY);
	assert_int_equal(s.heard.channels[s.heard.n - 1], 31);
	s.config.sysfs = "/nowhere";
	handle(&s, WIRE_GET_TOPOLOGY, 32);
	assert_int_equal(s.heard.types[s.heard.n - 1], WIRE_FAILED);
	assert_int_equal(s.heard.channels[s.heard.n - 1], 32);
	stage_end(&s);
}

static void measure_is_refused_while_a_command_runs(void **state)
{
	struct wire_measure message = { .phase_ms = 1 };
	struct stage s;

	stage_begin(&s, *state);
	hello(&s, WIRE_PROTOCOL);
	run(&s, 3, "sleep 1000");
	wire_measure_encode(&message, &s.payload);
	handle(&s, WIRE_MEASURE, 4);
	assert_string_equal(s.heard.failed_tag, "agent-limit");
	assert_int_equal(s.agent.commands.n, 1);
	stage_end(&s);
}

static void a_measurement_has_its_channel_until_it_ends(void **state)
{
	struct wire_measure message = { .phase_ms = 1000 };
	struct wire_frame next;
	struct stage s;
	pid_t pid;

	stage_begin(&s, *state);
	hello(&s, WIRE_PROTOCOL);
	wire_measure_encode(&message, &s.payload);
	handle(&s, WIRE_MEASURE, 4);
	assert_int_equal(s.agent.commands.n, 1);
	assert_string_equal(s.heard.failed_tag, "");
	pid = s.agent.commands.at[0]->pid;
	run(&s, 4, "true");
	assert_string_equal(s.heard.failed_tag, "agent-channel");
	/* With a plan what comes next waits for it, and it waits for others. */
	next = frame_of(&s, WIRE_MEASURE, 5);
	assert_false(agent_may_handle(&s.agent, &next));
	/* It ends with its session. */
	hello(&s, WIRE_PROTOCOL);
	assert_int_equal(s.agent.commands.n, 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	stage_end(&s);
}

static void plan_requests_wait_for_the_running_command(void **state)
{
	static const enum wire_type waiting[] = { WIRE_RUN, WIRE_PUT, WIRE_GET_TOPOLOGY,
						  WIRE_POWER_OFF, WIRE_SETTLE };
	struct wire_frame frame;
	struct stage s;

	stage_begin(&s, *state);
	hello(&s, WIRE_PROTOCOL);
	for (size_t i = 0; i < ARRAY_SIZE(waiting); i++) {
		frame = frame_of(&s, waiting[i], 2);
		assert_true(agent_may_handle(&s.agent, &frame));
	}
	run(&s, 1, "sleep 1000");
	for (size_t i = 0; i < ARRAY_SIZE(waiting); i++) {
		frame = frame_of(&s, waiting[i], 2);
		assert_false(agent_may_handle(&s.agent, &frame));
	}
	frame = frame_of(&s, WIRE_SIGNAL, 1);
	assert_true(agent_may_handle(&s.agent, &frame));
	/* Input waits for its window, or for nobody. */
	strbuf_append(&s.payload, "input");
	frame = frame_of(&s, WIRE_STDIN, 1);
	assert_false(agent_may_handle(&s.agent, &frame));
	s.agent.commands.at[0]->window = 5;
	assert_true(agent_may_handle(&s.agent, &frame));
	frame.channel = 9;
	assert_true(agent_may_handle(&s.agent, &frame));
	stage_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(hello_is_answered_by_ready_and_the_boot_log_once),
		scratch_test(another_protocol_fails_the_session_until_a_good_hello),
		scratch_test(a_failed_session_reports_one_error_and_ignores_requests),
		scratch_test(run_is_refused_on_a_busy_channel_and_on_channel_0),
		scratch_test(commands_running_at_once_are_limited),
		scratch_test(malformed_requests_fail_on_their_channel),
		scratch_test(frames_for_an_unknown_channel_are_ignored),
		scratch_test(a_signal_that_does_not_exist_fails),
		scratch_test(hello_kills_running_commands_and_drops_a_transfer),
		scratch_test(a_second_transfer_is_refused_and_a_bad_one_fails_once),
		scratch_test(get_topology_is_answered_on_the_channel_that_asked),
		scratch_test(measure_is_refused_while_a_command_runs),
		scratch_test(a_measurement_has_its_channel_until_it_ends),
		scratch_test(plan_requests_wait_for_the_running_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
