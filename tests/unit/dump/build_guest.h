/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small kernel with tasks, runqueues, modules, time and a log, laid out for tests: all offsets
 * are those of this file, none is that of a real kernel. Things stand in RAM from 0 on and are
 * pointed to through the direct map.
 */
#ifndef KTSTR_TESTS_BUILD_GUEST_H
#define KTSTR_TESTS_BUILD_GUEST_H

#include "../btf/build_btf.h"
#include "../kmem/build_kernel.h"
#include "dump/dump.h"
#include "../unit.h"

/* task_struct */
enum {
	T_TASKS = 8,
	T_THREAD_NODE = 24,
	T_SIGNAL = 40,
	T_PID = 48,
	T_TGID = 52,
	T_COMM = 56,
	T_STATE = 72,
	T_EXIT_STATE = 76,
	T_CPU = 80,
	T_POLICY = 84,
	T_PRIO = 88,
	T_RT_PRIORITY = 92,
	T_RUNTIME = 96,
	T_CGROUPS = 104,
	T_CLASS = 112,
	T_CPUS = 120, /* 64 of them */
	T_LAST_QUEUED = 128,
	T_PARENT = 136,
	T_ON_RQ = 144,
	T_BYTES = 152,
	S_THREAD_HEAD = 16,
	RQ_NR = 0,
	RQ_CURR = 8,
	RQ_IDLE = 16,
	RQ_CLOCK = 24,
	RQ_CFS = 36,
	RQ_BITS = 40,
	RQ_SYMBOL = 0x40,
	CPUS_AT = 0x100000,
	CPU_BYTES = 0x8000,
	M_LIST = 8,
	M_NAME = 24,
	M_BASE = 80,
	M_SIZE = 92,
	TK_SKIP = 16, /* of the timekeeper in tk_data */
	TK_BASE = 0,
	TK_XTIME = 8,
	TK_SHIFT = 16,
	TK_BOOT = 24,
	TK_REAL = 32,
	PRB_COUNT_BITS = 0,
	PRB_DESCS = 8,
	PRB_INFOS = 16,
	PRB_HEAD = 24,
	PRB_TAIL = 32,
	PRB_SIZE_BITS = 40,
	PRB_DATA = 48,
	DESC_BYTES = 24,
	INFO_BYTES = 32,
};

/* Where things stand in RAM. */
enum {
	TASKS_AT = 0x1000,
	TASK_STEP = 0x200, /* the task, its signal_struct at half of it */
	MODULES_AT = 0x8000,
	MODULE_STEP = 0x200,
	GROUPS_AT = 0x9000,
	LOG_DESCS_AT = 0xa000,
	LOG_INFOS_AT = 0xb000,
	LOG_TEXT_AT = 0xc000,
	LOG_COUNT_BITS = 3,
	LOG_SIZE_BITS = 7,
};

struct build_guest {
	struct strbuf types;
	struct build_kernel k;
	struct kmem *kmem;
	struct strbuf out;
};

