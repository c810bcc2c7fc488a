/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel with code, ORC tables, tasks and stacks, all laid out here. Code is nothing but
 * addresses: nobody runs it.
 */
#ifndef KTSTR_TESTS_BUILD_STACK_H
#define KTSTR_TESTS_BUILD_STACK_H

#include "../btf/build_btf.h"
#include "../kmem/build_kernel.h"
#include "dump/dump.h"
#include "dump/code.h"
#include "unit.h"

/* Places in the image. */
enum {
	IN_CODE_OUTER = 0x400,
	IN_CODE_MIDDLE = 0x480,
	IN_CODE_INNER = 0x500,
	IN_CODE_ENTRY = 0x580,
	IN_CODE_FORK = 0x600,
	IN_CODE_ODD = 0x680, /* ORC says: undefined */
	IN_CODE_SCHEDULE = 0x700,
	IN_CODE_END = 0x800,
	IN_INIT_TASK = 0x5000,
	IN_BPF_LIST = 0x5800,
	IN_ORC_IPS = 0x6000,
	IN_ORC = 0x6800,
	IN_IRQ_POINTER = 0x80, /* per CPU */
	IN_CURRENT = 0x88,     /* per CPU */
	IN_TSS = 0x90,	       /* per CPU */
	N_ORC = 8,
};

/* Places in RAM. */
enum {
	STACK_AT = 0x10000,
	STACK_BYTES = 0x4000,
	OTHER_STACK_AT = 0x14000,
	IRQ_STACK_AT = 0x18000,
	ENTRY_STACK_END = 0x1e000,
	TASK_AT = 0x20000, /* its signal_struct follows */
	OTHER_TASK_AT = 0x20400,
	IDLE_AT = 0x20800,
	MODULE_AT = 0x21000,
	BPF_AT = 0x22000,
	SIGNAL_FROM_TASK = 0x200,
	PER_CPU_AT = 0x100000,
	PER_CPU_BYTES = 0x8000,
};
#define MODULE_CODE UINT64_C(0xffffffffc0001000)
#define BPF_CODE    UINT64_C(0xffffffffc0100000)

/* Offsets of members, as the types below have them. */
enum {
	T_TASKS = 0,
	T_THREAD_NODE = 16,
	T_SIGNAL = 32,
	T_PID = 40,
	T_COMM = 48,
	T_STACK = 72,
	T_SP = 80,
	T_ON_CPU = 88,
	RQ_CURR_AT = 8,
	RQ_IDLE_AT = 16,
	FRAME_BP = 40,
	FRAME_IP = 48,
	FRAME_BYTES = 56,
	ORC_BYTES = 6,
};

