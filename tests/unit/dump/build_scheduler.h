/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel in RAM that has loaded a scheduler: an arena with an allocator in it, the scheduler's
 * global variables, its types and a program that uses all of them. Offsets are those of this file.
 */
#ifndef KTSTR_TESTS_BUILD_SCHEDULER_H
#define KTSTR_TESTS_BUILD_SCHEDULER_H

#include "../kmem/build_kernel.h"
#include "build_sdt.h"
#include "dump/dump.h"
#include "sdt_types.h"
#include "../unit.h"

/* In the kernel's data, behind what build_kernel.h has there. */
enum { IN_DATA_MAP_IDR = 0x900, IN_DATA_PROG_IDR = 0xa00 };

enum {
	/* struct bpf_map */
	MAP_TYPE = 0,
	MAP_VALUE_SIZE = 8,
	MAP_ENTRIES = 12,
	MAP_ID = 20,
	MAP_BTF = 24,
	MAP_VALUE_TYPE = 36,
	MAP_NAME = 40,
	/* struct bpf_arena, bpf_array, bpf_prog_aux, btf */
	ARENA_START = 64,
	ARENA_END = 72,
	ARENA_VM = 80,
	ARENA_SCRATCH = 88,
	ARRAY_VALUE = 64,
	AUX_ARENA = 0,
	AUX_N_MAPS = 8,
	AUX_MAPS = 16,
	BTF_DATA = 0,
	BTF_SIZE = 8,
	/* Places in RAM; the arena has what is below. */
	AT_ARENA = 0x100000,
	AT_OTHER = 0x101000,
	AT_VM = 0x102000,
	AT_BSS = 0x103000,
	AT_BTF = 0x104000,
	AT_BTF_DATA = 0x108000,
	AT_PROGRAM = 0x105000,
	AT_AUX = 0x106000,
	AT_MAPS = 0x107000,
	AT_NODES = 0x110000,
	/* In .bss */
	BSS_ALLOCATOR = 16,
	BSS_STATIC = 64,
	BSS_FIRST = 88, /* points to a task_ctx; not beside an array of allocators */
	BSS_BYTES = 96,
	ELEMENT_BYTES = 24,
	N_ALLOCATORS = 2,
};

struct build_scheduler {
	struct strbuf types, program, out;
	bool has_array;	  /* of allocators, in place of one */
	uint32_t payload; /* type */
	struct build_kernel k;
	struct build_sdt *s;
	struct kmem *kmem;
};

static inline void build_scheduler_types(struct strbuf *out)
{
	struct build_btf b = { 0 };
	uint32_t word = build_btf_int(&b, "unsigned int", 4, 0);
	uint32_t byte = build_btf_int(&b, "unsigned char", 1, 0);
	uint32_t quad = build_btf_int(&b, "unsigned long", 8, 0);
	uint32_t pointer = build_btf_type(&b, "", 2, 0, 0);
	uint32_t text = build_btf_array(&b, byte, 16);
	uint32_t slots = build_btf_array(&b, pointer, 64);
	uint32_t root, map;

	BUILD_STRUCT(&b, "xa_node", 576, { "shift", byte, 0, 0 }, { "offset", byte, 8, 0 },
		     { "parent", pointer, 64, 0 }, { "slots", slots, 320, 0 });
	root = BUILD_STRUCT(&b, "xarray", 16, { "xa_head", pointer, 64, 0 });
	BUILD_STRUCT(&b, "idr", 24, { "idr_rt", root, 0, 0 });
	BUILD_STRUCT(&b, "btf", 32, { "data", pointer, 8 * BTF_DATA, 0 },
		     { "data_size", word, 8 * BTF_SIZE, 0 }, { "base_btf", pointer, 128, 0 });
	map = BUILD_STRUCT(&b, "bpf_map", 56, { "map_type", word, 8 * MAP_TYPE, 0 },
			   { "key_size", word, 32, 0 },
			   { "value_size", word, 8 * MAP_VALUE_SIZE, 0 },
			   { "max_entries", word, 8 * MAP_ENTRIES, 0 },
			   { "map_flags", word, 128, 0 }, { "id", word, 8 * MAP_ID, 0 },
			   { "btf", pointer, 8 * MAP_BTF, 0 }, { "btf_key_type_id", word, 256, 0 },
			   { "btf_value_type_id", word, 8 * MAP_VALUE_TYPE, 0 },
			   { "name", text, 8 * MAP_NAME, 0 });
	BUILD_STRUCT(&b, "bpf_arena", 96, { "map", map, 0, 0 },
		     { "user_vm_start", quad, 8 * ARENA_START, 0 },
		     { "user_vm_end", quad, 8 * ARENA_END, 0 },
		     { "kern_vm", pointer, 8 * ARENA_VM, 0 },
		     { "scratch_page", pointer, 8 * ARENA_SCRATCH, 0 });
	BUILD_STRUCT(&b, "vm_struct", 16, { "addr", pointer, 64, 0 });
	BUILD_STRUCT(&b, "page", 64, { "flags", quad, 0, 0 });
	BUILD_STRUCT(&b, "bpf_array", 128, { "map", map, 0, 0 },
		     { "value", text, 8 * ARRAY_VALUE, 0 });
	BUILD_STRUCT(&b, "bpf_prog", 16, { "type", word, 0, 0 }, { "aux", pointer, 64, 0 });
	BUILD_STRUCT(&b, "bpf_prog_aux", 24, { "arena", pointer, 8 * AUX_ARENA, 0 },
		     { "used_map_cnt", word, 8 * AUX_N_MAPS, 0 },
		     { "used_maps", pointer, 8 * AUX_MAPS, 0 });
	build_btf_finish(&b, out);
}

