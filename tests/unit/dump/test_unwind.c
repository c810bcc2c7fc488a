// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/stack.h"

#include "build_stack.h"

struct fixture {
	struct build_stack *s;
	struct dump_code code;
	struct dump_unwind unwind;
	struct dump_stack stack;
	struct strbuf text;
};

static int set_up(void **state)
{
	struct fixture *f = xnew(struct fixture);
	void *s;

	build_stack_set_up(&s);
	f->s = s;
	dump_code_init(&f->code, f->s->kmem);
	f->unwind = (struct dump_unwind){ .code = &f->code,
					  .ip = f->s->k.image + IN_CODE_INNER + 0x10,
					  .sp = CHAIN_SP(f->s) + FRAME_BYTES,
					  .bp = CHAIN_SP(f->s) + FRAME_BYTES + 0x40,
					  .is_return = true };
	dump_unwind_add_stack(&f->unwind, f->s->stack, f->s->stack + STACK_BYTES);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	void *s = f->s;

	dump_code_deinit(&f->code);
	strbuf_deinit(&f->text);
	build_stack_tear_down(&s);
	free(f);
	return 0;
}

/* "inner middle ?outer" */
static const char *names(struct fixture *f)
{
	struct dump_code_name name;

	dump_unwind(&f->unwind, &f->stack);
	strbuf_clear(&f->text);
	for (size_t i = 0; i < f->stack.n; i++) {
		const struct dump_frame *frame = &f->stack.frames[i];

		strbuf_appendf(&f->text, "%s%s", i ? " " : "", frame->guessed ? "?" : "");
		if (dump_code_name(&f->code, frame->ip, frame->is_return, &name))
			strbuf_append(&f->text, name.symbol);
		else
			strbuf_append(&f->text, "-");
	}
	return strbuf_str(&f->text);
}

enum { BASE = CHAIN_AT + FRAME_BYTES };

static void the_stack_is_unwound_to_the_kernel_entry(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(names(f), "inner middle outer entry");
	assert_int_equal(f->stack.end, DUMP_STACK_WHOLE);
	assert_true(f->stack.frames[1].sp == f->s->stack + BASE + 0x28);
	assert_true(f->stack.frames[3].is_return);
}

static void the_outermost_orc_entry_ends_the_stack(void **state)
{
	struct fixture *f = *state;

	build_stack_word(f->s, BASE + 0x58, f->s->k.image + IN_CODE_FORK + 0x10);
	assert_string_equal(names(f), "inner middle outer ret_from_fork_asm");
	assert_int_equal(f->stack.end, DUMP_STACK_WHOLE);
}

/* Registers of the kernel itself: what was interrupted goes on with their %rbp. */
static void unwinding_continues_through_an_interrupt(void **state)
{
	struct fixture *f = *state;
	uint64_t regs = BASE + 0x60, more = regs + 8 * 21;

	build_stack_word(f->s, regs + 8 * 4, f->s->stack + more + 0x20);
	build_stack_word(f->s, regs + 8 * 16, f->s->k.image + IN_CODE_MIDDLE);
	build_stack_word(f->s, regs + 8 * 17, 0x10);
	build_stack_word(f->s, regs + 8 * 19, f->s->stack + more);
	build_stack_word(f->s, more + 0x28, f->s->k.image + IN_CODE_FORK + 0x10);
	/* Its address is no return address: one byte before lies outer. */
	assert_string_equal(names(f), "inner middle outer entry middle ret_from_fork_asm");
	assert_int_equal(f->stack.end, DUMP_STACK_WHOLE);
	assert_false(f->stack.frames[4].is_return);
	assert_true(f->stack.frames[5].is_return);
}

static void frames_after_an_unwind_failure_are_guessed(void **state)
{
	struct fixture *f = *state;

	build_stack_word(f->s, BASE + 0x20, f->s->k.image + IN_CODE_ODD + 0x10);
	assert_string_equal(names(f), "inner odd ?outer ?entry");
	assert_int_equal(f->stack.end, DUMP_STACK_BROKEN);
	assert_contains(f->stack.reason, "cannot be unwound");
}

