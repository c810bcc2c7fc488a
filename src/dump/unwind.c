// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/stack.h"

#include <stdio.h>

/* struct pt_regs of x86-64, in words: what ptrace(2) gives to everybody. */
enum { REGS_R13 = 2, REGS_BP = 4, REGS_R10 = 7, REGS_DX = 12, REGS_DI = 14, REGS_IP = 16 };
enum { REGS_CS = 17, REGS_SP = 19, N_REGS = 21 };

struct walk {
	const struct dump_unwind *from;
	struct dump_stack *out;
	uint64_t ip, sp, bp;
	bool is_return, guessed;
	/* The registers that were saved by an interruption; or those of the CPU. */
	bool has_whole;
	uint64_t whole[N_REGS];
	unsigned int left; /* one bit for each stack that was left */
};

static PRINTF_LIKE(2, 3) bool broken(struct walk *w, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(w->out->reason, sizeof(w->out->reason), fmt, args);
	va_end(args);
	w->out->end = DUMP_STACK_BROKEN;
	return false;
}

static size_t stack_of(const struct walk *w, uint64_t address, uint64_t bytes)
{
	size_t i = 0;

	while (i < w->from->n_stacks &&
	       (address < w->from->stacks[i].start || address > w->from->stacks[i].end ||
		bytes > w->from->stacks[i].end - address))
		i++;
	return i;
}

static bool read_words(struct walk *w, uint64_t address, uint64_t *ret, size_t n)
{
	size_t i = stack_of(w, address, 8 * n);
	enum kmem_status status;

	if (i == w->from->n_stacks || w->left & 1U << i)
		return broken(w, "0x%llx is not on the stack", (unsigned long long)address);
	status = kmem_read(&w->from->code->kmem->space, address, ret, 8 * n, NULL);
	if (status != KMEM_READ_OK)
		return broken(w, "the stack at 0x%llx is %s", (unsigned long long)address,
			      kmem_status_name(status));
	return true;
}

/* The caller's stack pointer, before what the type of the frame adds. */
static bool find_sp(struct walk *w, const struct dump_orc *orc, uint64_t *ret)
{
	/* In struct pt_regs; 0, which is r15, is none of them. */
	static const uint8_t in_regs[DUMP_ORC_REG_UNKNOWN + 1] = {
		[DUMP_ORC_REG_R10] = REGS_R10,
		[DUMP_ORC_REG_R13] = REGS_R13,
		[DUMP_ORC_REG_DI] = REGS_DI,
		[DUMP_ORC_REG_DX] = REGS_DX,
	};
	uint64_t offset = (uint64_t)orc->sp_offset;

	switch (orc->sp_register) {
	case DUMP_ORC_REG_SP:
		*ret = w->sp + offset;
		return true;
	case DUMP_ORC_REG_BP:
		*ret = w->bp + offset;
		return true;
	case DUMP_ORC_REG_SP_INDIRECT:
		if (!read_words(w, w->sp, ret, 1))
			return false;
		*ret += offset;
		return true;
	case DUMP_ORC_REG_BP_INDIRECT:
		return read_words(w, w->bp + offset, ret, 1);
	default:
		break;
	}
	if (!in_regs[orc->sp_register])
		return broken(w, "ORC names a register that is not known");
	if (!w->has_whole)
		return broken(w, "ORC needs a register that was not saved");
	*ret = w->whole[in_regs[orc->sp_register]];
	return true;
}

static bool find_bp(struct walk *w, const struct dump_orc *orc, uint64_t caller_sp, uint64_t *ret)
{
	switch (orc->bp_register) {
	case DUMP_ORC_REG_UNDEFINED:
		/* It was not touched: in registers found just now it has its value. */
		*ret = w->has_whole ? w->whole[REGS_BP] : w->bp;
		return true;
	case DUMP_ORC_REG_PREV_SP:
		return read_words(w, caller_sp + (uint64_t)orc->bp_offset, ret, 1);
	case DUMP_ORC_REG_BP:
		return read_words(w, w->bp + (uint64_t)orc->bp_offset, ret, 1);
	default:
		return broken(w, "ORC names a register that is not known");
	}
}

/* False in *ret_more: the interrupted code was a process's. */
static bool take_registers(struct walk *w, const struct dump_orc *orc, uint64_t at,
			   uint64_t *ret_ip, uint64_t *ret_sp, bool *ret_more)
{
	bool whole = orc->type == DUMP_ORC_REGS;
	size_t first = whole ? 0 : REGS_IP;

	if (!read_words(w, at, w->whole + first, N_REGS - first))
		return false;
	w->has_whole = whole;
	*ret_ip = w->whole[REGS_IP];
	*ret_sp = w->whole[REGS_SP];
	*ret_more = (w->whole[REGS_CS] & 3) == 0;
	return true;
}

static bool move_to(struct walk *w, uint64_t ip, uint64_t sp)
{
	/* The outermost frame may end exactly where the stack does. */
	size_t was = stack_of(w, w->sp, 0), is = stack_of(w, sp, 0);

	if (is == w->from->n_stacks || w->left & 1U << is)
		return broken(w, "0x%llx is not on the stack", (unsigned long long)sp);
	if (was == is && sp <= w->sp)
		return broken(w, "the stack does not rise at 0x%llx", (unsigned long long)sp);
	if (was != is && was < w->from->n_stacks)
		w->left |= 1U << was;
	w->ip = ip;
	w->sp = sp;
	return true;
}