#define BIT_(at) ((at) * 8)
static inline void build_guest_types(struct strbuf *out)
{
	struct build_btf b = { 0 };
	uint32_t word = build_btf_int(&b, "unsigned int", 4, 0);
	uint32_t sword = build_btf_int(&b, "int", 4, 1);
	uint32_t byte = build_btf_int(&b, "unsigned char", 1, 0);
	uint32_t half = build_btf_int(&b, "unsigned short", 2, 0);
	uint32_t quad = build_btf_int(&b, "long unsigned int", 8, 0);
	uint32_t pointer = build_btf_type(&b, "", 2, 0, 0);
	uint32_t links = build_btf_array(&b, pointer, 2);
	uint32_t comm = build_btf_array(&b, byte, 16), name = build_btf_array(&b, byte, 56);
	uint32_t info = BUILD_STRUCT(&b, "thread_info", 4, { "cpu", word, 0, 0 });
	uint32_t se = BUILD_STRUCT(&b, "sched_entity", 8, { "sum_exec_runtime", quad, 0, 0 });
	uint32_t cfs = BUILD_STRUCT(&b, "cfs_rq", 8, { "h_nr_queued", word, 32, 0 });
	uint32_t memory = BUILD_STRUCT(&b, "module_memory", 16, { "base", pointer, 0, 0 },
				       { "size", word, 96, 0 });
	uint32_t memories = build_btf_array(&b, memory, 2);
	uint32_t mono = BUILD_STRUCT(&b, "tk_read_base", 24, { "base", quad, BIT_(TK_BASE), 0 },
				     { "xtime_nsec", quad, BIT_(TK_XTIME), 0 },
				     { "shift", word, BIT_(TK_SHIFT), 0 });
	uint32_t tk = BUILD_STRUCT(&b, "timekeeper", 40, { "tkr_mono", mono, 0, 0 },
				   { "offs_boot", quad, BIT_(TK_BOOT), 0 },
				   { "offs_real", quad, BIT_(TK_REAL), 0 });
	uint32_t descs = BUILD_STRUCT(
		&b, "prb_desc_ring", 40, { "count_bits", word, BIT_(PRB_COUNT_BITS), 0 },
		{ "descs", pointer, BIT_(PRB_DESCS), 0 }, { "infos", pointer, BIT_(PRB_INFOS), 0 },
		{ "head_id", quad, BIT_(PRB_HEAD), 0 }, { "tail_id", quad, BIT_(PRB_TAIL), 0 });
	uint32_t texts = BUILD_STRUCT(&b, "prb_data_ring", 16, { "size_bits", word, 0, 0 },
				      { "data", pointer, 64, 0 });
	uint32_t block = BUILD_STRUCT(&b, "prb_data_blk_lpos", 16, { "begin", quad, 0, 0 },
				      { "next", quad, 64, 0 });
	uint32_t mood = build_btf_enum(&b, "mood", 4, false, false,
				       (const struct build_value[]){ { "CALM", 1 } }, 1);
	uint32_t mask = BUILD_STRUCT(&b, "cpumask", 8, { "bits", quad, 0, 0 });
	uint32_t sequence = BUILD_STRUCT(&b, "seqcount_raw_spinlock", 16,
					 { "lock", pointer, 64, 0 });
	uint32_t queued = BUILD_STRUCT(&b, "sched_info", 8, { "last_queued", quad, 0, 0 });
	uint32_t task, to_task, rq, cgroup, to_cgroup;

	(void)sequence;

	task = BUILD_STRUCT(
		&b, "task_struct", T_BYTES, { "tasks", links, BIT_(T_TASKS), 0 },
		{ "thread_node", links, BIT_(T_THREAD_NODE), 0 },
		{ "signal", pointer, BIT_(T_SIGNAL), 0 }, { "pid", sword, BIT_(T_PID), 0 },
		{ "tgid", sword, BIT_(T_TGID), 0 }, { "comm", comm, BIT_(T_COMM), 0 },
		{ "__state", word, BIT_(T_STATE), 0 },
		{ "exit_state", sword, BIT_(T_EXIT_STATE), 0 },
		{ "thread_info", info, BIT_(T_CPU), 0 }, { "policy", word, BIT_(T_POLICY), 0 },
		{ "prio", sword, BIT_(T_PRIO), 0 }, { "rt_priority", word, BIT_(T_RT_PRIORITY), 0 },
		{ "se", se, BIT_(T_RUNTIME), 0 }, { "cgroups", pointer, BIT_(T_CGROUPS), 0 },
		{ "sched_class", pointer, BIT_(T_CLASS), 0 },
		{ "cpus_mask", mask, BIT_(T_CPUS), 0 },
		{ "sched_info", queued, BIT_(T_LAST_QUEUED), 0 },
		{ "real_parent", pointer, BIT_(T_PARENT), 0 }, { "on_rq", word, BIT_(T_ON_RQ), 0 });
	to_task = build_btf_type(&b, "", 2, 0, task);
	BUILD_STRUCT(&b, "signal_struct", 32, { "thread_head", links, BIT_(S_THREAD_HEAD), 0 });
	cgroup = BUILD_STRUCT(&b, "cgroup", 24, { "kn", pointer, 128, 0 });
	to_cgroup = build_btf_type(&b, "", 2, 0, cgroup);
	BUILD_STRUCT(&b, "css_set", 16, { "dfl_cgrp", to_cgroup, 64, 0 });
	BUILD_STRUCT(&b, "kernfs_node", 24, { "__parent", pointer, 64, 0 },
		     { "name", pointer, 128, 0 });
	rq = BUILD_STRUCT(
		&b, "rq", 64, { "nr_running", word, BIT_(RQ_NR), 0 },
		{ "curr", to_task, BIT_(RQ_CURR), 0 }, { "idle", pointer, BIT_(RQ_IDLE), 0 },
		{ "clock", quad, BIT_(RQ_CLOCK), 0 }, { "cfs", cfs, 256, 0 },
		{ "urgent", word, BIT_(RQ_BITS), 3 }, { "weight", word, BIT_(RQ_BITS) + 3, 9 },
		{ "lean", sword, BIT_(RQ_BITS) + 12, 4 }, { "mood", mood, BIT_(RQ_BITS), 2 },
		{ "whole", quad, BIT_(RQ_BITS + 8), 64 },
		{ "crossing", quad, BIT_(RQ_BITS + 16) + 3, 62 });
	/* Of differences. */
	build_btf_int(&b, "long int", 8, 1);
	/* A variable with linkage 1. */
	build_btf_type(&b, "runqueues", 14, 0, rq);
	build_u32(&b.types, 1);
	BUILD_STRUCT(&b, "module", 128, { "list", links, BIT_(M_LIST), 0 },
		     { "name", name, BIT_(M_NAME), 0 }, { "mem", memories, BIT_(M_BASE), 0 });
	BUILD_STRUCT(&b, "tk_data", 64, { "timekeeper", tk, BIT_(TK_SKIP), 0 });
	BUILD_STRUCT(&b, "printk_ringbuffer", 64, { "desc_ring", descs, 0, 0 },
		     { "text_data_ring", texts, BIT_(PRB_SIZE_BITS), 0 });
	BUILD_STRUCT(&b, "prb_desc", DESC_BYTES, { "state_var", quad, 0, 0 },
		     { "text_blk_lpos", block, 64, 0 });
	BUILD_STRUCT(&b, "printk_info", INFO_BYTES, { "seq", quad, 0, 0 },
		     { "ts_nsec", quad, 64, 0 }, { "text_len", half, 128, 0 },
		     { "level", byte, 144, 0 });
	build_btf_finish(&b, out);
}