static void guesses_are_bounded(void **state)
{
	struct fixture *f = *state;

	for (uint64_t at = 0; at < STACK_BYTES; at += 8)
		build_stack_word(f->s, at, f->s->k.image + IN_CODE_ODD + 0x10);
	f->unwind.sp = f->s->stack;
	names(f);
	assert_int_equal(f->stack.n, DUMP_LIMIT_FRAMES);
	assert_int_equal(f->stack.end, DUMP_STACK_BROKEN);
}

static void frames_are_bounded(void **state)
{
	struct fixture *f = *state;

	/* outer called by outer: 16 bytes each. */
	for (uint64_t at = 0; at < STACK_BYTES; at += 8)
		build_stack_word(f->s, at, f->s->k.image + IN_CODE_OUTER + 0x10);
	f->unwind.ip = f->s->k.image + IN_CODE_OUTER + 0x10;
	f->unwind.sp = f->s->stack;
	names(f);
	assert_int_equal(f->stack.n, DUMP_LIMIT_FRAMES);
	assert_int_equal(f->stack.end, DUMP_LIMIT_STACK);
	assert_false(f->stack.frames[DUMP_LIMIT_FRAMES - 1].guessed);
}

/* middle takes its frame from %rbp, which points back at itself. */
static void stack_that_does_not_rise_is_broken(void **state)
{
	struct fixture *f = *state;

	f->unwind.bp = f->s->stack + BASE + 0x10;
	build_stack_word(f->s, BASE + 0x10, f->s->stack + BASE + 0x10);
	build_stack_word(f->s, BASE + 0x18, f->s->k.image + IN_CODE_MIDDLE + 0x10);
	names(f);
	assert_int_equal(f->stack.end, DUMP_STACK_BROKEN);
	assert_contains(f->stack.reason, "does not rise");
	assert_false(f->stack.frames[1].guessed);
	assert_true(f->stack.frames[2].guessed);
}

static void words_outside_the_stack_are_not_read(void **state)
{
	struct fixture *f = *state;

	f->unwind.bp = f->s->k.direct + 0x100;
	names(f);
	assert_int_equal(f->stack.end, DUMP_STACK_BROKEN);
	assert_contains(f->stack.reason, "not on the stack");
	f->unwind.sp = f->s->stack + STACK_BYTES - 8;
	assert_string_equal(names(f), "inner");
	assert_contains(f->stack.reason, "not on the stack");
	f->unwind.sp = UINT64_MAX - 4;
	assert_string_equal(names(f), "inner");
	f->unwind.n_stacks = 0;
	assert_string_equal(names(f), "inner");
}

static void a_return_address_outside_code_ends_unwinding(void **state)
{
	struct fixture *f = *state;

	build_stack_word(f->s, BASE + 0x20, 0xdead);
	assert_string_equal(names(f), "inner ?- ?outer ?entry");
	assert_contains(f->stack.reason, "is not code");
}

static void bpf_code_keeps_frame_pointers(void **state)
{
	struct fixture *f = *state;

	build_stack_word(f->s, BASE + 0x20, BPF_CODE + 0x30);
	assert_string_equal(names(f), "inner bpf_prog_0123_fifo outer entry");
	assert_int_equal(f->stack.end, DUMP_STACK_WHOLE);
	assert_false(f->stack.frames[2].guessed);
}