static inline void build_stack_types(struct strbuf *out, bool old_orc)
{
	struct build_btf b = { 0 };
	uint32_t word = build_btf_int(&b, "unsigned int", 4, 0);
	uint32_t byte = build_btf_int(&b, "unsigned char", 1, 0);
	uint32_t half = build_btf_int(&b, "short", 2, 1);
	uint32_t pointer = build_btf_type(&b, "", 2, 0, 0);
	uint32_t name = build_btf_array(&b, byte, 56);
	uint32_t comm = build_btf_array(&b, byte, 16);
	uint32_t links = build_btf_array(&b, pointer, 2);
	uint32_t memory = BUILD_STRUCT(&b, "module_memory", 16, { "base", pointer, 0, 0 },
				       { "size", word, 96, 0 });
	uint32_t memories = build_btf_array(&b, memory, 3);
	uint32_t thread = BUILD_STRUCT(&b, "thread_struct", 8, { "sp", pointer, 0, 0 });
	uint32_t arch = BUILD_STRUCT(&b, "mod_arch_specific", 24, { "num_orcs", word, 0, 0 },
				     { "orc_unwind_ip", pointer, 64, 0 },
				     { "orc_unwind", pointer, 128, 0 });
	uint32_t tss;

	if (old_orc)
		BUILD_STRUCT(&b, "orc_entry", 6, { "sp_offset", half, 0, 0 },
			     { "bp_offset", half, 16, 0 }, { "sp_reg", word, 32, 4 },
			     { "bp_reg", word, 36, 4 }, { "type", word, 40, 2 },
			     { "end", word, 42, 1 });
	else
		BUILD_STRUCT(&b, "orc_entry", 6, { "sp_offset", half, 0, 0 },
			     { "bp_offset", half, 16, 0 }, { "sp_reg", word, 32, 4 },
			     { "bp_reg", word, 36, 4 }, { "type", word, 40, 3 },
			     { "signal", word, 43, 1 });
	BUILD_STRUCT(&b, "inactive_task_frame", FRAME_BYTES, { "bp", pointer, 8 * FRAME_BP, 0 },
		     { "ret_addr", pointer, 8 * FRAME_IP, 0 });
	BUILD_STRUCT(&b, "task_struct", 0x200, { "tasks", links, 8 * T_TASKS, 0 },
		     { "thread_node", links, 8 * T_THREAD_NODE, 0 },
		     { "signal", pointer, 8 * T_SIGNAL, 0 }, { "pid", word, 8 * T_PID, 0 },
		     { "tgid", word, 8 * 44, 0 }, { "comm", comm, 8 * T_COMM, 0 },
		     { "__state", word, 8 * 64, 0 }, { "exit_state", word, 8 * 68, 0 },
		     { "stack", pointer, 8 * T_STACK, 0 }, { "thread", thread, 8 * T_SP, 0 },
		     { "on_cpu", word, 8 * T_ON_CPU, 0 });
	tss = BUILD_STRUCT(&b, "x86_hw_tss", 12, { "sp0", pointer, 32, 0 });
	BUILD_STRUCT(&b, "tss_struct", 12, { "x86_tss", tss, 0, 0 });
	BUILD_STRUCT(&b, "signal_struct", 64, { "thread_head", links, 0, 0 });
	BUILD_STRUCT(&b, "rq", 64, { "nr_running", word, 0, 0 }, { "curr", pointer, 64, 0 },
		     { "idle", pointer, 128, 0 }, { "clock", pointer, 192, 0 });
	BUILD_STRUCT(&b, "mod_kallsyms", 32, { "symtab", pointer, 0, 0 },
		     { "num_symtab", word, 64, 0 }, { "strtab", pointer, 128, 0 },
		     { "typetab", pointer, 192, 0 });
	BUILD_STRUCT(&b, "module", 256, { "state", word, 0, 0 }, { "list", links, 64, 0 },
		     { "name", name, 192, 0 }, { "mem", memories, 640, 0 },
		     { "kallsyms", pointer, 1088, 0 }, { "arch", arch, 1152, 0 });
	BUILD_STRUCT(&b, "bpf_ksym", 96, { "start", pointer, 0, 0 }, { "end", pointer, 64, 0 },
		     { "name", name, 128, 0 }, { "lnode", links, 640, 0 });
	build_btf_finish(&b, out);
}

struct build_stack {
	struct strbuf types;
	struct build_kernel k;
	struct kmem *kmem;
	uint64_t stack; /* address of the first task's */
	uint64_t task, other, idle;
};

static inline void build_orc_raw(struct build_stack *s, uint64_t ips, uint64_t entries, uint32_t i,
				 uint64_t ip, struct dump_orc orc, bool old)
{
	uint64_t at = s->k.image - IMAGE_AT, place = ips + 4 * i;
	int32_t distance = (int32_t)(ip - place);
	int16_t sp = (int16_t)orc.sp_offset, bp = (int16_t)orc.bp_offset;
	uint8_t bits[2] = { (uint8_t)(orc.sp_register | orc.bp_register << 4),
			    (uint8_t)(orc.type | orc.signal << 3) };

	if (old)
		bits[1] = orc.type == DUMP_ORC_END ? 4 : (uint8_t)(orc.type - DUMP_ORC_CALL);
	build_put(&s->k.memory, place - at, &distance, 4);
	build_put(&s->k.memory, entries + ORC_BYTES * i - at, &sp, 2);
	build_put(&s->k.memory, entries + ORC_BYTES * i + 2 - at, &bp, 2);
	build_put(&s->k.memory, entries + ORC_BYTES * i + 4 - at, bits, 2);
}

/*
 * inner keeps 0x20 bytes, middle a frame pointer, outer 8 bytes; entry has the registers of the
 * process, and a fork ends there.
 */
