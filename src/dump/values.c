// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/values.h"

#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "btf/value.h"
#include "btf/layout.h"
#include "dump/tasks.h"
#include "dump/member.h"
#include "text/terminal.h"

enum { USER_BITS = 47 }; /* of addresses of processes, and of arenas */

/* NULL: it was read. */
static const char *reason_of(enum kmem_status status)
{
	switch (status) {
	case KMEM_READ_OK:
		return NULL;
	case KMEM_READ_UNMAPPED:
		return "unmapped";
	case KMEM_READ_TORN:
		return "changed while read";
	default:
		return "outside RAM";
	}
}

/* While one tree is built. */
struct reading {
	struct dump_values *values;
	struct dump_owner owner;
};

static const struct dump_globals_scene *scene_of(struct dump_values *values)
{
	if (!values->scene) {
		values->scene = &values->own_scene;
		/* A kernel without BPF has no arena. */
		error_free(dump_globals_find(values->kmem, &values->own_scene));
	}
	return values->scene;
}

/* NULL: the address is none of an arena that the owner of the value uses. */
static const struct dump_arena *arena_of(const struct reading *reading, uint64_t address)
{
	struct dump_values *values = reading->values;
	const struct dump_arena *arena = reading->owner.arena;

	if (!arena && (!reading->owner.map || !address || address >> USER_BITS))
		return NULL;
	if (!arena && values->last_map != reading->owner.map) {
		values->last_arena = dump_globals_arena_of_map(scene_of(values),
							       reading->owner.map);
		values->last_map = reading->owner.map;
	}
	if (!arena)
		arena = dump_globals_arena(scene_of(values), values->last_arena, address);
	return arena && dump_arena_holds(arena, address) ? arena : NULL;
}

static enum kmem_status read_at(struct kmem_space *space, const struct dump_arena *arena,
				uint64_t address, void *to, size_t n)
{
	return arena ? dump_arena_read(space, arena, address, to, n)
		     : kmem_read(space, address, to, n, NULL);
}

static const char *read_memory(void *context, uint64_t address, void *to, size_t n)
{
	const struct reading *reading = context;

	return reason_of(
		read_at(&reading->values->kmem->space, arena_of(reading, address), address, to, n));
}

static bool is_function(const struct btf_value_pointer *pointer)
{
	struct btf_type type;

	return btf_resolve(pointer->btf, pointer->pointee, &type) == BTF_ANSWER_OK &&
	       type.kind == BTF_FUNC_PROTO;
}

/* A variable of the kernel: "fair_sched_class", "init_task+0x40". */
static void name_data(struct kmem *kmem, uint64_t address, struct strbuf *into)
{
	struct kmem_kallsyms *table;
	struct kmem_symbol symbol;
	struct error *err = kmem_names_table(&kmem->names, &table);

	if (!err && kmem_kallsyms_near(table, address, &symbol) &&
	    address - symbol.address < symbol.bytes) {
		text_escape(into, symbol.name);
		if (address != symbol.address)
			strbuf_appendf(into, "+0x%llx",
				       (unsigned long long)(address - symbol.address));
	}
	error_free(err);
}

static void name_code(struct dump_values *values, uint64_t address)
{
	struct dump_code_name name;

	if (!values->has_code)
		dump_code_init(&values->code, values->kmem);
	values->has_code = true;
	if (dump_code_name(&values->code, address, false, &name))
		dump_code_format(&name, &values->symbol);
}

/* Into an arena, and nowhere else; what is known at an address of the kernel has a name. */
static bool step(void *context, const struct btf_value_pointer *pointer,
		 struct btf_value_target *target)
{
	const struct reading *reading = context;
	struct dump_values *values = reading->values;
	struct btf_type type;

	strbuf_clear(&values->symbol);
	if (is_function(pointer))
		name_code(values, pointer->address);
	else if (dump_is_between(values->kmem, pointer->address, "_stext", "_end"))
		name_data(values->kmem, pointer->address, &values->symbol);
	if (values->symbol.n)
		target->symbol = strbuf_str(&values->symbol);
	if (is_function(pointer) || !arena_of(reading, pointer->address) ||
	    btf_resolve(target->btf, target->type, &type) != BTF_ANSWER_OK)
		return false;
	/* A full definition of the same name replaces a declaration. */
	if (type.kind == BTF_FWD && btf_find_body(target->btf, type.flag ? BTF_UNION : BTF_STRUCT,
						  type.name, &type) != BTF_BODY_FULL)
		return false;
	target->type = type.id;
	return true;
}

static const char *short_task(void *context, const struct btf_value_short_request *request,
			      struct strbuf *out)
{
	struct kmem *kmem = context;
	uint64_t pid;

