// SPDX-License-Identifier: GPL-2.0-or-later
/* The agent's answers, played by hand; tests/vm/test_quiet.py has guests. */
#include "vm/link/settle.h"

#include <sys/socket.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "unit.h"
#include "vm/state.h"

enum { SESSION = 77, LIMIT_MS = 1500 };

struct play {
	struct vm *vm;
	int guest, qemu;
	struct wire_sender sender;
};

static int set_up(void **state)
{
	static const struct kernel kernel;
	struct play *play = xnew(struct play);
	int control[2], monitor[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, monitor) < 0)
		return -1;
	play->vm = vm_new(&(struct vm_spec){ .kernel = &kernel, .topology = TOPO_DEFAULT });
	vm_link_init(&play->vm->link, control[0], NULL);
	vm_link_begin(&play->vm->link, SESSION);
	play->vm->console_path = xstrdup("/nonexistent/console.log");
	play->vm->qmp = vm_qmp_new(monitor[0], vm_on_event, play->vm);
	wire_sender_begin(&play->sender, SESSION);
	play->guest = control[1];
	play->qemu = monitor[1];
	*state = play;
	return 0;
}

static int tear_down(void **state)
{
	struct play *play = *state;

	vm_free(play->vm);
	close(play->guest);
	close(play->qemu);
	free(play);
	return 0;
}

/* Waits in the socket until it is listened to. */
static void answer(struct play *play, enum wire_type type, uint32_t channel,
		   const struct strbuf *payload)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	assert_success(
		wire_send_append(&play->sender, type, channel, 0, payload->at, payload->n, &out));
	assert_int_equal(write(play->guest, out.at, out.n), (ssize_t)out.n);
}

static void fail_with(struct play *play, const char *tag, const char *text)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;

	wire_failed_encode(&(struct wire_failed){ tag, text }, &payload);
	answer(play, WIRE_FAILED, 1, &payload);
}

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
	answer(play, WIRE_SETTLED, 9, &payload);
	answer(play, WIRE_SETTLED, 1, &payload);
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

	fail_with(*state, "agent-busy", "not idle after 1.5 s: sh (pid 77) used 98 % of CPU 2");
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

	fail_with(*state, "agent-system", "no /proc");
	assert_error_tag(settle(*state, &settled), "agent");
}

static void an_answer_of_another_kind_is_the_agents_fault(void **state)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	struct vm_settled settled;
	struct play *play = *state;

	answer(play, WIRE_TOPOLOGY, 1, &payload);
	assert_error_tag(settle(play, &settled), "agent");
	strbuf_append(&payload, "short");
	answer(play, WIRE_SETTLED, 2, &payload);
	assert_error_tag(settle(play, &settled), "agent");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define played(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		played(an_idle_guest_says_how_long_it_took_and_how_busy_it_was),
		played(a_busy_guest_is_an_error_of_its_own_with_the_names),
		played(another_failure_is_the_agents),
		played(an_answer_of_another_kind_is_the_agents_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
