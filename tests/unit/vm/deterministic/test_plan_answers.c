// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/deterministic/deterministic.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "unit.h"

enum { TOPOLOGY_CHANNEL = 1, COMMAND_CHANNEL = 2 };

/* The guest is played by hand. */
struct talk {
	struct vm_plan_answers answers;
	struct wire_sender sender;
	struct strbuf said; /* by the guest */
	struct strbuf out, err;
	bool refuse; /* output is not taken */
};

static struct error *collect(void *context, enum vm_stream stream, const void *bytes, size_t n)
{
	struct talk *t = context;

	if (t->refuse)
		return base_error(BASE_IO, EPIPE, "nobody reads");
	strbuf_append_bytes(stream == VM_STDOUT ? &t->out : &t->err, bytes, n);
	return NULL;
}

static int set_up(void **state)
{
	struct talk *t = xnew(struct talk);

	vm_plan_answers_init(&t->answers);
	t->answers.topology_channel = TOPOLOGY_CHANNEL;
	t->answers.command_channel = COMMAND_CHANNEL;
	t->answers.on_output = collect;
	t->answers.context = t;
	wire_sender_begin(&t->sender, VM_PLAN_SESSION);
	*state = t;
	return 0;
}

static int tear_down(void **state)
{
	struct talk *t = *state;

	vm_plan_answers_deinit(&t->answers);
	strbuf_deinit(&t->said);
	strbuf_deinit(&t->out);
	strbuf_deinit(&t->err);
	free(t);
	return 0;
}

static void say(struct talk *t, enum wire_type type, uint32_t channel, const void *payload,
		size_t n)
{
	uint64_t time_ns = 1000 * (t->sender.next_sequence + 1);

	assert_success(wire_send_append(&t->sender, type, channel, time_ns, payload, n, &t->said));
}

static void say_ready(struct talk *t, uint32_t protocol)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;

	wire_ready_encode(&(struct wire_ready){ .protocol = protocol, .release = "9.9.9" },
			  &payload);
	say(t, WIRE_READY, 0, payload.at, payload.n);
}

static void say_exited(struct talk *t, uint32_t channel, uint32_t value)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;

	wire_exited_encode(&(struct wire_exited){ .how = WIRE_END_EXITED, .value = value },
			   &payload);
	say(t, WIRE_EXITED, channel, payload.at, payload.n);
}

static void say_topology(struct talk *t)
{
	_cleanup_topo_machine_ struct topo_machine *machine = NULL;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_success(topo_machine_read("/sys", &machine));
	topo_machine_format(machine, &text);
	say(t, WIRE_TOPOLOGY, TOPOLOGY_CHANNEL, text.at, text.n);
}

static struct error *hear(struct talk *t, size_t step)
{
	struct error *err = NULL;

	for (size_t at = 0; !err && at < t->said.n; at += step)
		err = vm_plan_answers_feed(&t->answers, t->said.at + at,
					   t->said.n - at < step ? t->said.n - at : step);
	strbuf_clear(&t->said);
	return err;
}

static void a_whole_run_is_understood_byte_by_byte(void **state)
{
	struct talk *t = *state;

	say_ready(t, WIRE_PROTOCOL);
	say(t, WIRE_LOG, 0, "hm", 2);
	say_topology(t);
	say(t, WIRE_STARTED, COMMAND_CHANNEL, "\1\0\0\0", 4);
	say(t, WIRE_STDOUT, COMMAND_CHANNEL, "out", 3);
	say(t, WIRE_STDERR, COMMAND_CHANNEL, "error", 5);
	say(t, WIRE_STDOUT, COMMAND_CHANNEL, "put", 3);
	say(t, WIRE_STDOUT, COMMAND_CHANNEL, NULL, 0);
	say_exited(t, COMMAND_CHANNEL, 7);
	assert_success(hear(t, 1));
	assert_false(t->answers.bye);
	say(t, WIRE_BYE, 0, NULL, 0);
	assert_success(hear(t, 1));
	assert_string_equal(t->answers.release, "9.9.9");
	assert_non_null(t->answers.machine);
	assert_string_equal(strbuf_str(&t->out), "output");
	assert_string_equal(strbuf_str(&t->err), "error");
	assert_true(t->answers.ended);
	assert_int_equal(t->answers.end.value, 7);
	assert_true(t->answers.bye);
	assert_int_equal(t->answers.last_ns, 10000);
}