	/* A pointer that does not lead to a task stays a number. */
	if (kmem_get(kmem, KMEM_F_TASK_PID, request->address, &pid) != KMEM_READ_OK)
		return "refused";
	dump_task_name(kmem, request->address, out);
	return NULL;
}

/* The path of a control group. */
static const char *short_cgroup(void *context, const struct btf_value_short_request *request,
				struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	if (dump_cgroup_path_of(context, request->address, &path) != KMEM_READ_OK)
		return "refused";
	text_escape(out, strbuf_str(&path));
	return NULL;
}

static void add_hole(struct dump_holes *holes, uint64_t offset, uint64_t n, const char *reason)
{
	struct btf_value_hole *last = holes->n ? &holes->at[holes->n - 1] : NULL;

	if (last && last->offset + last->n == offset && strcmp(last->reason, reason) == 0)
		last->n += n;
	else
		vec_push(holes, ((struct btf_value_hole){ offset, n, reason }));
}

void dump_read_with_holes(struct kmem_space *space, const struct dump_arena *arena,
			  uint64_t address, uint8_t *to, uint64_t bytes, struct dump_holes *ret)
{
	for (uint64_t done = 0; done < bytes;) {
		uint64_t left = KMEM_PAGE_BYTES - (address + done) % KMEM_PAGE_BYTES;
		uint64_t n = left < bytes - done ? left : bytes - done;
		enum kmem_status status = read_at(space, arena, address + done, to + done, n);

		if (status != KMEM_READ_OK) {
			memset(to + done, 0, n);
			add_hole(ret, done, n, kmem_status_name(status));
		}
		done += n;
	}
}

struct btf_value_tree *dump_value_of(struct dump_values *values, struct dump_owner owner,
				     const struct btf *btf, uint32_t type,
				     const struct btf_value_block *block)
{
	struct reading reading = { values, owner };
	struct kmem *kmem = values->kmem;
	uint32_t cpus = kmem->cpus.n;
	const struct btf_value_short shorts[] = {
		{ "task_struct", true, BTF_VALUE_SHORT, short_task, kmem },
		{ "cgroup", true, BTF_VALUE_SHORT, short_cgroup, kmem },
		{ "cpumask", true, BTF_VALUE_CPU_LIST, btf_value_short_cpus, &cpus },
		{ "bpf_cpumask", true, BTF_VALUE_CPU_LIST, btf_value_short_cpus, &cpus },
		{ "cpumask", false, BTF_VALUE_CPU_LIST, btf_value_short_cpus, &cpus },
		{ "bpf_cpumask", false, BTF_VALUE_CPU_LIST, btf_value_short_cpus, &cpus },
	};
	const struct btf_value_memory memory = { &reading, read_memory, step };
	const struct btf_value_options options = { .max_bytes = block->data.n +
								DUMP_LIMIT_FOLLOWED_BYTES,
						   .max_nodes = values->max_nodes,
						   .shorts = shorts,
						   .n_shorts = ARRAY_SIZE(shorts),
						   .memory = &memory };

	return btf_value_new(btf, btf ? type : 0, block, &options);
}

struct error *dump_value_read(struct dump_values *values, struct dump_owner owner,
			      const struct btf *btf, uint32_t type, uint64_t address,
			      uint64_t bytes, struct btf_value_tree **ret)
{
	_cleanup_free_ void *data = NULL;
	const struct reading reading = { values, owner };
	struct dump_holes holes = { 0 };
	struct error *err = alloc_checked(bytes ? bytes : 1, 1, DUMP_LIMIT_VALUE_BYTES,
					  "a value of the guest", &data);

	if (err)
		return err;
	dump_read_with_holes(&values->kmem->space, arena_of(&reading, address), address, data,
			     bytes, &holes);
	*ret = dump_value_of(values, owner, btf, type,
			     &(struct btf_value_block){ .data = { data, bytes },
							.holes = holes.at,
							.n_holes = holes.n,
							.address = address });
	vec_deinit(&holes);
	return NULL;
}

void dump_values_deinit(struct dump_values *values)
{
	if (values->has_code)
		dump_code_deinit(&values->code);
	dump_globals_deinit(&values->own_scene);
	strbuf_deinit(&values->symbol);
}

void dump_value_show(struct dump_sink *sink, const char *key, const char *label,
		     const struct btf_value_tree *tree, const struct btf_value_node *node)
{
	const struct btf_value_text_options options = { .zeros = sink->zeros, .count_zeros = true };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (sink->json) {
		json_key(sink->json, key);
		btf_value_write(tree, node, sink->json);
		return;
	}
	strbuf_appendf(&text, "%s = ", label);
	btf_value_format(tree, node, &options, &text);
	dump_lines(sink, strbuf_str(&text));
}
