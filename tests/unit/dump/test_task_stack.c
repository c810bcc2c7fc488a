// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/stack.h"

#include "build_stack.h"

struct result {
	struct dump_stack stack;
	struct dump_stack_place place;
};

static struct error *unwind(struct build_stack *s, const struct dump_request *request,
			    uint64_t task, struct result *ret)
{
	_cleanup_dump_stacks_ struct dump_stacks stacks = { 0 };

	assert_success(dump_stacks_init(&stacks, s->kmem, request));
	return dump_task_stack(&stacks, task, &ret->stack, &ret->place);
}

static void task_that_sleeps_begins_where_it_was_switched(void **state)
{
	struct build_stack *s = *state;
	struct dump_request request = { 0 };
	struct result r = { 0 };

	assert_success(unwind(s, &request, s->task, &r));
	assert_int_equal(r.place.state, DUMP_STACK_ASLEEP);
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
	struct physmap_registers cpus[2] = { { 0 }, { 0 } };
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
	assert_int_equal(r.place.state, DUMP_STACK_ON_CPU);
	assert_int_equal(r.place.cpu, 1);
	assert_int_equal(r.stack.n, 4);
	assert_int_equal(r.stack.end, DUMP_STACK_WHOLE);
	assert_false(r.stack.frames[0].is_return);
	cpus[1].user = true;
	assert_success(unwind(s, &request, s->other, &r));
	assert_int_equal(r.place.state, DUMP_STACK_IN_USER);
	assert_int_equal(r.stack.n, 0);
}

