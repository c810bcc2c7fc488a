// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/task_stack.h"

#include "build_stack.h"

struct result {
	struct dump_stack stack;
	enum dump_stack_state state;
	uint32_t cpu;
};

static struct error *unwind(struct build_stack *s, const struct dump_request *request,
			    uint64_t task, struct result *ret)
{
	_cleanup_dump_stacks_ struct dump_stacks stacks = { 0 };

	assert_success(dump_stacks_init(&stacks, s->kmem, request));
	return dump_task_stack(&stacks, task, &ret->stack, &ret->state, &ret->cpu);
}

static void task_that_sleeps_begins_where_it_was_switched(void **state)
{
	struct build_stack *s = *state;
	struct dump_request request = { 0 };
	struct result r = { 0 };

	assert_success(unwind(s, &request, s->task, &r));
	assert_int_equal(r.state, DUMP_STACK_ASLEEP);
	assert_int_equal(r.stack.end, DUMP_STACK_WHOLE);
	assert_int_equal(r.stack.n, 4);
	assert_true(r.stack.frames[0].ip == s->k.image + IN_CODE_INNER + 0x10);
	assert_true(r.stack.frames[3].ip == s->k.image + IN_CODE_ENTRY + 0x40);
}

/* It would return to the first byte of ret_from_fork_asm: nobody called it from before. */
static void task_that_never_ran_has_one_frame(void **state)
{
	struct build_stack *s = *state;
	struct dump_request request = { 0 };
	struct result r = { 0 };

	build_stack_word(s, CHAIN_AT + FRAME_IP, s->k.image + IN_CODE_FORK);
	assert_success(unwind(s, &request, s->task, &r));
	assert_int_equal(r.stack.n, 1);
	assert_int_equal(r.stack.end, DUMP_STACK_WHOLE);
	assert_false(r.stack.frames[0].is_return);
}

static void task_that_runs_needs_registers(void **state)
{
	struct build_stack *s = *state;
	struct dump_cpu_registers cpus[2] = { { 0 }, { 0 } };
	struct dump_request request = { 0 };
	struct result r = { 0 };

	assert_error_tag(unwind(s, &request, s->other, &r), "absent");
	/* CPU 1 runs it; one CPU's registers are not enough. */
	request.registers = cpus;
	request.n_registers = 1;
	assert_error_tag(unwind(s, &request, s->other, &r), "absent");
	request.n_registers = 2;
	cpus[1].rip = s->k.image + IN_CODE_INNER;
	cpus[1].rsp = CHAIN_SP(s) + FRAME_BYTES;
	cpus[1].rbp = CHAIN_SP(s) + FRAME_BYTES + 0x40;
	assert_success(unwind(s, &request, s->other, &r));
	assert_int_equal(r.state, DUMP_STACK_ON_CPU);
	assert_int_equal(r.cpu, 1);
	assert_int_equal(r.stack.n, 4);
	assert_int_equal(r.stack.end, DUMP_STACK_WHOLE);
	assert_false(r.stack.frames[0].is_return);
	cpus[1].user = true;
	assert_success(unwind(s, &request, s->other, &r));
	assert_int_equal(r.state, DUMP_STACK_IN_USER);
	assert_int_equal(r.stack.n, 0);
}

static void cpu_may_stand_on_its_stack_for_interrupts(void **state)
{
	struct build_stack *s = *state;
	struct dump_cpu_registers cpus[2] = { { 0 }, { 0 } };
	struct dump_request request = { .registers = cpus, .n_registers = 2 };
	uint64_t at = IRQ_STACK_AT + STACK_BYTES - 8 * 21;
	struct result r = { 0 };

	cpus[1].rip = s->k.image + IN_CODE_ENTRY;
	cpus[1].rsp = s->k.direct + at;
	build_put_u64(&s->k.memory, at + 8 * 4, CHAIN_SP(s) + FRAME_BYTES + 0x40);
	build_put_u64(&s->k.memory, at + 8 * 16, s->k.image + IN_CODE_INNER);
	build_put_u64(&s->k.memory, at + 8 * 17, 0x10);
	build_put_u64(&s->k.memory, at + 8 * 19, CHAIN_SP(s) + FRAME_BYTES);
	kmem_space_forget(&s->kmem->space);
	assert_success(unwind(s, &request, s->other, &r));
	assert_int_equal(r.stack.end, DUMP_STACK_WHOLE);
	assert_int_equal(r.stack.n, 5);
}

static void cpu_may_just_have_entered_the_kernel(void **state)
{
	struct build_stack *s = *state;
	struct dump_cpu_registers cpus[2] = { { 0 }, { 0 } };
	struct dump_request request = { .registers = cpus, .n_registers = 2 };
	uint64_t at = ENTRY_STACK_END - 8 * 21;
	struct result r = { 0 };

	cpus[1].rip = s->k.image + IN_CODE_ENTRY;
	cpus[1].rsp = s->k.direct + at;
	build_put_u64(&s->k.memory, at + 8 * 17, 0x33);
	kmem_space_forget(&s->kmem->space);
	assert_success(unwind(s, &request, s->other, &r));
	assert_int_equal(r.stack.end, DUMP_STACK_WHOLE);
	assert_int_equal(r.stack.n, 1);
	/* One word further it is no stack any more. */
	cpus[1].rsp += 8;
	assert_success(unwind(s, &request, s->other, &r));
	assert_int_equal(r.stack.end, DUMP_STACK_BROKEN);
}

static void wild_tasks_are_refused(void **state)
{
	struct build_stack *s = *state;
	struct dump_request request = { 0 };
	struct result r = { 0 };

	assert_error_tag(unwind(s, &request, 0x10, &r), "guest-memory");
	build_put_u64(&s->k.memory, TASK_AT + T_SP, s->stack + STACK_BYTES);
	kmem_space_forget(&s->kmem->space);
	assert_error_tag(unwind(s, &request, s->task, &r), "guest-memory");
	build_put_u64(&s->k.memory, TASK_AT + T_STACK, UINT64_MAX - 0xfff);
	kmem_space_forget(&s->kmem->space);
	assert_error_tag(unwind(s, &request, s->task, &r), "guest-memory");
	build_put_u64(&s->k.memory, TASK_AT + T_STACK, s->stack + 8);
	kmem_space_forget(&s->kmem->space);
	assert_error_tag(unwind(s, &request, s->task, &r), "guest-memory");
}

static void kernel_without_such_types_shows_none(void **state)
{
	struct build_stack *s = *state;
	struct dump_request request = { 0 };
	struct dump_stacks stacks = { 0 };

	s->kmem->fields.at[KMEM_F_SWITCH_FRAME_IP].known = false;
	assert_error_tag(dump_stacks_init(&stacks, s->kmem, &request), "no-kernel-field");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		stack_test(task_that_sleeps_begins_where_it_was_switched),
		stack_test(task_that_never_ran_has_one_frame),
		stack_test(task_that_runs_needs_registers),
		stack_test(cpu_may_stand_on_its_stack_for_interrupts),
		stack_test(cpu_may_just_have_entered_the_kernel),
		stack_test(wild_tasks_are_refused),
		stack_test(kernel_without_such_types_shows_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