/* From the stack for interrupts back to the task's; it is not entered a second time. */
static void the_irq_stack_is_not_entered_again(void **state)
{
	struct fixture *f = *state;
	uint64_t irq = f->s->k.direct + IRQ_STACK_AT, at = IRQ_STACK_AT + 0x1000;

	dump_unwind_add_stack(&f->unwind, irq, irq + STACK_BYTES);
	f->unwind.ip = f->s->k.image + IN_CODE_ENTRY;
	f->unwind.is_return = false;
	f->unwind.sp = irq + 0x1000;
	build_put_u64(&f->s->k.memory, at + 8 * 4, f->unwind.bp);
	build_put_u64(&f->s->k.memory, at + 8 * 16, f->s->k.image + IN_CODE_MIDDLE + 8);
	build_put_u64(&f->s->k.memory, at + 8 * 17, 0x10);
	build_put_u64(&f->s->k.memory, at + 8 * 19, f->s->stack + BASE);
	kmem_space_forget(&f->s->kmem->space);
	assert_string_equal(names(f), "entry middle outer entry");
	assert_int_equal(f->stack.end, DUMP_STACK_WHOLE);
	build_stack_word(f->s, BASE + 0x60 + 8 * 17, 0x10);
	build_stack_word(f->s, BASE + 0x60 + 8 * 19, irq + 0x1000);
	build_stack_word(f->s, BASE + 0x60 + 8 * 16, f->s->k.image + IN_CODE_ENTRY);
	names(f);
	assert_int_equal(f->stack.end, DUMP_STACK_BROKEN);
	assert_contains(f->stack.reason, "not on the stack");
}

static void unwinding_takes_unsaved_registers_from_the_cpu(void **state)
{
	struct fixture *f = *state;
	struct physmap_registers registers = { .rdi = f->s->stack + BASE + 0x28 };

	build_orc_raw(f->s, f->s->k.image + IN_ORC_IPS, f->s->k.image + IN_ORC, 2,
		      f->s->k.image + IN_CODE_INNER,
		      (struct dump_orc){ .type = DUMP_ORC_CALL, .sp_register = DUMP_ORC_REG_DI },
		      false);
	kmem_space_forget(&f->s->kmem->space);
	names(f);
	assert_contains(f->stack.reason, "was not saved");
	f->unwind.registers = &registers;
	assert_string_equal(names(f), "inner middle outer entry");
}

/* Whatever stands on a stack and in the tables. */
static void unwinding_random_stacks_ends(void **state)
{
	struct fixture *f = *state;
	uint32_t seed = 7;

	for (int round = 0; round < 3000; round++) {
		for (int i = 0; i < 8; i++) {
			uint64_t at, value;

			seed = seed * 1664525 + 1013904223;
			at = BASE + (seed >> 16) % 0x200 / 8 * 8;
			seed = seed * 1664525 + 1013904223;
			value = seed & 1 ? f->s->stack + (seed >> 8) % (STACK_BYTES + 64)
					 : f->s->k.image + IN_CODE_OUTER + (seed >> 8) % 0x400;
			build_put_u64(&f->s->k.memory, STACK_AT + at, value);
		}
		seed = seed * 1664525 + 1013904223;
		f->s->k.memory.at[IMAGE_AT + IN_ORC + (seed >> 16) % (ORC_BYTES * N_ORC)] =
			(uint8_t)(seed >> 8);
		kmem_space_forget(&f->s->kmem->space);
		dump_unwind(&f->unwind, &f->stack);
		assert_in_range(f->stack.n, 1, DUMP_LIMIT_FRAMES);
	}
}

#define unwind_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		unwind_test(the_stack_is_unwound_to_the_kernel_entry),
		unwind_test(the_outermost_orc_entry_ends_the_stack),
		unwind_test(unwinding_continues_through_an_interrupt),
		unwind_test(frames_after_an_unwind_failure_are_guessed),
		unwind_test(guesses_are_bounded),
		unwind_test(frames_are_bounded),
		unwind_test(stack_that_does_not_rise_is_broken),
		unwind_test(words_outside_the_stack_are_not_read),
		unwind_test(a_return_address_outside_code_ends_unwinding),
		unwind_test(bpf_code_keeps_frame_pointers),
		unwind_test(the_irq_stack_is_not_entered_again),
		unwind_test(unwinding_takes_unsaved_registers_from_the_cpu),
		unwind_test(unwinding_random_stacks_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
