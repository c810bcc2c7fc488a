/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small kernel with sched_ext and BPF objects in it. Layouts are of this file alone: the code
 * under test gets them from the types that stand beside them.
 */
#ifndef KTSTR_TESTS_BUILD_BPF_H
#define KTSTR_TESTS_BUILD_BPF_H

#include "../btf/build_btf.h"
#include "../kmem/build_kernel.h"
#include "kmem/kmem.h"
#include "unit.h"

/* Where members lie. */
enum {
	XA_SLOTS = 40,
	TASK_PID = 40,
	TASK_COMM = 48,
	TASK_SCX = 128,
	SCX_DSQ = TASK_SCX + 0,
	SCX_LINK = TASK_SCX + 8,
	SCX_LINK_FLAGS = TASK_SCX + 24,
	SCX_FLAGS = TASK_SCX + 32,
	SCX_RUNNABLE = TASK_SCX + 40,
	SCX_SINCE = TASK_SCX + 56,
	SCX_SLICE = TASK_SCX + 64,
	RQ_CURR = 8,
	RQ_SCX = 64,
	RQ_RUNNABLE = RQ_SCX + 64,
	RQ_SCX_NR = RQ_SCX + 80,
	RQ_FLAGS = RQ_SCX + 84,
	DSQ_LIST = 8,
	DSQ_NR = 24,
	DSQ_ID = 32,
	DSQ_NODE = 40,
	SCHED_TIMEOUT = 0,
	SCHED_NAME = 8,
	SCHED_HASH = 144,
	SCHED_GLOBAL = 160,
	SCHED_PCPU = 168,
	SCHED_EXIT_KIND = 176,
	SCHED_EXIT_INFO = 184,
	SCHED_WATCHDOG = 192,
	MAP_BYTES = 128,
	/* Variables, in the image. */
	AT_MAP_IDR = IN_IMAGE_DATA + 0x500,
	AT_PROG_IDR = IN_IMAGE_DATA + 0x540,
	AT_SCX_ROOT = IN_IMAGE_DATA + 0x580,
	AT_SCX_STATE = IN_IMAGE_DATA + 0x588,
	AT_JIFFIES = IN_IMAGE_DATA + 0x590,
	FIRST_FREE = 0x1000,
};

struct bpf_fixture {
	struct strbuf types;
	struct build_kernel k;
	struct kmem *kmem;
	uint64_t next;	    /* physical, free */
	uint64_t idr[2];    /* nodes of map_idr and prog_idr */
	uint32_t ops_value; /* type of a struct_ops value */
	struct strbuf text, json;
};