static inline void build_orcs(struct build_stack *s, bool old)
{
	uint64_t at = s->k.image;
	const struct {
		uint64_t ip;
		struct dump_orc orc;
	} rows[N_ORC] = {
		{ IN_CODE_OUTER, { DUMP_ORC_CALL, DUMP_ORC_REG_SP, 0, 16, 0, false } },
		{ IN_CODE_MIDDLE,
		  { DUMP_ORC_CALL, DUMP_ORC_REG_BP, DUMP_ORC_REG_PREV_SP, 16, -16, false } },
		{ IN_CODE_INNER, { DUMP_ORC_CALL, DUMP_ORC_REG_SP, 0, 0x28, 0, false } },
		{ IN_CODE_ENTRY, { DUMP_ORC_REGS, DUMP_ORC_REG_SP, 0, 0, 0, true } },
		{ IN_CODE_FORK, { DUMP_ORC_END, DUMP_ORC_REG_UNDEFINED, 0, 0, 0, false } },
		{ IN_CODE_ODD, { DUMP_ORC_UNDEFINED, DUMP_ORC_REG_UNDEFINED, 0, 0, 0, false } },
		{ IN_CODE_SCHEDULE, { DUMP_ORC_CALL, DUMP_ORC_REG_SP, 0, 8, 0, false } },
		{ IN_CODE_END, { DUMP_ORC_CALL, DUMP_ORC_REG_SP, 0, 8, 0, false } },
	};

	for (uint32_t i = 0; i < N_ORC; i++)
		build_orc_raw(s, at + IN_ORC_IPS, at + IN_ORC, i, at + rows[i].ip, rows[i].orc,
			      old);
}

static inline void build_ring(struct build_stack *s, const uint64_t *links, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t at = links[i] >= s->k.image ? links[i] - s->k.image + IMAGE_AT
						     : links[i] - s->k.direct;

		build_put_u64(&s->k.memory, at, links[(i + 1) % n]);
		build_put_u64(&s->k.memory, at + 8, links[(i + n - 1) % n]);
	}
}

static inline void build_task(struct build_stack *s, uint64_t at, uint32_t pid, const char *comm,
			      uint64_t stack, uint64_t sp)
{
	uint64_t task = s->k.direct + at, signal = task + SIGNAL_FROM_TASK;

	build_put(&s->k.memory, at + T_PID, &pid, 4);
	build_put(&s->k.memory, at + T_COMM, comm, strlen(comm) + 1);
	build_put_u64(&s->k.memory, at + T_SIGNAL, signal);
	build_put_u64(&s->k.memory, at + T_STACK, stack);
	build_put_u64(&s->k.memory, at + T_SP, sp);
	build_ring(s, (const uint64_t[]){ signal, task + T_THREAD_NODE }, 2);
}

/* A word of the stack, `inside` bytes above its lowest. */
static inline void build_stack_word(struct build_stack *s, uint64_t inside, uint64_t value)
{
	build_put_u64(&s->k.memory, STACK_AT + inside, value);
	if (s->kmem)
		kmem_space_forget(&s->kmem->space);
}

/*
 * As a switch leaves it: inner was called by middle, middle by outer, outer by entry, which has
 * the registers of a process.
 */
enum { CHAIN_AT = 0x3000 };
static inline void build_chain(struct build_stack *s)
{
	uint64_t base = CHAIN_AT + FRAME_BYTES, at = s->k.image;

	build_stack_word(s, CHAIN_AT + FRAME_IP, at + IN_CODE_INNER + 0x10);
	/* middle's frame pointer: what inner did not touch. */
	build_stack_word(s, CHAIN_AT + FRAME_BP, s->stack + base + 0x40);
	build_stack_word(s, base + 0x20, at + IN_CODE_MIDDLE + 0x20);
	build_stack_word(s, base + 0x40, 0x1234);
	build_stack_word(s, base + 0x48, at + IN_CODE_OUTER + 0x30);
	build_stack_word(s, base + 0x58, at + IN_CODE_ENTRY + 0x40);
	build_stack_word(s, base + 0x60 + 8 * 16, 0x401000);
	build_stack_word(s, base + 0x60 + 8 * 17, 0x33);
	build_stack_word(s, base + 0x60 + 8 * 19, 0x7fff0000);
}
#define CHAIN_SP(s) ((s)->stack + CHAIN_AT)

static inline void build_bpf(struct build_stack *s)
{
	uint64_t head = s->k.image + IN_BPF_LIST, ksym = s->k.direct + BPF_AT;

	build_put_u64(&s->k.memory, BPF_AT, BPF_CODE);
	build_put_u64(&s->k.memory, BPF_AT + 8, BPF_CODE + 0x100);
	build_put(&s->k.memory, BPF_AT + 16, "bpf_prog_0123_fifo", 19);
	build_ring(s, (const uint64_t[]){ head, ksym + 80 }, 2);
}