static inline uint32_t build_program_types(struct build_scheduler *b, uint32_t *ret_section)
{
	const struct sdt_form form = { .chunk = SDT_FORWARD, .data = SDT_FORWARD };
	struct build_btf t = { 0 };
	struct sdt_types types = build_sdt_types(&t, &form);
	uint32_t bump, payload, pairs, next, section[3][3];

	/* The struct comes right after the pointer to it. */
	next = build_btf_type(&t, "", 2, 0, t.n + 2);
	payload = BUILD_STRUCT(&t, "task_ctx", ELEMENT_BYTES - 8, { "pid", types.u64, 0, 0 },
			       { "next", next, 64, 0 });
	bump = BUILD_STRUCT(&t, "scx_static", 24, { "max_alloc_bytes", types.u64, 0, 0 },
			    { "memory", types.u64, 64, 0 }, { "off", types.u64, 128, 0 });
	pairs = build_btf_array(&t, build_btf_array(&t, types.allocator, 1), N_ALLOCATORS);
	section[0][0] = b->has_array ? build_btf_var(&t, "scx_allocators", pairs)
				     : build_btf_var(&t, "scx_task_allocator", types.allocator);
	section[0][1] = BSS_ALLOCATOR;
	section[0][2] = b->has_array ? 40 * N_ALLOCATORS : 40;
	section[1][0] = build_btf_var(&t, "scx_common", bump);
	section[1][1] = b->has_array ? BSS_BYTES : BSS_STATIC;
	section[1][2] = 24;
	section[2][0] = build_btf_var(&t, "first_ctx", next);
	section[2][1] = BSS_FIRST;
	section[2][2] = 8;
	*ret_section = build_btf_section(&t, ".bss", BSS_BYTES, section, b->has_array ? 2 : 3);
	build_btf_finish(&t, &b->program);
	return payload;
}

static inline void put32(struct build_scheduler *b, uint64_t at, uint32_t value)
{
	build_put(&b->k.memory, at, &value, 4);
}

static inline void put64(struct build_scheduler *b, uint64_t at, uint64_t value)
{
	build_put_u64(&b->k.memory, at, value);
}

static inline uint64_t pointer_to(const struct build_scheduler *b, uint64_t at)
{
	return b->k.direct + at;
}

static inline void put_map(struct build_scheduler *b, uint64_t at, uint32_t type, uint32_t id,
			   uint32_t entries, const char *name)
{
	put32(b, at + MAP_TYPE, type);
	put32(b, at + MAP_ID, id);
	put32(b, at + MAP_ENTRIES, entries);
	build_put(&b->k.memory, at + MAP_NAME, name, strlen(name) + 1);
}