static void a_failed_frame_is_reported_with_the_agents_text(void **state)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	struct talk *t = *state;
	struct error *err;

	wire_failed_encode(&(struct wire_failed){ .tag = "agent-limit", .text = "too much" },
			   &payload);
	say_ready(t, WIRE_PROTOCOL);
	say(t, WIRE_FAILED, COMMAND_CHANNEL, payload.at, payload.n);
	err = hear(t, 4096);
	assert_non_null(err);
	assert_string_equal(error_tag(err), "agent");
	assert_contains(error_message(err), "[agent-limit] too much");
	error_free(err);
}

static void answers_the_plan_did_not_ask_for_are_errors(void **state)
{
	struct talk *t = *state;

	say(t, WIRE_STDOUT, COMMAND_CHANNEL + 1, "x", 1);
	assert_error_tag(hear(t, 4096), "agent");
	say_exited(t, TOPOLOGY_CHANNEL, 0);
	assert_error_tag(hear(t, 4096), "agent");
	say(t, WIRE_PUT_DONE, COMMAND_CHANNEL, NULL, 0);
	assert_error_tag(hear(t, 4096), "agent");
	say(t, WIRE_TOPOLOGY, COMMAND_CHANNEL, NULL, 0);
	assert_error_tag(hear(t, 4096), "agent");
	assert_false(t->answers.ended);
}

static void repeated_answers_and_answers_after_bye_are_errors(void **state)
{
	struct talk *t = *state;

	say_ready(t, WIRE_PROTOCOL);
	say_exited(t, COMMAND_CHANNEL, 0);
	assert_success(hear(t, 4096));
	say_ready(t, WIRE_PROTOCOL);
	assert_error_tag(hear(t, 4096), "agent");
	say_exited(t, COMMAND_CHANNEL, 1);
	assert_error_tag(hear(t, 4096), "agent");
	assert_int_equal(t->answers.end.value, 0);
	say(t, WIRE_BYE, 0, NULL, 0);
	assert_success(hear(t, 4096));
	say(t, WIRE_LOG, 0, "still here", 10);
	assert_error_tag(hear(t, 4096), "agent");
}

static void another_protocol_is_an_error(void **state)
{
	struct talk *t = *state;

	say_ready(t, WIRE_PROTOCOL + 1);
	assert_error_tag(hear(t, 4096), "agent");
	assert_null(t->answers.release);
}

static void corrupt_answers_are_agent_errors(void **state)
{
	struct talk *t = *state;

	say(t, WIRE_STDOUT, COMMAND_CHANNEL, "text", 4);
	t->said.at[t->said.n - 1] ^= 1;
	assert_error_tag(hear(t, 4096), "agent");
	assert_int_equal(t->out.n, 0);
	say(t, WIRE_TOPOLOGY, TOPOLOGY_CHANNEL, "no topology", 11);
	assert_error_tag(hear(t, 4096), "agent");
}

static void an_error_of_the_output_callback_is_returned_unchanged(void **state)
{
	struct talk *t = *state;
	struct error *err;

	t->refuse = true;
	say(t, WIRE_STDOUT, COMMAND_CHANNEL, "text", 4);
	err = hear(t, 4096);
	assert_non_null(err);
	assert_int_equal(error_errno(err), EPIPE);
	assert_string_equal(error_tag(err), "io");
	error_free(err);
}

#define with_a_talk(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_a_talk(a_whole_run_is_understood_byte_by_byte),
		with_a_talk(a_failed_frame_is_reported_with_the_agents_text),
		with_a_talk(answers_the_plan_did_not_ask_for_are_errors),
		with_a_talk(repeated_answers_and_answers_after_bye_are_errors),
		with_a_talk(another_protocol_is_an_error),
		with_a_talk(corrupt_answers_are_agent_errors),
		with_a_talk(an_error_of_the_output_callback_is_returned_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