static inline void build_module(struct build_stack *s)
{
	uint64_t head = s->k.image + IN_IMAGE_DATA + IN_DATA_MODULES;
	uint32_t size = 0x1000;

	build_put(&s->k.memory, MODULE_AT + 24, "virtio_net", 11);
	build_put_u64(&s->k.memory, MODULE_AT + 80, MODULE_CODE);
	build_put(&s->k.memory, MODULE_AT + 92, &size, 4);
	build_ring(s, (const uint64_t[]){ head, s->k.direct + MODULE_AT + 8 }, 2);
}

static inline void build_stack_tasks(struct build_stack *s)
{
	uint64_t first = s->k.image + IN_INIT_TASK;

	s->stack = s->k.direct + STACK_AT;
	s->task = s->k.direct + TASK_AT;
	s->other = s->k.direct + OTHER_TASK_AT;
	s->idle = s->k.direct + IDLE_AT;
	build_task(s, TASK_AT, 42, "sleeper", s->stack, CHAIN_SP(s));
	build_task(s, OTHER_TASK_AT, 43, "runner", s->stack, 0);
	build_task(s, IDLE_AT, 0, "swapper/0", s->stack, CHAIN_SP(s));
	build_ring(s, (const uint64_t[]){ first, s->task, s->other }, 3);
	for (uint64_t cpu = 0; cpu < KERNEL_CPUS; cpu++) {
		uint64_t own = PER_CPU_AT + PER_CPU_BYTES * cpu;

		build_put_u64(&s->k.memory, own + 0x40 + RQ_CURR_AT, cpu == 1 ? s->other : 0);
		build_put_u64(&s->k.memory, own + IN_CURRENT, cpu == 1 ? s->other : 0);
		build_put_u64(&s->k.memory, own + 0x40 + RQ_IDLE_AT, s->idle);
		build_put_u64(&s->k.memory, own + IN_IRQ_POINTER,
			      s->k.direct + IRQ_STACK_AT + STACK_BYTES - 8);
		build_put_u64(&s->k.memory, own + IN_TSS + 4, s->k.direct + ENTRY_STACK_END);
	}
}

/* s is zeroed; `old`: ORC as before Linux 6.4. */
static inline void build_stack_init(struct build_stack *s, bool old)
{
	static const struct build_symbol more[] = {
		{ IN_IRQ_POINTER, 'D', "hardirq_stack_ptr" },
		{ IN_CURRENT, 'D', "current_task" },
		{ IN_TSS, 'D', "cpu_tss_rw" },
		{ IN_CODE_OUTER, 'T', "outer" },
		{ IN_CODE_MIDDLE, 'T', "middle" },
		{ IN_CODE_INNER, 't', "inner" },
		{ IN_CODE_ENTRY, 'T', "entry" },
		{ IN_CODE_FORK, 'T', "ret_from_fork_asm" },
		{ IN_CODE_ODD, 'T', "odd" },
		{ IN_CODE_SCHEDULE, 'T', "schedule" },
		{ IN_CODE_END, 'T', "_etext" },
		{ IN_INIT_TASK, 'D', "init_task" },
		{ IN_BPF_LIST, 'd', "bpf_kallsyms" },
		{ IN_ORC_IPS, 'R', "__start_orc_unwind_ip" },
		{ IN_ORC_IPS + 4 * N_ORC, 'R', "__stop_orc_unwind_ip" },
		{ IN_ORC, 'R', "__start_orc_unwind" },
		{ IN_ORC + ORC_BYTES * N_ORC, 'R', "__stop_orc_unwind" },
	};
	struct kernel_form form = { .levels = 4,
				    .mode = KMEM_KALLSYMS_RELATIVE,
				    .more = more,
				    .n_more = ARRAY_SIZE(more) };
	struct kmem_reader reader;

	build_stack_types(&s->types, old);
	form.btf = build_bytes(&s->types);
	s->k = build_kernel_new(&form);
	build_orcs(s, old);
	build_stack_tasks(s);
	build_chain(s);
	build_bpf(s);
	build_module(s);
	reader = build_reader(&s->k.memory);
	assert_success(kmem_attach(&reader, (struct bytes){ NULL, 0 }, NULL, &s->kmem));
}

static inline int build_stack_set_up(void **state)
{
	struct build_stack *s = xnew(struct build_stack);

	build_stack_init(s, false);
	*state = s;
	return 0;
}

static inline int build_stack_tear_down(void **state)
{
	struct build_stack *s = *state;

	kmem_free(s->kmem);
	build_kernel_deinit(&s->k);
	strbuf_deinit(&s->types);
	free(s);
	return 0;
}

#define stack_test(f) cmocka_unit_test_setup_teardown(f, build_stack_set_up, build_stack_tear_down)

#endif
