// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/task_stack.h"

enum {
	/* Without CONFIG_KASAN; also of the stack for interrupts. */
	USUAL_STACK_BYTES = 16 << 10,
	/* The kernel stores the top of the interrupt stack less one word. */
	IRQ_TOP_SLACK = 8,
	/* Where the CPU comes from a process, until the kernel moves to the task's stack. */
	ENTRY_STACK_BYTES = 4096,
};

/* The stack of the first task stands between two symbols; others are as large. */
static uint64_t find_stack_bytes(struct kmem *kmem)
{
	uint64_t start = 0, end = 0;
	struct error *err = kmem_symbol(kmem, "__start_init_stack", &start);

	if (!err)
		err = kmem_symbol(kmem, "__end_init_stack", &end);
	if (err || end <= start || end - start > DUMP_LIMIT_STACK_BYTES ||
	    (end - start) % KMEM_PAGE_BYTES)
		end = start + USUAL_STACK_BYTES;
	error_free(err);
	return end - start;
}

static void find_current(struct dump_stacks *stacks)
{
	struct kmem *kmem = stacks->kmem;
	uint64_t runqueues = 0, rq;
	struct error *err = kmem_symbol(kmem, "runqueues", &runqueues);

	for (uint32_t cpu = 0; !err && cpu < kmem->cpus.n; cpu++) {
		uint64_t task = 0;

		if (!kmem_cpus_is_possible(&kmem->cpus, cpu) ||
		    !kmem_cpus_address(&kmem->cpus, cpu, runqueues, &rq) ||
		    kmem_field_read(&kmem->fields, &kmem->space, KMEM_F_RQ_CURR, rq, &task) !=
			    KMEM_READ_OK)
			task = 0;
		vec_push(&stacks->current, task);
	}
	error_free(err);
}

struct error *dump_stacks_init(struct dump_stacks *stacks, struct kmem *kmem,
			       const struct dump_request *request)
{
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_STACK);

	if (err)
		return err;
	*stacks = (struct dump_stacks){ .kmem = kmem, .request = request };
	dump_code_init(&stacks->code, kmem);
	stacks->stack_bytes = find_stack_bytes(kmem);
	err = kmem_symbol(kmem, "ret_from_fork_asm", &stacks->fork_exit);
	if (err) {
		error_free(err);
		/* Its name before Linux 6.6. */
		err = kmem_symbol(kmem, "ret_from_fork", &stacks->fork_exit);
	}
	error_free(err);
	find_current(stacks);
	return NULL;
}

void dump_stacks_deinit(struct dump_stacks *stacks)
{
	dump_code_deinit(&stacks->code);
	vec_deinit(&stacks->current);
}

/*
 * What a task has saved is from before it ran. A guest that goes on may have switched to it since
 * the CPUs were asked; a guest that stands still is in the middle of a switch then.
 */
static bool has_begun_to_run(struct dump_stacks *stacks, uint64_t task)
{
	uint64_t on_cpu = 0;

	return stacks->request->n_registers == 0 &&
	       kmem_field_read(&stacks->kmem->fields, &stacks->kmem->space, KMEM_F_TASK_ON_CPU,
			       task, &on_cpu) == KMEM_READ_OK &&
	       on_cpu;
}

static struct error *begin_asleep(struct dump_stacks *stacks, uint64_t task,
				  struct dump_unwind *unwind)
{
	const struct kmem_fields *fields = &stacks->kmem->fields;
	struct kmem_space *space = &stacks->kmem->space;
	uint64_t sp;
	enum kmem_status status = kmem_field_read(fields, space, KMEM_F_TASK_THREAD_SP, task, &sp);

	if (status != KMEM_READ_OK)
		return kmem_unread(status, task, "task_struct.thread.sp");
	if (has_begun_to_run(stacks, task))
		return base_error(BASE_ABSENT, 0, "it runs on a CPU whose registers are unknown");
	if (sp < unwind->stacks[0].start || sp >= unwind->stacks[0].end)
		return kmem_error(KMEM_UNREAD, 0,
				  "the saved stack pointer 0x%llx is not on the task's stack",
				  (unsigned long long)sp);
	status = kmem_field_read(fields, space, KMEM_F_SWITCH_FRAME_IP, sp, &unwind->ip);
	if (status == KMEM_READ_OK)
		status = kmem_field_read(fields, space, KMEM_F_SWITCH_FRAME_BP, sp, &unwind->bp);
	if (status != KMEM_READ_OK)
		return kmem_unread(status, sp, "the frame of the switch");
	unwind->sp = sp + fields->at[KMEM_F_SWITCH_FRAME].place.size;
	unwind->is_return = unwind->ip != stacks->fork_exit;
	return NULL;
}