/* An IDR with one node: ids from 1 on. */
static inline void put_idr(struct build_scheduler *b, uint64_t in_data, uint64_t node,
			   const uint64_t *places, unsigned int n)
{
	put64(b, IMAGE_AT + IN_IMAGE_DATA + in_data + 8, pointer_to(b, node) | 2);
	for (unsigned int i = 0; i < n; i++)
		put64(b, node + 40 + 8 * (i + 1), pointer_to(b, places[i]));
}

/* What the allocator has handed out is known to .bss only after this. */
static inline void put_allocator(struct build_scheduler *b)
{
	put64(b, AT_BSS + ARRAY_VALUE + BSS_ALLOCATOR + 8, b->s->elem_size);
	put64(b, AT_BSS + ARRAY_VALUE + BSS_ALLOCATOR + 32, b->s->root);
}

static inline void put_arena(struct build_scheduler *b, uint64_t at, uint32_t id, const char *name)
{
	put_map(b, at, 33, id, SDT_PAGES, name);
	put64(b, at + ARENA_START, SDT_USER);
	put64(b, at + ARENA_END, SDT_USER + (uint64_t)SDT_PAGES * 4096);
	put64(b, at + ARENA_VM, pointer_to(b, AT_VM));
}

static inline int scheduler_set_up_with(void **state, bool has_array)
{
	struct build_scheduler *b = xnew(struct build_scheduler);
	const struct build_symbol more[] = {
		{ IN_IMAGE_DATA + IN_DATA_MAP_IDR, 'D', "map_idr" },
		{ IN_IMAGE_DATA + IN_DATA_PROG_IDR, 'D', "prog_idr" },
	};
	struct kernel_form form = { .levels = 4,
				    .mode = KMEM_KALLSYMS_RELATIVE,
				    .more = more,
				    .n_more = ARRAY_SIZE(more) };
	uint32_t section;

	b->has_array = has_array;
	build_scheduler_types(&b->types);
	form.btf = build_bytes(&b->types);
	b->k = build_kernel_new(&form);
	b->s = build_sdt_new(ELEMENT_BYTES);
	/* The allocator's arena becomes a part of the kernel's RAM. */
	for (uint64_t i = 0; i < SDT_PAGES; i++) {
		uint64_t user = SDT_USER + i * 4096;

		build_map(&b->k.memory, sdt_kernel(user), sdt_physical(user), 12, MAP_WRITABLE);
	}
	free(b->s->memory.at);
	b->s->memory = b->k.memory;
	b->payload = build_program_types(b, &section);
	put_arena(b, AT_ARENA, 1, "the_arena");
	put64(b, AT_VM + 8, SDT_KERNEL - 0x8000);
	put_map(b, AT_BSS, 2, 2, 1, "sched.bss");
	put64(b, AT_BSS + MAP_BTF, pointer_to(b, AT_BTF));
	put32(b, AT_BSS + MAP_VALUE_TYPE, section);
	put32(b, AT_BSS + MAP_VALUE_SIZE, BSS_BYTES);
	put64(b, AT_BTF + BTF_DATA, pointer_to(b, AT_BTF_DATA));
	put32(b, AT_BTF + BTF_SIZE, (uint32_t)b->program.n);
	build_put(&b->k.memory, AT_BTF_DATA, b->program.at, b->program.n);
	put32(b, AT_PROGRAM, 27); /* BPF_PROG_TYPE_STRUCT_OPS */
	put64(b, AT_PROGRAM + 8, pointer_to(b, AT_AUX));
	put64(b, AT_AUX + AUX_ARENA, pointer_to(b, AT_ARENA));
	put64(b, AT_AUX + AUX_MAPS, pointer_to(b, AT_MAPS));
	put32(b, AT_AUX + AUX_N_MAPS, 2);
	put64(b, AT_MAPS, pointer_to(b, AT_ARENA));
	put64(b, AT_MAPS + 8, pointer_to(b, AT_BSS));
	put_idr(b, IN_DATA_MAP_IDR, AT_NODES, (const uint64_t[]){ AT_ARENA, AT_BSS }, 2);
	put_idr(b, IN_DATA_PROG_IDR, AT_NODES + 0x1000, (const uint64_t[]){ AT_PROGRAM }, 1);
	put_allocator(b);
	*state = b;
	return 0;
}