static bool find_orc(struct walk *w, struct dump_orc *ret)
{
	/* push %rbp; mov %rsp, %rbp: the return address is above the caller's %rbp. */
	static const struct dump_orc by_frame_pointer = {
		.type = DUMP_ORC_CALL,
		.sp_register = DUMP_ORC_REG_BP,
		.sp_offset = 16,
		.bp_register = DUMP_ORC_REG_PREV_SP,
		.bp_offset = -16,
	};
	struct dump_code *code = w->from->code;
	uint64_t at = w->ip - w->is_return;
	struct dump_orc_table table;

	if (dump_code_orc(code, at, &table)) {
		if (dump_orc_find(code->kmem, &table, at, ret) == DUMP_ORC_FOUND)
			return true;
		return broken(w, "there is no ORC entry for 0x%llx", (unsigned long long)at);
	}
	switch (dump_code_kind(code, at)) {
	case DUMP_CODE_BPF:
		*ret = by_frame_pointer;
		return true;
	case DUMP_CODE_NONE:
		/* The address a CPU executes is certain, one found on a stack is a guess. */
		w->out->frames[w->out->n - 1].guessed = w->out->n > 1 || !w->from->registers;
		return broken(w, "0x%llx is not code of the kernel", (unsigned long long)at);
	default:
		return broken(w, "there is no ORC table: %s",
			      code->no_orc ? error_message(code->no_orc) : "the module has none");
	}
}

/* False: the walk has ended, and w->out says how. */
static bool step(struct walk *w)
{
	uint64_t caller_sp, ip, sp, bp;
	struct dump_orc orc;
	bool more = true;

	if (!find_orc(w, &orc))
		return false;
	/* The outermost frame: a stack is DUMP_STACK_WHOLE from the start. */
	if (orc.type == DUMP_ORC_END)
		return false;
	if (orc.type == DUMP_ORC_UNDEFINED)
		return broken(w, "the kernel cannot be unwound at 0x%llx",
			      (unsigned long long)w->ip);
	if (!find_sp(w, &orc, &caller_sp))
		return false;
	if (orc.type == DUMP_ORC_CALL) {
		if (!read_words(w, caller_sp - 8, &ip, 1))
			return false;
		sp = caller_sp;
		/* What was saved before the call was made is not what the caller had. */
		w->has_whole = false;
	} else {
		if (!take_registers(w, &orc, caller_sp, &ip, &sp, &more))
			return false;
		if (!more)
			return false;
	}
	if (!find_bp(w, &orc, caller_sp, &bp) || !move_to(w, ip, sp))
		return false;
	w->bp = bp;
	w->is_return = !orc.signal && ip != w->from->fork_exit;
	return true;
}

static bool add_frame(struct walk *w)
{
	struct dump_stack *out = w->out;

	if (out->n == DUMP_LIMIT_FRAMES) {
		out->end = DUMP_LIMIT_STACK;
		return false;
	}
	out->frames[out->n++] = (struct dump_frame){ w->ip, w->sp, w->is_return, w->guessed };
	return true;
}

/* Every word from here on that could have been left by a call. */
static void guess(struct walk *w)
{
	size_t i = stack_of(w, w->sp, 8);
	uint64_t end = i < w->from->n_stacks ? w->from->stacks[i].end : 0, word;

	w->guessed = w->is_return = true;
	for (uint64_t at = (w->sp + 7) & ~UINT64_C(7); at < end && end - at >= 8; at += 8) {
		if (kmem_read_u64(&w->from->code->kmem->space, at, &word) != KMEM_READ_OK)
			return;
		if (dump_code_kind(w->from->code, word - 1) == DUMP_CODE_NONE)
			continue;
		w->ip = word;
		w->sp = at + 8;
		/* The reason why it had to be guessed stays. */
		if (w->out->n == DUMP_LIMIT_FRAMES)
			return;
		w->out->frames[w->out->n++] = (struct dump_frame){ w->ip, w->sp, true, true };
	}
}

void dump_unwind_add_stack(struct dump_unwind *unwind, uint64_t start, uint64_t end)
{
	if (end > start && end - start <= DUMP_LIMIT_STACK_BYTES &&
	    unwind->n_stacks < DUMP_LIMIT_STACK_RANGES)
		unwind->stacks[unwind->n_stacks++] = (struct dump_stack_range){ start, end };
}

void dump_unwind(const struct dump_unwind *unwind, struct dump_stack *ret)
{
	struct walk w = { .from = unwind,
			  .out = ret,
			  .ip = unwind->ip,
			  .sp = unwind->sp,
			  .bp = unwind->bp,
			  .is_return = unwind->is_return };

	*ret = (struct dump_stack){ 0 };
	if (unwind->registers) {
		w.has_whole = true;
		w.whole[REGS_R10] = unwind->registers->r10;
		w.whole[REGS_R13] = unwind->registers->r13;
		w.whole[REGS_DI] = unwind->registers->rdi;
		w.whole[REGS_DX] = unwind->registers->rdx;
		w.whole[REGS_BP] = unwind->registers->rbp;
	}
	while (add_frame(&w)) {
		if (step(&w))
			continue;
		if (ret->end == DUMP_STACK_BROKEN)
			guess(&w);
		return;
	}
}

void dump_stack_distrust(struct dump_stack *stack, const char *reason)
{
	for (size_t i = 0; i < stack->n; i++)
		stack->frames[i].guessed = true;
	stack->end = DUMP_STACK_BROKEN;
	snprintf(stack->reason, sizeof(stack->reason), "%s", reason);
}