static inline void bpf_scx_types(struct build_btf *b, uint32_t word, uint32_t wide,
				 uint32_t pointer, uint32_t links, uint32_t name)
{
	uint32_t text = build_btf_array(b, build_btf_int(b, "char", 1, 2), 128);
	uint32_t none = build_btf_array(b, pointer, 0);
	uint32_t node = BUILD_STRUCT(b, "scx_dsq_list_node", 24, { "node", links, 0, 0 },
				     { "flags", word, 128, 0 });
	uint32_t entity = BUILD_STRUCT(b, "sched_ext_entity", 128, { "dsq", pointer, 0, 0 },
				       { "dsq_list", node, 64, 0 }, { "flags", word, 256, 0 },
				       { "runnable_node", links, 320, 0 },
				       { "runnable_at", wide, 448, 0 }, { "slice", wide, 512, 0 });
	uint32_t dsq = BUILD_STRUCT(b, "scx_dispatch_q", 64, { "list", links, 64, 0 },
				    { "nr", word, 192, 0 }, { "id", wide, 256, 0 },
				    { "hash_node", pointer, 320, 0 });
	uint32_t scx_rq = BUILD_STRUCT(b, "scx_rq", 160, { "local_dsq", dsq, 0, 0 },
				       { "runnable_list", links, 512, 0 },
				       { "nr_running", word, 640, 0 }, { "flags", word, 672, 0 });
	uint32_t ops = BUILD_STRUCT(b, "sched_ext_ops", 136, { "timeout_ms", word, 0, 0 },
				    { "name", text, 64, 0 });
	uint32_t table = BUILD_STRUCT(b, "rhashtable", 16, { "tbl", pointer, 0, 0 });
	uint32_t stats = BUILD_STRUCT(b, "scx_event_stats", 16, { "SCX_EV_ONE", wide, 0, 0 },
				      { "SCX_EV_TWO", wide, 64, 0 });

	BUILD_STRUCT(b, "task_struct", 512, { "tasks", links, 0, 0 },
		     { "thread_node", links, 128, 0 }, { "signal", pointer, 256, 0 },
		     { "pid", word, 320, 0 }, { "tgid", word, 352, 0 }, { "comm", name, 384, 0 },
		     { "__state", word, 512, 0 }, { "exit_state", word, 544, 0 },
		     { "scx", entity, 1024, 0 });
	BUILD_STRUCT(b, "signal_struct", 16, { "thread_head", links, 0, 0 });
	BUILD_STRUCT(b, "rq", 256, { "nr_running", word, 0, 0 }, { "curr", pointer, 64, 0 },
		     { "idle", pointer, 128, 0 }, { "clock", wide, 192, 0 },
		     { "scx", scx_rq, 512, 0 });
	BUILD_STRUCT(b, "scx_sched", 256, { "ops", ops, 0, 0 }, { "dsq_hash", table, 1152, 0 },
		     { "global_dsqs", pointer, 1280, 0 }, { "pcpu", pointer, 1344, 0 },
		     { "exit_kind", word, 1408, 0 }, { "exit_info", pointer, 1472, 0 },
		     { "watchdog_timeout", wide, 1536, 0 });
	BUILD_STRUCT(b, "scx_sched_pcpu", 16, { "event_stats", stats, 0, 0 });
	BUILD_STRUCT(b, "scx_exit_info", 32, { "exit_code", wide, 64, 0 },
		     { "reason", pointer, 128, 0 }, { "msg", pointer, 192, 0 });
	BUILD_STRUCT(b, "bucket_table", 16, { "size", word, 0, 0 }, { "nest", word, 32, 0 },
		     { "future_tbl", pointer, 64, 0 }, { "buckets", none, 128, 0 });
	build_btf_enum(b, "scx_enable_state", 4, false, false,
		       (const struct build_value[]){ { "SCX_ENABLING", 0 }, { "SCX_ENABLED", 1 } },
		       2);
	build_btf_enum(b, "scx_exit_kind", 4, false, false,
		       (const struct build_value[]){ { "SCX_EXIT_NONE", 0 },
						     { "SCX_EXIT_ERROR_STALL", 1026 } },
		       2);
	build_btf_enum(
		b, "scx_rq_flags", 4, false, false,
		(const struct build_value[]){ { "SCX_RQ_ONLINE", 1 }, { "SCX_RQ_BYPASSING", 16 } },
		2);
}

