// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/deterministic/deterministic.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"

/* The guest's end: what the agent's receiver makes of the bytes. */
struct reader {
	struct wire_receiver receiver;
	struct wire_frame frame;
};

static void read_begin(struct reader *r, const struct vm_input_plan *plan)
{
	wire_receiver_init(&r->receiver, WIRE_GUEST);
	wire_receiver_feed(&r->receiver, plan->bytes.at, plan->bytes.n);
}

static bool read_next(struct reader *r)
{
	bool got = false;

	assert_success(wire_receiver_take(&r->receiver, &r->frame, &got));
	return got;
}

static void expect_frame(struct reader *r, enum wire_type type, uint32_t channel)
{
	assert_true(read_next(r));
	assert_string_equal(wire_type_name(r->frame.type), wire_type_name(type));
	assert_int_equal(r->frame.channel, channel);
	/* The host's clock is not the guest's business. */
	assert_int_equal(r->frame.time_ns, 0);
}

static int file_with(size_t n)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	assert_true(fd >= 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(write(fd, &(char){ (char)('a' + i % 23) }, 1), 1);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void a_plan_begins_with_a_hello_that_is_always_the_same(void **state UNUSED)
{
	struct reader r;
	struct wire_hello hello;
	struct vm_input_plan plan;

	assert_success(vm_input_plan_init(&plan));
	read_begin(&r, &plan);
	expect_frame(&r, WIRE_HELLO, 0);
	assert_int_equal(r.frame.session, VM_PLAN_SESSION);
	assert_success(wire_hello_decode(r.frame.payload, &hello));
	assert_int_equal(hello.protocol, WIRE_PROTOCOL);
	/* date -u -d 2026-01-01 +%s */
	assert_int_equal(hello.realtime_ns, UINT64_C(1767225600000000000));
	assert_int_equal(hello.heartbeat_ms, 0);
	for (unsigned int i = 0; i < sizeof(hello.entropy); i++)
		assert_int_equal(hello.entropy[i], i);
	assert_false(read_next(&r));
	wire_receiver_deinit(&r.receiver);
	vm_input_plan_deinit(&plan);
}

static void a_command_brings_its_whole_input_and_its_end(void **state UNUSED)
{
	const char *const argv[] = { "wc", "-c", NULL };
	_cleanup_close_ int fd = file_with(100000);
	uint32_t topology = 0, command = 0;
	size_t seen = 0;
	struct wire_run run;
	struct reader r;
	struct vm_input_plan plan;

	assert_success(vm_input_plan_init(&plan));
	assert_success(vm_input_plan_add_topology(&plan, &topology));
	assert_success(vm_input_plan_add_command(
		&plan, &(struct vm_command){ .argv = argv, .stdin_fd = fd }, &command));
	assert_int_not_equal(topology, command);
	read_begin(&r, &plan);
	expect_frame(&r, WIRE_HELLO, 0);
	expect_frame(&r, WIRE_GET_TOPOLOGY, topology);
	expect_frame(&r, WIRE_RUN, command);
	assert_success(wire_run_decode(r.frame.payload, &run));
	assert_int_equal(run.flags, WIRE_RUN_STDIN);
	assert_string_equal(run.argv[1], "-c");
	wire_run_deinit(&run);
	while (read_next(&r) && r.frame.type == WIRE_STDIN) {
		/* The first window must be able to take it. */
		assert_true(r.frame.payload.n > 0 && r.frame.payload.n <= WIRE_STDIN_WINDOW);
		for (size_t i = 0; i < r.frame.payload.n; i++, seen++)
			assert_int_equal(r.frame.payload.at[i], 'a' + seen % 23);
	}
	assert_int_equal(seen, 100000);
	assert_int_equal(r.frame.type, WIRE_STDIN_END);
	assert_false(read_next(&r));
	wire_receiver_deinit(&r.receiver);
	vm_input_plan_deinit(&plan);
}

static void a_command_without_input_has_none_to_wait_for(void **state UNUSED)
{
	const char *const argv[] = { "true", NULL };
	struct wire_run run;
	struct reader r;
	struct vm_input_plan plan;
	uint32_t command;

	assert_success(vm_input_plan_init(&plan));
	assert_success(vm_input_plan_add_command(
		&plan, &(struct vm_command){ .argv = argv, .stdin_fd = -1 }, &command));
	read_begin(&r, &plan);
	expect_frame(&r, WIRE_HELLO, 0);
	expect_frame(&r, WIRE_RUN, command);
	assert_success(wire_run_decode(r.frame.payload, &run));
	assert_int_equal(run.flags, 0);
	wire_run_deinit(&run);
	assert_false(read_next(&r));
	wire_receiver_deinit(&r.receiver);
	vm_input_plan_deinit(&plan);
}

static void the_same_commands_give_the_same_plan_bytes(void **state UNUSED)
{
	const char *const argv[] = { "cat", NULL };
	struct vm_input_plan plans[2];

	for (int i = 0; i < 2; i++) {
		_cleanup_close_ int fd = file_with(70000);
		uint32_t channel;

		assert_success(vm_input_plan_init(&plans[i]));
		assert_success(vm_input_plan_add_command(
			&plans[i], &(struct vm_command){ .argv = argv, .stdin_fd = fd }, &channel));
	}
	assert_int_equal(plans[0].bytes.n, plans[1].bytes.n);
	assert_memory_equal(plans[0].bytes.at, plans[1].bytes.at, plans[0].bytes.n);
	vm_input_plan_deinit(&plans[0]);
	vm_input_plan_deinit(&plans[1]);
}

static void input_without_end_is_refused(void **state UNUSED)
{
	const char *const argv[] = { "cat", NULL };
	_cleanup_close_ int fd = memfd_create("input", MFD_CLOEXEC);
	uint32_t channel = 77;
	struct vm_input_plan plan;

	assert_int_equal(ftruncate(fd, VM_LIMIT_PLAN_INPUT + 1), 0);
	assert_success(vm_input_plan_init(&plan));
	assert_error_tag(
		vm_input_plan_add_command(
			&plan, &(struct vm_command){ .argv = argv, .stdin_fd = fd }, &channel),
		"limit");
	assert_int_equal(channel, 77);
	vm_input_plan_deinit(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_begins_with_a_hello_that_is_always_the_same),
		cmocka_unit_test(a_command_brings_its_whole_input_and_its_end),
		cmocka_unit_test(a_command_without_input_has_none_to_wait_for),
		cmocka_unit_test(the_same_commands_give_the_same_plan_bytes),
		cmocka_unit_test(input_without_end_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