/* One word of a CPU's own copy of a variable. */
static bool cpu_word(struct dump_stacks *stacks, uint32_t cpu, const char *name, uint64_t inside,
		     uint64_t *ret)
{
	struct kmem *kmem = stacks->kmem;
	uint64_t address = 0;
	struct error *err = kmem_symbol(kmem, name, &address);
	bool ok = !err && kmem_cpus_address(&kmem->cpus, cpu, address, &address) &&
		  kmem_read_u64(&kmem->space, address + inside, ret) == KMEM_READ_OK;

	error_free(err);
	return ok;
}

/* A CPU may also stand on its stacks for interrupts, for exceptions or for entering the kernel. */
static void add_cpu_stacks(struct dump_stacks *stacks, uint32_t cpu, struct dump_unwind *unwind)
{
	const struct kmem_field *hot = &stacks->kmem->fields.at[KMEM_F_PCPU_IRQ_STACK];
	const struct kmem_field *exceptions = &stacks->kmem->fields.at[KMEM_F_EXCEPTION_STACKS];
	const struct kmem_field *entry = &stacks->kmem->fields.at[KMEM_F_TSS_SP0];
	uint64_t top, start;

	if (cpu_word(stacks, cpu, "hardirq_stack_ptr", 0, &top) ||
	    (hot->known && cpu_word(stacks, cpu, "pcpu_hot", hot->place.offset, &top)))
		dump_unwind_add_stack(unwind, top + IRQ_TOP_SLACK - USUAL_STACK_BYTES,
				      top + IRQ_TOP_SLACK);
	if (exceptions->known && cpu_word(stacks, cpu, "cea_exception_stacks", 0, &start))
		dump_unwind_add_stack(unwind, start, start + exceptions->place.size);
	if (entry->known && cpu_word(stacks, cpu, "cpu_tss_rw", entry->place.offset, &top))
		dump_unwind_add_stack(unwind, top - ENTRY_STACK_BYTES, top);
}

static struct error *begin_on_cpu(struct dump_stacks *stacks, uint32_t cpu,
				  struct dump_unwind *unwind, enum dump_stack_state *ret_state)
{
	const struct dump_cpu_registers *r;

	if (cpu >= stacks->request->n_registers || stacks->request->registers[cpu].unknown)
		return base_error(BASE_ABSENT, 0, "it runs on CPU %u, whose registers are unknown",
				  cpu);
	r = &stacks->request->registers[cpu];
	if (r->user) {
		*ret_state = DUMP_STACK_IN_USER;
		return NULL;
	}
	add_cpu_stacks(stacks, cpu, unwind);
	unwind->ip = r->rip;
	unwind->sp = r->rsp;
	unwind->bp = r->rbp;
	unwind->registers = r;
	*ret_state = DUMP_STACK_ON_CPU;
	return NULL;
}

struct error *dump_task_stack(struct dump_stacks *stacks, uint64_t task, struct dump_stack *ret,
			      enum dump_stack_state *ret_state, uint32_t *ret_cpu)
{
	struct kmem *kmem = stacks->kmem;
	struct dump_unwind unwind = { .code = &stacks->code };
	enum dump_stack_state state = DUMP_STACK_ASLEEP;
	uint32_t cpu = 0;
	uint64_t base, end;
	struct error *err;
	enum kmem_status status = kmem_field_read(&kmem->fields, &kmem->space, KMEM_F_TASK_STACK,
						  task, &base);

	if (status != KMEM_READ_OK)
		return kmem_unread(status, task, "task_struct.stack");
	/* A zombie waits for its parent without one. */
	if (base == 0)
		return base_error(BASE_ABSENT, 0, "it has ended, its stack is freed");
	if (!add_fits_u64(base, stacks->stack_bytes, &end) || base % KMEM_PAGE_BYTES)
		return kmem_error(KMEM_UNREAD, 0, "a stack at 0x%llx", (unsigned long long)base);
	dump_unwind_add_stack(&unwind, base, end);
	while (cpu < stacks->current.n && stacks->current.at[cpu] != task)
		cpu++;
	err = cpu < stacks->current.n ? begin_on_cpu(stacks, cpu, &unwind, &state)
				      : begin_asleep(stacks, task, &unwind);
	if (err)
		return err;
	*ret = (struct dump_stack){ 0 };
	if (state != DUMP_STACK_IN_USER)
		dump_unwind(&unwind, ret);
	*ret_state = state;
	*ret_cpu = cpu;
	return NULL;
}