/* A place in RAM as the kernel points to it. */
static inline uint64_t guest_pointer(const struct build_guest *g, uint64_t at)
{
	return g->k.direct + at;
}

static inline void guest_u32(struct build_guest *g, uint64_t at, uint32_t value)
{
	build_put(&g->k.memory, at, &value, 4);
}

static inline void guest_u64(struct build_guest *g, uint64_t at, uint64_t value)
{
	build_put_u64(&g->k.memory, at, value);
}

/* A variable of the kernel's image: its place in RAM. */
static inline uint64_t guest_data(uint64_t in_data)
{
	return IMAGE_AT + IN_IMAGE_DATA + in_data;
}

/* A ring of links; places[0] is the head. The head may be in the image. */
static inline void guest_ring(struct build_guest *g, const uint64_t *places, size_t n,
			      bool head_in_image)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t next = places[(i + 1) % n], last = places[(i + n - 1) % n];

		guest_u64(
			g, places[i],
			(head_in_image && next == places[0] ? g->k.image - IMAGE_AT : g->k.direct) +
				next);
		guest_u64(
			g, places[i] + 8,
			(head_in_image && last == places[0] ? g->k.image - IMAGE_AT : g->k.direct) +
				last);
	}
}

static inline uint64_t guest_task_at(unsigned int i)
{
	return TASKS_AT + (uint64_t)i * TASK_STEP;
}

static inline void guest_put_task(struct build_guest *g, unsigned int i, uint32_t pid,
				  uint32_t tgid, const char *comm)
{
	uint64_t at = guest_task_at(i);

	guest_u32(g, at + T_PID, pid);
	guest_u32(g, at + T_TGID, tgid);
	build_put(&g->k.memory, at + T_COMM, comm, strlen(comm) + 1);
	guest_u32(g, at + T_STATE, 1);
	guest_u32(g, at + T_CPU, i % 3);
	guest_u32(g, at + T_PRIO, 120);
	guest_u64(g, at + T_RUNTIME, 1000 * (uint64_t)pid);
	guest_u64(g, at + T_CGROUPS, guest_pointer(g, GROUPS_AT));
	guest_u64(g, at + T_CPUS, 5);
	guest_u64(g, at + T_PARENT, guest_pointer(g, guest_task_at(0)));
}