static inline int scheduler_set_up(void **state)
{
	return scheduler_set_up_with(state, false);
}

static inline int scheduler_tear_down(void **state)
{
	struct build_scheduler *b = *state;

	kmem_free(b->kmem);
	b->s->memory.at = NULL;
	build_sdt_free(b->s);
	build_kernel_deinit(&b->k);
	strbuf_deinit(&b->types);
	strbuf_deinit(&b->program);
	strbuf_deinit(&b->out);
	free(b);
	return 0;
}

static inline void scheduler_attach(struct build_scheduler *b)
{
	struct kmem_reader reader = build_reader(&b->k.memory);

	kmem_free(b->kmem);
	b->kmem = NULL;
	assert_success(kmem_attach(&reader, (struct bytes){ NULL, 0 }, NULL, &b->kmem));
}

static inline const char *scheduler_text(struct build_scheduler *b, const char *view,
					 uint64_t max_entries)
{
	struct dump_request request = { .max_entries = max_entries };
	struct dump_sink sink = dump_sink_to_text(&b->out, 100);

	scheduler_attach(b);
	strbuf_clear(&b->out);
	assert_success(dump_one(dump_view_find(view), b->kmem, &request, &sink));
	return strbuf_str(&b->out);
}

static inline const char *scheduler_json(struct build_scheduler *b, const char *view,
					 uint64_t max_entries)
{
	struct dump_request request = { .max_entries = max_entries };
	struct json_writer writer = json_writer_to(&b->out, JSON_COMPACT);
	struct dump_sink sink = dump_sink_to_json(&writer);

	scheduler_attach(b);
	strbuf_clear(&b->out);
	assert_success(dump_one(dump_view_find(view), b->kmem, &request, &sink));
	return strbuf_str(&b->out);
}

/* Two elements in the arena, the first points to the second and back; the first's payload. */
static inline uint64_t put_circle(struct build_scheduler *b)
{
	uint64_t one = sdt_alloc(b->s, 7) + 8, two = sdt_alloc(b->s, 8) + 8;

	sdt_put(b->s, one, 77);
	sdt_put(b->s, one + 8, two);
	sdt_put(b->s, two, 88);
	sdt_put(b->s, two + 8, one);
	put_allocator(b);
	put64(b, AT_BSS + ARRAY_VALUE + BSS_FIRST, one);
	return one;
}

/* An array of task_ctx that the program uses; its first value points to the first element. */
static inline void put_array(struct build_scheduler *b, uint64_t first)
{
	const uint64_t maps[] = { AT_ARENA, AT_BSS, AT_OTHER };

	put_map(b, AT_OTHER, 2, 3, 2, "ctx_array");
	put64(b, AT_OTHER + MAP_BTF, pointer_to(b, AT_BTF));
	put32(b, AT_OTHER + MAP_VALUE_TYPE, b->payload);
	put32(b, AT_OTHER + MAP_VALUE_SIZE, ELEMENT_BYTES - 8);
	put64(b, AT_OTHER + ARRAY_VALUE, 66);
	put64(b, AT_OTHER + ARRAY_VALUE + 8, first);
	put32(b, AT_AUX + AUX_N_MAPS, 3);
	put64(b, AT_MAPS + 16, pointer_to(b, AT_OTHER));
	put_idr(b, IN_DATA_MAP_IDR, AT_NODES, maps, 3);
}

static inline const char *scheduler_view(struct build_scheduler *b, const char *view,
					 const char *argument, bool as_json)
{
	struct dump_request request = { .argument = argument };
	struct json_writer writer = json_writer_to(&b->out, JSON_COMPACT);
	struct dump_sink sink = as_json ? dump_sink_to_json(&writer)
					: dump_sink_to_text(&b->out, 100);

	scheduler_attach(b);
	strbuf_clear(&b->out);
	assert_success(dump_one(dump_view_find(view), b->kmem, &request, &sink));
	return strbuf_str(&b->out);
}

#define scheduler_test(fn) \
	cmocka_unit_test_setup_teardown(fn, scheduler_set_up, scheduler_tear_down)

#endif
