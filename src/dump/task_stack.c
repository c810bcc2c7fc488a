// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/stack.h"

#include <string.h>

#include "dump/member.h"

enum {
	/* Without CONFIG_KASAN; also of the stack for interrupts. */
	USUAL_STACK_BYTES = 16 << 10,
	/* The kernel stores the top of the interrupt stack less one word. */
	IRQ_TOP_SLACK = 8,
	/* Where the CPU comes from a process, until the kernel moves to the task's stack. */
	ENTRY_STACK_BYTES = 4096,
};

/* The stack of the first task is between two symbols; others are as large. */
static uint64_t find_stack_bytes(struct kmem *kmem)
{
	uint64_t start = 0, end = 0;

	error_free(dump_symbol_range(kmem, "__start_init_stack", "__end_init_stack", &start, &end));
	if (end == start || end - start > DUMP_LIMIT_STACK_BYTES || (end - start) % KMEM_PAGE_BYTES)
		return USUAL_STACK_BYTES;
	return end - start;
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

static bool is_on_stack_of(struct dump_stacks *stacks, uint64_t task, uint64_t sp)
{
	struct kmem *kmem = stacks->kmem;
	uint64_t base;

	return task && kmem_get(kmem, KMEM_F_TASK_STACK, task, &base) == KMEM_READ_OK &&
	       sp >= base && sp - base <= stacks->stack_bytes;
}

/* NULL: unknown. */
static const struct physmap_registers *registers_of(const struct dump_stacks *stacks, uint32_t cpu)
{
	if (cpu >= stacks->request->n_registers || stacks->request->registers[cpu].unknown)
		return NULL;
	return &stacks->request->registers[cpu];
}

static struct dump_cpu_tasks find_tasks(struct dump_stacks *stacks, uint32_t cpu)
{
	const struct kmem_field *hot = &stacks->kmem->fields.at[KMEM_F_PCPU_CURRENT];
	const struct kmem_field *curr = &stacks->kmem->fields.at[KMEM_F_RQ_CURR];
	const struct physmap_registers *registers = registers_of(stacks, cpu);
	struct dump_cpu_tasks t = { 0 };

	if (!curr->known || !cpu_word(stacks, cpu, "runqueues", curr->place.offset, &t.curr))
		t.curr = 0;
	/* In a struct of its own from Linux 6.2 to 6.14. */
	if (!cpu_word(stacks, cpu, "current_task", 0, &t.current) &&
	    !(hot->known && cpu_word(stacks, cpu, "pcpu_hot", hot->place.offset, &t.current)))
		t.current = t.curr;
	/* On a stack for interrupts it is the task that was interrupted. */
	t.on_stack = t.current;
	if (registers && !registers->user && t.curr != t.current &&
	    is_on_stack_of(stacks, t.curr, registers->rsp))
		t.on_stack = t.curr;
	return t;
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
	for (uint32_t cpu = 0; cpu < kmem->cpus.n; cpu++) {
		struct dump_cpu_tasks tasks = find_tasks(stacks, cpu);

		vec_push(&stacks->cpus, tasks);
	}
	return NULL;
}

void dump_stacks_deinit(struct dump_stacks *stacks)
{
	dump_code_deinit(&stacks->code);
	vec_deinit(&stacks->cpus);
}

/* What changes when a task runs: its stack pointer, whether it is on a CPU, its switches. */
enum { MARK_ON_CPU = 1, N_MARKS = 4 };
struct run_marks {
	uint64_t at[N_MARKS];
};

/* Past all that is remembered: a guest that is not frozen goes on. What cannot be read is 0. */
static struct run_marks read_marks(struct kmem *kmem, uint64_t task)
{
	static const enum kmem_field_id ids[N_MARKS] = { KMEM_F_TASK_THREAD_SP, KMEM_F_TASK_ON_CPU,
							 KMEM_F_TASK_NVCSW, KMEM_F_TASK_NIVCSW };
	struct run_marks marks = { 0 };

	kmem_space_forget(&kmem->space);
	for (size_t i = 0; i < N_MARKS; i++) {
		if (kmem_get(kmem, ids[i], task, &marks.at[i]) != KMEM_READ_OK)
			marks.at[i] = 0;
	}
	return marks;
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

/* Of a guest that goes on: the task may run before its stack has been read. */
static struct error *unwind_asleep(struct dump_stacks *stacks, uint64_t task,
				   struct dump_unwind *unwind, struct dump_stack *ret)
{
	bool goes_on = stacks->request->n_registers == 0;
	struct run_marks before = { 0 }, after = { 0 };
	struct error *err;

	if (goes_on)
		before = read_marks(stacks->kmem, task);
	if (before.at[MARK_ON_CPU])
		return base_error(BASE_ABSENT, 0, "it runs on a CPU whose registers are unknown");
	err = begin_asleep(stacks, task, unwind);
	if (err)
		return err;
	dump_unwind(unwind, ret);
	if (goes_on)
		after = read_marks(stacks->kmem, task);
	if (memcmp(&before, &after, sizeof(before)) != 0)
		dump_stack_distrust(ret, "it ran while its stack was read");
	return NULL;
}

/* A CPU may also use its stacks for interrupts, for exceptions or for entering the kernel. */
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

static struct error *unwind_on_cpu(struct dump_stacks *stacks, uint32_t cpu,
				   struct dump_unwind *unwind, struct dump_stack *ret,
				   enum dump_stack_state *ret_state)
{
	const struct physmap_registers *r = registers_of(stacks, cpu);

	if (!r)
		return base_error(BASE_ABSENT, 0, "it runs on CPU %u, whose registers are unknown",
				  cpu);
	if (r->user) {
		*ret = (struct dump_stack){ 0 };
		*ret_state = DUMP_STACK_IN_USER;
		return NULL;
	}
	add_cpu_stacks(stacks, cpu, unwind);
	unwind->ip = r->rip;
	unwind->sp = r->rsp;
	unwind->bp = r->rbp;
	unwind->registers = r;
	dump_unwind(unwind, ret);
	*ret_state = DUMP_STACK_ON_CPU;
	return NULL;
}

/* The CPU that has to do with a task; cpus.n: none. */
static uint32_t find_cpu(const struct dump_stacks *stacks, uint64_t task)
{
	uint32_t cpu = 0;

	while (cpu < stacks->cpus.n && stacks->cpus.at[cpu].curr != task &&
	       stacks->cpus.at[cpu].current != task)
		cpu++;
	return cpu;
}

struct error *dump_task_stack(struct dump_stacks *stacks, uint64_t task, struct dump_stack *ret,
			      struct dump_stack_place *ret_place)
{
	struct kmem *kmem = stacks->kmem;
	struct dump_unwind unwind = { .code = &stacks->code, .fork_exit = stacks->fork_exit };
	uint32_t cpu = find_cpu(stacks, task);
	struct dump_stack_place place = { .state = DUMP_STACK_ASLEEP };
	const struct dump_cpu_tasks *tasks = NULL;
	uint64_t base, end;
	struct error *err;
	enum kmem_status status = kmem_get(kmem, KMEM_F_TASK_STACK, task, &base);

	if (status != KMEM_READ_OK)
		return kmem_unread(status, task, "task_struct.stack");
	/* A zombie waits for its parent without one. */
	if (base == 0)
		return base_error(BASE_ABSENT, 0, "it has ended, its stack is freed");
	if (!add_fits_u64(base, stacks->stack_bytes, &end) || base % KMEM_PAGE_BYTES)
		return kmem_error(KMEM_UNREAD, 0, "a stack at 0x%llx", (unsigned long long)base);
	dump_unwind_add_stack(&unwind, base, end);
	if (cpu < stacks->cpus.n) {
		tasks = &stacks->cpus.at[cpu];
		place.cpu = cpu;
		if (tasks->curr != tasks->current)
			place.switching = task == tasks->curr ? DUMP_SWITCHING_IN
							      : DUMP_SWITCHING_OUT;
	}
	if (tasks && (tasks->on_stack == task || !registers_of(stacks, cpu)))
		err = unwind_on_cpu(stacks, cpu, &unwind, ret, &place.state);
	else
		err = unwind_asleep(stacks, task, &unwind, ret);
	if (!err)
		*ret_place = place;
	return err;
}