static inline void bpf_map_types(struct build_btf *b, struct bpf_fixture *f, uint32_t word,
				 uint32_t wide, uint32_t pointer, uint32_t links, uint32_t name)
{
	uint32_t byte = build_btf_int(b, "unsigned char", 1, 0);
	uint32_t tag = build_btf_array(b, byte, 8), none = build_btf_array(b, byte, 0);
	uint32_t map = BUILD_STRUCT(b, "bpf_map", MAP_BYTES, { "map_type", word, 0, 0 },
				    { "key_size", word, 32, 0 }, { "value_size", word, 64, 0 },
				    { "max_entries", word, 96, 0 }, { "map_flags", word, 128, 0 },
				    { "btf_key_type_id", word, 160, 0 },
				    { "btf_value_type_id", word, 192, 0 },
				    { "btf_vmlinux_value_type_id", word, 224, 0 },
				    { "btf", pointer, 256, 0 }, { "name", name, 320, 0 });
	uint32_t data = BUILD_STRUCT(b, "bpf_local_storage_data", 8, { "data", none, 64, 0 });
	uint32_t root = BUILD_STRUCT(b, "xarray", 16, { "xa_head", pointer, 64, 0 });
	uint32_t slots = build_btf_array(b, pointer, 64);
	uint32_t opaque = BUILD_STRUCT(b, "bpf_struct_ops_value", 8, { "common", wide, 0, 0 });

	BUILD_STRUCT(b, "bpf_array", MAP_BYTES, { "map", map, 0, 0 }, { "value", none, 1024, 0 },
		     { "pptrs", none, 1024, 0 });
	BUILD_STRUCT(b, "bpf_htab", 144, { "map", map, 0, 0 }, { "buckets", pointer, 1024, 0 },
		     { "n_buckets", word, 1088, 0 });
	/* Another of that name stands first. */
	BUILD_STRUCT(b, "bucket", 48, { "gen", word, 0, 0 });
	BUILD_STRUCT(b, "bucket", 16, { "head", pointer, 0, 0 }, { "raw_lock", word, 64, 0 });
	BUILD_STRUCT(b, "htab_elem", 24, { "hash_node", links, 0, 0 }, { "key", none, 192, 0 });
	BUILD_STRUCT(b, "bpf_struct_ops_map", 200, { "map", map, 0, 0 },
		     { "btf", pointer, 1024, 0 }, { "kvalue", opaque, 1536, 0 });
	f->ops_value = BUILD_STRUCT(b, "bpf_struct_ops_test", 16, { "state", word, 0, 0 },
				    { "calls", wide, 64, 0 });
	BUILD_STRUCT(b, "bpf_local_storage_map", 144, { "map", map, 0, 0 },
		     { "buckets", pointer, 1024, 0 }, { "bucket_log", word, 1088, 0 });
	BUILD_STRUCT(b, "bpf_local_storage_map_bucket", 16, { "list", pointer, 0, 0 });
	BUILD_STRUCT(b, "bpf_local_storage_elem", 40, { "map_node", links, 0, 0 },
		     { "local_storage", pointer, 128, 0 }, { "sdata", data, 192, 0 });
	BUILD_STRUCT(b, "bpf_local_storage", 8, { "owner", pointer, 0, 0 });
	BUILD_STRUCT(b, "bpf_prog", 48, { "type", word, 0, 0 }, { "jited_len", word, 64, 0 },
		     { "tag", tag, 96, 0 }, { "stats", pointer, 192, 0 },
		     { "aux", pointer, 320, 0 });
	BUILD_STRUCT(b, "bpf_prog_aux", 32, { "func_cnt", word, 0, 0 },
		     { "verified_insns", word, 32, 0 }, { "name", name, 64, 0 },
		     { "func", pointer, 192, 0 });
	BUILD_STRUCT(b, "bpf_prog_stats", 24, { "cnt", wide, 0, 0 }, { "nsecs", wide, 64, 0 },
		     { "misses", wide, 128, 0 });
	BUILD_STRUCT(b, "xa_node", 576, { "shift", byte, 0, 0 }, { "offset", byte, 8, 0 },
		     { "parent", pointer, 64, 0 }, { "slots", slots, 320, 0 });
	BUILD_STRUCT(b, "idr", 24, { "idr_rt", root, 0, 0 });
	BUILD_STRUCT(b, "btf", 128, { "data", pointer, 0, 0 }, { "data_size", word, 64, 0 },
		     { "base_btf", pointer, 128, 0 });
	build_btf_enum(b, "bpf_map_type", 4, false, false,
		       (const struct build_value[]){ { "BPF_MAP_TYPE_HASH", 1 },
						     { "BPF_MAP_TYPE_ARRAY", 2 },
						     { "BPF_MAP_TYPE_QUEUE", 22 } },
		       3);
	build_btf_enum(b, "bpf_prog_type", 4, false, false,
		       (const struct build_value[]){ { "BPF_PROG_TYPE_STRUCT_OPS", 27 } }, 1);
}

static inline void bpf_put_u32(struct bpf_fixture *f, uint64_t at, uint32_t value)
{
	build_put(&f->k.memory, at, &value, 4);
}

static inline void bpf_put_u64(struct bpf_fixture *f, uint64_t at, uint64_t value)
{
	build_put_u64(&f->k.memory, at, value);
}

/* Physical; the guest's pointer to it is bpf_at(). */
static inline uint64_t bpf_new(struct bpf_fixture *f, uint64_t bytes)
{
	uint64_t at = f->next;

	f->next += (bytes + 63) & ~UINT64_C(63);
	return at;
}

static inline uint64_t bpf_at(const struct bpf_fixture *f, uint64_t physical)
{
	return f->k.direct + physical;
}

/* What alloc_percpu() would have given: each CPU's copy is that far behind 0x100000. */
static inline uint64_t bpf_percpu(const struct bpf_fixture *f, uint64_t offset)
{
	return f->k.image + offset;
}

static inline uint64_t bpf_percpu_physical(uint32_t cpu, uint64_t offset)
{
	return 0x100000 + 0x8000 * cpu + offset;
}