static void a_cpu_on_its_irq_stack_is_unwound_into_the_task(void **state)
{
	struct build_stack *s = *state;
	struct physmap_registers cpus[2] = { { 0 }, { 0 } };
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
	struct physmap_registers cpus[2] = { { 0 }, { 0 } };
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

/* CPU 1 switches from the other task, which has a stack of its own here, to the first. */
static void begin_switch(struct build_stack *s, uint64_t current)
{
	uint64_t own = PER_CPU_AT + PER_CPU_BYTES, at = OTHER_STACK_AT + CHAIN_AT;

	build_put_u64(&s->k.memory, own + 0x40 + RQ_CURR_AT, s->task);
	build_put_u64(&s->k.memory, own + IN_CURRENT, current);
	build_put_u64(&s->k.memory, OTHER_TASK_AT + T_STACK, s->k.direct + OTHER_STACK_AT);
	build_put_u64(&s->k.memory, OTHER_TASK_AT + T_SP, s->k.direct + at - FRAME_BYTES);
	build_put_u64(&s->k.memory, at - FRAME_BYTES + FRAME_IP, s->k.image + IN_CODE_SCHEDULE + 8);
	build_put_u64(&s->k.memory, at, s->k.image + IN_CODE_ENTRY + 0x40);
	build_put_u64(&s->k.memory, at + 8 + 8 * 17, 0x33);
	kmem_space_forget(&s->kmem->space);
}

static void assert_place(struct build_stack *s, const struct dump_request *request, uint64_t task,
			 enum dump_stack_state state, enum dump_switching switching, uint64_t ip,
			 size_t n)
{
	struct result r = { 0 };

	assert_success(unwind(s, request, task, &r));
	assert_int_equal(r.place.state, state);
	assert_int_equal(r.place.switching, switching);
	assert_int_equal(r.place.cpu, 1);
	assert_int_equal(r.stack.end, DUMP_STACK_WHOLE);
	assert_int_equal(r.stack.n, n);
	assert_true(r.stack.frames[0].ip == s->k.image + ip);
	for (size_t i = 0; i < n; i++)
		assert_false(r.stack.frames[i].guessed);
}

static void cpu_in_a_switch_runs_the_task_whose_stack_it_uses(void **state)
{
	struct build_stack *s = *state;
	struct physmap_registers cpus[2] = { { 0 }, { 0 } };
	struct dump_request request = { .registers = cpus, .n_registers = 2 };

	begin_switch(s, s->other);
	cpus[1].rip = s->k.image + IN_CODE_SCHEDULE;
	cpus[1].rsp = s->k.direct + OTHER_STACK_AT + CHAIN_AT;
	assert_place(s, &request, s->other, DUMP_STACK_ON_CPU, DUMP_SWITCHING_OUT, IN_CODE_SCHEDULE,
		     2);
	assert_place(s, &request, s->task, DUMP_STACK_ASLEEP, DUMP_SWITCHING_IN,
		     IN_CODE_INNER + 0x10, 4);
	/* The stack pointer is the next task's, current_task is not yet. */
	cpus[1].rip = s->k.image + IN_CODE_INNER;
	cpus[1].rsp = CHAIN_SP(s) + FRAME_BYTES;
	cpus[1].rbp = CHAIN_SP(s) + FRAME_BYTES + 0x40;
	assert_place(s, &request, s->other, DUMP_STACK_ASLEEP, DUMP_SWITCHING_OUT,
		     IN_CODE_SCHEDULE + 8, 2);
	assert_place(s, &request, s->task, DUMP_STACK_ON_CPU, DUMP_SWITCHING_IN, IN_CODE_INNER, 4);
	begin_switch(s, s->task);
	assert_place(s, &request, s->task, DUMP_STACK_ON_CPU, DUMP_SWITCHING_NONE, IN_CODE_INNER,
		     4);
}

/* Which of the two uses the CPU is in its registers alone. */
static void both_tasks_of_a_switch_need_registers(void **state)
{
	struct build_stack *s = *state;
	struct dump_request request = { 0 };
	struct result r = { 0 };

	begin_switch(s, s->other);
	assert_error_tag(unwind(s, &request, s->task, &r), "absent");
	assert_error_tag(unwind(s, &request, s->other, &r), "absent");
}

/* It was forked and is switched to for the first time: nothing before its first byte called it. */
static void cpu_may_begin_a_task_that_never_ran(void **state)
{
	struct build_stack *s = *state;
	struct physmap_registers cpus[2] = { { 0 }, { 0 } };
	struct dump_request request = { .registers = cpus, .n_registers = 2 };
	struct result r = { 0 };

	begin_switch(s, s->task);
	cpus[1].rip = s->k.image + IN_CODE_SCHEDULE;
	cpus[1].rsp = CHAIN_SP(s);
	build_stack_word(s, CHAIN_AT, s->k.image + IN_CODE_FORK);
	assert_success(unwind(s, &request, s->task, &r));
	assert_int_equal(r.stack.n, 2);
	assert_int_equal(r.stack.end, DUMP_STACK_WHOLE);
	assert_false(r.stack.frames[1].is_return);
}

/* The guest goes on: when its stack is read, the task is about to run. */
static void begin_to_run(void *context, uint64_t physical, size_t n UNUSED)
{
	struct build_stack *s = context;
	const uint32_t yes = 1;

	if (physical >= STACK_AT && physical < STACK_AT + STACK_BYTES)
		build_put(&s->k.memory, TASK_AT + T_ON_CPU, &yes, 4);
}

static void task_that_ran_meanwhile_is_a_guess(void **state)
{
	struct build_stack *s = *state;
	struct kmem_reader reader = *s->kmem->space.pages.reader;
	struct physmap_registers cpus[2] = { { .user = true }, { .user = true } };
	struct dump_request request = { 0 };
	struct result r = { 0 };

	reader.touched = begin_to_run;
	reader.context = s;
	s->kmem->space.pages.reader = &reader;
	assert_success(unwind(s, &request, s->task, &r));
	assert_int_equal(r.stack.end, DUMP_STACK_BROKEN);
	assert_string_equal(r.stack.reason, "it ran while its stack was read");
	assert_int_equal(r.stack.n, 4);
	for (size_t i = 0; i < r.stack.n; i++)
		assert_true(r.stack.frames[i].guessed);
	/* Of a guest that is frozen the same is the middle of a switch. */
	request = (struct dump_request){ .registers = cpus, .n_registers = 2 };
	assert_success(unwind(s, &request, s->task, &r));
	assert_int_equal(r.stack.end, DUMP_STACK_WHOLE);
}

static void a_saved_address_outside_code_is_a_guess(void **state)
{
	struct build_stack *s = *state;
	struct dump_request request = { 0 };
	struct result r = { 0 };

	build_stack_word(s, CHAIN_AT + FRAME_IP, 0x1234);
	assert_success(unwind(s, &request, s->task, &r));
	assert_int_equal(r.stack.end, DUMP_STACK_BROKEN);
	assert_true(r.stack.frames[0].ip == 0x1234);
	for (size_t i = 0; i < r.stack.n; i++)
		assert_true(r.stack.frames[i].guessed);
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
		stack_test(a_cpu_on_its_irq_stack_is_unwound_into_the_task),
		stack_test(cpu_may_just_have_entered_the_kernel),
		stack_test(cpu_in_a_switch_runs_the_task_whose_stack_it_uses),
		stack_test(both_tasks_of_a_switch_need_registers),
		stack_test(cpu_may_begin_a_task_that_never_ran),
		stack_test(task_that_ran_meanwhile_is_a_guess),
		stack_test(a_saved_address_outside_code_is_a_guess),
		stack_test(wild_tasks_are_refused),
		stack_test(kernel_without_such_types_shows_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