/* Processes 1 (one thread) and 7 (7 and 8), in the control group /a/b. */
static inline void guest_put_tasks(struct build_guest *g)
{
	uint64_t one = guest_task_at(0), seven = guest_task_at(1), eight = guest_task_at(2);
	uint64_t signal_one = one + TASK_STEP / 2, signal_seven = seven + TASK_STEP / 2;
	const uint64_t processes[] = { guest_data(IN_DATA_INIT_TASK) + T_TASKS, one + T_TASKS,
				       seven + T_TASKS };
	const uint64_t first[] = { signal_one + S_THREAD_HEAD, one + T_THREAD_NODE };
	const uint64_t second[] = { signal_seven + S_THREAD_HEAD, seven + T_THREAD_NODE,
				    eight + T_THREAD_NODE };
	/* css_set, cgroup, nodes of b, a and the root, names. */
	const uint64_t set = GROUPS_AT, cgroup = set + 0x40, node = set + 0x80;

	guest_put_task(g, 0, 1, 1, "init");
	guest_put_task(g, 1, 7, 7, "server");
	guest_put_task(g, 2, 8, 7, "wor\nker");
	guest_u32(g, eight + T_POLICY, 1);
	guest_u32(g, eight + T_RT_PRIORITY, 9);
	guest_u32(g, eight + T_PRIO, (uint32_t)-2);
	guest_u64(g, one + T_SIGNAL, guest_pointer(g, signal_one));
	guest_u64(g, seven + T_SIGNAL, guest_pointer(g, signal_seven));
	guest_u64(g, eight + T_SIGNAL, guest_pointer(g, signal_seven));
	guest_ring(g, processes, ARRAY_SIZE(processes), true);
	guest_ring(g, first, ARRAY_SIZE(first), false);
	guest_ring(g, second, ARRAY_SIZE(second), false);
	guest_u64(g, set + 8, guest_pointer(g, cgroup));
	guest_u64(g, cgroup + 16, guest_pointer(g, node));
	for (uint64_t i = 0; i < 3; i++) {
		guest_u64(g, node + 0x20 * i + 8,
			  i < 2 ? guest_pointer(g, node + 0x20 * (i + 1)) : 0);
		guest_u64(g, node + 0x20 * i + 16, guest_pointer(g, set + 0x200 + 8 * i));
	}
	build_put(&g->k.memory, set + 0x200, "b\0\0\0\0\0\0\0a", 10);
}

/* CPUs 0 to 2 are possible, 0 and 1 online; 7 runs on CPU 1, the others are idle. */
static inline uint64_t guest_rq_at(uint32_t cpu)
{
	return CPUS_AT + (uint64_t)CPU_BYTES * cpu + RQ_SYMBOL;
}

static inline void guest_put_rqs(struct build_guest *g)
{
	for (uint32_t cpu = 0; cpu < 3; cpu++) {
		uint64_t rq = guest_rq_at(cpu), idle = guest_pointer(g, guest_task_at(8 + cpu));

		guest_put_task(g, 8 + cpu, 0, 0, "swapper");
		guest_u32(g, rq + RQ_NR, cpu == 1 ? 3 : 0);
		guest_u32(g, rq + RQ_CFS, cpu == 1 ? 2 : 0);
		guest_u64(g, rq + RQ_CURR, cpu == 1 ? guest_pointer(g, guest_task_at(1)) : idle);
		guest_u64(g, rq + RQ_IDLE, idle);
		guest_u64(g, rq + RQ_CLOCK, 5000 + cpu);
	}
}

static inline void guest_put_modules(struct build_guest *g)
{
	static const char *const names[] = { "dummy", "ext\x1b" };
	const uint64_t links[] = { guest_data(IN_DATA_MODULES), MODULES_AT + M_LIST,
				   MODULES_AT + MODULE_STEP + M_LIST };

	guest_ring(g, links, ARRAY_SIZE(links), true);
	for (unsigned int i = 0; i < 2; i++) {
		uint64_t at = MODULES_AT + (uint64_t)i * MODULE_STEP;

		build_put(&g->k.memory, at + M_NAME, names[i], strlen(names[i]) + 1);
		guest_u64(g, at + M_BASE, UINT64_C(0xffffffffc0001000) + i * 0x10000);
		guest_u32(g, at + M_SIZE, 4096 * (i + 1));
	}
}

/* 12.5 s after its start, of which 2 s asleep; 10 ms of it as a fraction. */
static inline void guest_put_time(struct build_guest *g, uint64_t skip)
{
	uint64_t at = guest_data(IN_DATA_TIMEKEEPER) + skip;

	guest_u64(g, at + TK_BASE, UINT64_C(10490000000));
	guest_u64(g, at + TK_XTIME, UINT64_C(10000000) << 8);
	guest_u32(g, at + TK_SHIFT, 8);
	guest_u64(g, at + TK_BOOT, UINT64_C(2000000000));
	guest_u64(g, at + TK_REAL, UINT64_C(1000000000000000000));
}