static inline int bpf_set_up(void **state)
{
	static const struct build_symbol more[] = {
		{ AT_MAP_IDR, 'D', "map_idr" },	   { AT_PROG_IDR, 'D', "prog_idr" },
		{ AT_SCX_ROOT, 'B', "scx_root" },  { AT_SCX_STATE, 'D', "scx_enable_state_var" },
		{ AT_JIFFIES, 'D', "jiffies_64" }, { 0x380, 'T', "_etext" },
	};
	struct bpf_fixture *f = xnew(struct bpf_fixture);
	struct build_btf b = { 0 };
	uint32_t word = build_btf_int(&b, "unsigned int", 4, 0);
	uint32_t wide = build_btf_int(&b, "unsigned long", 8, 0);
	uint32_t pointer = build_btf_type(&b, "", 2, 0, 0);
	uint32_t links = build_btf_array(&b, pointer, 2);
	uint32_t name = build_btf_array(&b, build_btf_int(&b, "signed char", 1, 1), 16);
	struct kernel_form form = {
		.levels = 4, .mode = KMEM_KALLSYMS_PLACE, .more = more, .n_more = ARRAY_SIZE(more)
	};
	struct kmem_reader reader;

	bpf_scx_types(&b, word, wide, pointer, links, name);
	bpf_map_types(&b, f, word, wide, pointer, links, name);
	build_btf_finish(&b, &f->types);
	form.btf = build_bytes(&f->types);
	f->k = build_kernel_new(&form);
	f->next = FIRST_FREE;
	for (int i = 0; i < 2; i++) {
		f->idr[i] = bpf_new(f, 576);
		bpf_put_u64(f, IMAGE_AT + (i ? AT_PROG_IDR : AT_MAP_IDR) + 8,
			    bpf_at(f, f->idr[i]) | 2);
	}
	reader = build_reader(&f->k.memory);
	assert_success(kmem_attach(&reader, (struct bytes){ NULL, 0 }, NULL, &f->kmem));
	*state = f;
	return 0;
}

static inline int bpf_tear_down(void **state)
{
	struct bpf_fixture *f = *state;

	kmem_free(f->kmem);
	build_kernel_deinit(&f->k);
	strbuf_deinit(&f->types);
	strbuf_deinit(&f->text);
	strbuf_deinit(&f->json);
	free(f);
	return 0;
}

#define bpf_test(fn) cmocka_unit_test_setup_teardown(fn, bpf_set_up, bpf_tear_down)

/* A map with that id; what its kind needs is the test's. Returns its physical address. */
static inline uint64_t bpf_new_map(struct bpf_fixture *f, uint32_t id, uint32_t type,
				   const char *name, uint32_t key_bytes, uint32_t value_bytes,
				   uint32_t entries, uint64_t room)
{
	uint64_t map = bpf_new(f, MAP_BYTES + room);
	const uint32_t words[] = { type, key_bytes, value_bytes, entries };

	build_put(&f->k.memory, map, words, sizeof(words));
	build_put(&f->k.memory, map + 40, name, strlen(name));
	bpf_put_u64(f, f->idr[0] + XA_SLOTS + 8 * (uint64_t)id, bpf_at(f, map));
	return map;
}

/* Types of a program: u32, u64 and what the test adds; ids 1 and 2. */
static inline void bpf_give_types(struct bpf_fixture *f, uint64_t map, struct build_btf *b,
				  uint32_t key, uint32_t value)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	uint64_t btf = bpf_new(f, 128), blob;

	build_btf_finish(b, &bytes);
	blob = bpf_new(f, bytes.n);
	build_put(&f->k.memory, blob, bytes.at, bytes.n);
	bpf_put_u64(f, btf, bpf_at(f, blob));
	bpf_put_u32(f, btf + 8, (uint32_t)bytes.n);
	bpf_put_u64(f, map + 32, bpf_at(f, btf));
	bpf_put_u32(f, map + 20, key);
	bpf_put_u32(f, map + 24, value);
}

static inline uint64_t bpf_new_task(struct bpf_fixture *f, uint32_t pid, const char *comm)
{
	uint64_t task = bpf_new(f, 512);

	bpf_put_u32(f, task + TASK_PID, pid);
	build_put(&f->k.memory, task + TASK_COMM, comm, strlen(comm) + 1);
	return task;
}

/* As if the guest had not said which CPUs it has. */
static inline void bpf_lose_cpus(struct bpf_fixture *f)
{
	kmem_cpus_deinit(&f->kmem->cpus);
	f->kmem->no_cpus = kmem_error(KMEM_UNREAD, 0, "nobody knows");
}

/* A ring: the head, then `n` links, all physical. */
static inline void bpf_link(struct bpf_fixture *f, uint64_t head, const uint64_t *links, size_t n)
{
	uint64_t last = head;

	for (size_t i = 0; i < n; i++) {
		bpf_put_u64(f, last, bpf_at(f, links[i]));
		bpf_put_u64(f, links[i] + 8, bpf_at(f, last));
		last = links[i];
	}
	bpf_put_u64(f, last, bpf_at(f, head));
	bpf_put_u64(f, head + 8, bpf_at(f, last));
}

#endif
