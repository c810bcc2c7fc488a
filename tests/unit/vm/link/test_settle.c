// SPDX-License-Identifier: GPL-2.0-or-later
/* The agent's answers, played by hand; tests/vm/test_agent.py has a guest. */
#include "vm/link/settle.h"

#include "play.h"

enum { LIMIT_MS = 1500 };

static struct error *settle(struct play *play, struct vm_settled *ret)
{
	return vm_settle_within(play->vm, LIMIT_MS * NS_PER_MS, NULL, ret);
}

/* The request that the guest got. */
static void expect_request(struct play *play)
{
	__attribute__((cleanup(wire_receiver_deinit))) struct wire_receiver r;
	struct wire_settle request;
	struct wire_frame frame;
	char buffer[4096];
	ssize_t n = read(play->guest, buffer, sizeof(buffer));
	bool got;

	assert_true(n > 0);
	wire_receiver_init(&r, WIRE_GUEST);
	wire_receiver_begin(&r, SESSION);
	wire_receiver_feed(&r, buffer, (size_t)n);
	assert_success(wire_receiver_take(&r, &frame, &got));
	assert_true(got);
	assert_int_equal(frame.type, WIRE_SETTLE);
	assert_success(wire_settle_decode(frame.payload, &request));
	assert_int_equal(request.limit_ms, LIMIT_MS);
	assert_true(request.window_ms > 0 && request.permille > 0 && request.permille < 1000);
}

static void an_idle_guest_says_how_long_it_took_and_how_busy_it_was(void **state)
{
	static const struct wire_settled said = {
		.waited_ns = 70, .quiet_ns = 60, .cpu = 3, .permille = 21
	};
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	struct vm_settled settled;
	struct play *play = *state;

	wire_settled_encode(&said, &payload);
	/* Of another request. */
	play_frame(play, WIRE_SETTLED, 9, &payload);
	play_frame(play, WIRE_SETTLED, 1, &payload);
	assert_success(settle(play, &settled));
	assert_int_equal(settled.waited_ns, 70);
	assert_int_equal(settled.quiet_ns, 60);
	assert_int_equal(settled.cpu, 3);
	assert_int_equal(settled.permille, 21);
	expect_request(play);
}

static void a_busy_guest_is_an_error_of_its_own_with_the_names(void **state)
{
	struct vm_settled settled = { .cpu = 99 };
	struct error *err;

	play_failed(*state, 1, "agent-busy",
		    "not idle after 1.5 s: sh (pid 77) used 98 % of CPU 2");
	err = settle(*state, &settled);
	assert_string_equal(error_tag(err), "guest-busy");
	assert_string_equal(error_message(err),
			    "waiting until the guest's CPUs are idle: not idle after 1.5 s: sh "
			    "(pid 77) used 98 % of CPU 2");
	error_free(err);
	assert_int_equal(settled.cpu, 99);
}

static void another_failure_is_the_agents(void **state)
{
	struct vm_settled settled;

	play_failed(*state, 1, "agent-system", "no /proc");
	assert_error_tag(settle(*state, &settled), "agent");
}

static void an_answer_of_another_kind_is_the_agents_fault(void **state)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	struct vm_settled settled;
	struct play *play = *state;

	play_frame(play, WIRE_TOPOLOGY, 1, &payload);
	assert_error_tag(settle(play, &settled), "agent");
	strbuf_append(&payload, "short");
	play_frame(play, WIRE_SETTLED, 2, &payload);
	assert_error_tag(settle(play, &settled), "agent");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		played(an_idle_guest_says_how_long_it_took_and_how_busy_it_was),
		played(a_busy_guest_is_an_error_of_its_own_with_the_names),
		played(another_failure_is_the_agents),
		played(an_answer_of_another_kind_is_the_agents_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