static inline void guest_put_ring(struct build_guest *g, uint64_t tail, uint64_t head)
{
	uint64_t at = guest_data(IN_DATA_PRB);
	uint64_t ring = 0xe000;

	guest_u64(g, at, guest_pointer(g, ring));
	guest_u32(g, ring + PRB_COUNT_BITS, LOG_COUNT_BITS);
	guest_u64(g, ring + PRB_DESCS, guest_pointer(g, LOG_DESCS_AT));
	guest_u64(g, ring + PRB_INFOS, guest_pointer(g, LOG_INFOS_AT));
	guest_u64(g, ring + PRB_HEAD, head);
	guest_u64(g, ring + PRB_TAIL, tail);
	guest_u32(g, ring + PRB_SIZE_BITS, LOG_SIZE_BITS);
	guest_u64(g, ring + PRB_DATA, guest_pointer(g, LOG_TEXT_AT));
}

/* begin and next count on for ever; the text stands where it belongs, behind eight bytes. */
static inline void guest_put_record(struct build_guest *g, uint64_t id, uint64_t state,
				    uint64_t begin, uint64_t next, uint64_t text_at,
				    const char *text)
{
	uint64_t i = id & ((1 << LOG_COUNT_BITS) - 1);
	uint64_t desc = LOG_DESCS_AT + i * DESC_BYTES, info = LOG_INFOS_AT + i * INFO_BYTES;
	uint16_t n = (uint16_t)strlen(text);

	guest_u64(g, desc, state << 62 | (id & ((UINT64_C(1) << 62) - 1)));
	guest_u64(g, desc + 8, begin);
	guest_u64(g, desc + 16, next);
	guest_u64(g, info, id);
	guest_u64(g, info + 8, UINT64_C(1500000) * id);
	build_put(&g->k.memory, info + 16, &n, 2);
	build_put(&g->k.memory, info + 18, "\6", 1);
	guest_u64(g, LOG_TEXT_AT + text_at, id);
	build_put(&g->k.memory, LOG_TEXT_AT + text_at + 8, text, n);
}

/* Without types when bare. */
static inline struct build_guest *build_guest_with(bool bare, const struct build_symbol *more,
						   uint32_t n_more)
{
	struct build_guest *g = xnew(struct build_guest);
	struct kernel_form form = {
		.levels = 4, .mode = KMEM_KALLSYMS_RELATIVE, .more = more, .n_more = n_more
	};

	build_guest_types(&g->types);
	if (!bare)
		form.btf = build_bytes(&g->types);
	g->k = build_kernel_new(&form);
	guest_put_tasks(g);
	guest_put_rqs(g);
	guest_put_modules(g);
	guest_put_time(g, TK_SKIP);
	return g;
}

static inline struct build_guest *build_guest_new(bool bare)
{
	return build_guest_with(bare, NULL, 0);
}

static inline void guest_attach(struct build_guest *g)
{
	struct kmem_reader reader = build_reader(&g->k.memory);

	kmem_free(g->kmem);
	g->kmem = NULL;
	assert_success(kmem_attach(&reader, (struct bytes){ NULL, 0 }, NULL, &g->kmem));
}

static inline int guest_set_up(void **state)
{
	*state = build_guest_new(false);
	return 0;
}

static inline int guest_tear_down(void **state)
{
	struct build_guest *g = *state;

	kmem_free(g->kmem);
	build_kernel_deinit(&g->k);
	strbuf_deinit(&g->types);
	strbuf_deinit(&g->out);
	free(g);
	return 0;
}

/* What a view says, after attaching anew. */
static inline const char *guest_text(struct build_guest *g, const char *view, uint64_t max_entries,
				     size_t lines)
{
	struct dump_request request = { .max_entries = max_entries };
	struct dump_sink sink = dump_sink_to_text(&g->out, lines);

	guest_attach(g);
	strbuf_clear(&g->out);
	assert_success(dump_one(dump_view_find(view), g->kmem, &request, &sink));
	return strbuf_str(&g->out);
}

static inline const char *guest_json(struct build_guest *g, const char *view, uint64_t max_entries)
{
	struct dump_request request = { .max_entries = max_entries };
	struct json_writer writer = json_writer_to(&g->out, JSON_COMPACT);
	struct dump_sink sink = dump_sink_to_json(&writer);

	guest_attach(g);
	strbuf_clear(&g->out);
	assert_success(dump_one(dump_view_find(view), g->kmem, &request, &sink));
	return strbuf_str(&g->out);
}

static inline struct error *guest_fails(struct build_guest *g, const char *view)
{
	struct dump_request request = { 0 };
	struct dump_sink sink = dump_sink_to_text(&g->out, 100);

	guest_attach(g);
	return dump_one(dump_view_find(view), g->kmem, &request, &sink);
}

#define guest_test(fn) cmocka_unit_test_setup_teardown(fn, guest_set_up, guest_tear_down)

#endif
