// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/values.h"

#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "btf/value_text.h"
#include "btf/value_write.h"
#include "btf/layout.h"
#include "dump/cgroup.h"
#include "dump/code.h"
#include "dump/kernel_read.h"
#include "text/escape.h"

static enum value_read read_as_value(enum kmem_status status)
{
	switch (status) {
	case KMEM_READ_OK:
		return VALUE_READ_OK;
	case KMEM_READ_UNMAPPED:
		return VALUE_READ_UNMAPPED;
	case KMEM_READ_TORN:
		return VALUE_READ_TORN;
	default:
		return VALUE_READ_OUTSIDE;
	}
}

/* While one tree is built. */
struct reading {
	struct kmem *kmem;
	struct dump_code code; /* made when the first pointer asks for it */
	bool has_code;
	struct strbuf symbol;
};

static enum value_read read_memory(void *context, uint64_t address, void *to, size_t n)
{
	struct kmem *kmem = ((struct reading *)context)->kmem;

	return read_as_value(kmem_read(&kmem->space, address, to, n, NULL));
}

static bool is_function(const struct value_pointer *pointer)
{
	struct btf_type type;

	return btf_resolve(pointer->btf, pointer->pointee, &type) == BTF_ANSWER_OK &&
	       type.kind == BTF_FUNC_PROTO;
}

/* A variable of the kernel: "fair_sched_class", "init_task+0x40". */
static void name_data(struct reading *reading, uint64_t address)
{
	struct kmem_kallsyms *table;
	struct kmem_symbol symbol;
	struct error *err = kmem_names_table(&reading->kmem->names, &table);

	if (!err && kmem_kallsyms_near(table, address, &symbol) &&
	    address - symbol.address < symbol.bytes) {
		text_escape(&reading->symbol, symbol.name);
		if (address != symbol.address)
			strbuf_appendf(&reading->symbol, "+0x%llx",
				       (unsigned long long)(address - symbol.address));
	}
	error_free(err);
}

static bool is_in_image(struct kmem *kmem, uint64_t address)
{
	uint64_t start, end;
	struct error *err = kmem_symbol(kmem, "_stext", &start);

	if (!err)
		err = kmem_symbol(kmem, "_end", &end);
	error_free(err);
	return !err && address >= start && address < end;
}

/* No pointer is followed, but what is known at that address has a name. */
static enum value_step name_pointer(void *context, const struct value_pointer *pointer,
				    struct value_target *target)
{
	struct reading *reading = context;
	struct dump_code_name name;

	strbuf_clear(&reading->symbol);
	if (is_function(pointer)) {
		if (!reading->has_code)
			dump_code_init(&reading->code, reading->kmem);
		reading->has_code = true;
		if (dump_code_name(&reading->code, pointer->address, false, &name))
			dump_code_format(&name, &reading->symbol);
	} else if (is_in_image(reading->kmem, pointer->address)) {
		name_data(reading, pointer->address);
	}
	if (reading->symbol.n)
		target->symbol = strbuf_str(&reading->symbol);
	return VALUE_STEP_LEAVE;
}

static enum value_read short_task(void *context, const struct value_short_request *request,
				  struct strbuf *out)
{
	struct kmem *kmem = context;
	uint64_t pid;

	/* What is no task any more, or never was, stays a number. */
	if (kmem_field_read(&kmem->fields, &kmem->space, KMEM_F_TASK_PID, request->address, &pid) !=
	    KMEM_READ_OK)
		return VALUE_READ_REFUSED;
	dump_task_name(kmem, request->address, out);
	return VALUE_READ_OK;
}

/* The path of a control group. */
static enum value_read short_cgroup(void *context, const struct value_short_request *request,
				    struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	if (dump_cgroup_path_of(context, request->address, &path) != KMEM_READ_OK)
		return VALUE_READ_REFUSED;
	text_escape(out, strbuf_str(&path));
	return VALUE_READ_OK;
}

struct hole_list {
	VEC(struct value_hole) at;
};

static void add_hole(struct hole_list *holes, uint64_t offset, uint64_t n, const char *reason)
{
	struct value_hole *last = holes->at.n ? &holes->at.at[holes->at.n - 1] : NULL;

	if (last && last->offset + last->n == offset && strcmp(last->reason, reason) == 0)
		last->n += n;
	else
		vec_push(&holes->at, ((struct value_hole){ offset, n, reason }));
}

/* Page by page: one that is missing does not take the others with it. */
static void read_with_holes(struct kmem *kmem, uint64_t address, uint8_t *to, uint64_t bytes,
			    struct hole_list *holes)
{
	for (uint64_t done = 0; done < bytes;) {
		uint64_t left = KMEM_PAGE_BYTES - (address + done) % KMEM_PAGE_BYTES;
		uint64_t n = left < bytes - done ? left : bytes - done;
		enum kmem_status status = kmem_read(&kmem->space, address + done, to + done, n,
						    NULL);

		if (status != KMEM_READ_OK) {
			memset(to + done, 0, n);
			add_hole(holes, done, n, kmem_status_word(status));
		}
		done += n;
	}
}

static struct value_tree *build(struct kmem *kmem, const struct btf *btf, uint32_t type,
				const struct value_block *block)
{
	struct reading reading = { .kmem = kmem, .symbol = STRBUF_INIT };
	struct value_cpus cpus = { .n_cpus = kmem->cpus.n };
	const struct value_short shorts[] = {
		{ "task_struct", true, VALUE_SHORT, short_task, kmem },
		{ "cgroup", true, VALUE_SHORT, short_cgroup, kmem },
		{ "cpumask", true, VALUE_CPU_LIST, value_short_cpus, &cpus },
		{ "bpf_cpumask", true, VALUE_CPU_LIST, value_short_cpus, &cpus },
		{ "cpumask", false, VALUE_CPU_LIST, value_short_cpus, &cpus },
		{ "bpf_cpumask", false, VALUE_CPU_LIST, value_short_cpus, &cpus },
	};
	const struct value_memory memory = { .context = &reading,
					     .read = read_memory,
					     .step = name_pointer };
	const struct value_options options = { .max_bytes = DUMP_LIMIT_VALUE_BYTES,
					       .shorts = shorts,
					       .n_shorts = ARRAY_SIZE(shorts),
					       .memory = &memory };
	struct value_tree *tree = value_new(btf, btf ? type : 0, block, &options);

	if (reading.has_code)
		dump_code_deinit(&reading.code);
	strbuf_deinit(&reading.symbol);
	return tree;
}

struct value_tree *dump_value_of(struct kmem *kmem, const struct btf *btf, uint32_t type,
				 struct bytes bytes)
{
	return build(kmem, btf, type, &(struct value_block){ .data = bytes });
}

struct error *dump_value_read(struct kmem *kmem, const struct btf *btf, uint32_t type,
			      uint64_t address, uint64_t bytes, struct value_tree **ret)
{
	_cleanup_free_ void *data = NULL;
	struct hole_list holes = { 0 };
	struct error *err = alloc_checked(bytes ? bytes : 1, 1, DUMP_LIMIT_VALUE_BYTES,
					  "a value of the guest", &data);

	if (err)
		return err;
	read_with_holes(kmem, address, data, bytes, &holes);
	*ret = build(kmem, btf, type,
		     &(struct value_block){ .data = { data, bytes },
					    .holes = holes.at.at,
					    .n_holes = holes.at.n,
					    .address = address });
	vec_deinit(&holes.at);
	return NULL;
}

static void begin_object(void *context)
{
	json_begin_object(context);
}
static void end_object(void *context)
{
	json_end_object(context);
}
static void begin_array(void *context)
{
	json_begin_array(context);
}
static void end_array(void *context)
{
	json_end_array(context);
}
static void write_key(void *context, const char *key)
{
	json_key(context, key);
}
static void write_null(void *context)
{
	json_write_null(context);
}
static void write_bool(void *context, bool value)
{
	json_write_bool(context, value);
}
static void write_u64(void *context, uint64_t value)
{
	json_write_u64(context, value);
}
static void write_i64(void *context, int64_t value)
{
	json_write_i64(context, value);
}
static void write_double(void *context, double value)
{
	json_write_double(context, value);
}
static void write_string(void *context, const char *text)
{
	json_write_string(context, text);
}

void dump_value_write(struct json_writer *json, const struct value_tree *tree)
{
	static const struct value_sink sink = {
		.begin_object = begin_object,
		.end_object = end_object,
		.begin_array = begin_array,
		.end_array = end_array,
		.key = write_key,
		.write_null = write_null,
		.write_bool = write_bool,
		.write_u64 = write_u64,
		.write_i64 = write_i64,
		.write_double = write_double,
		.write_string = write_string,
	};

	value_write(tree, value_root(tree), &sink, json);
}

void dump_value_text(struct dump_sink *sink, const char *label, const struct value_tree *tree,
		     const struct value_node *node)
{
	const struct value_text_options options = { .zeros = sink->zeros, .count_zeros = true };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_appendf(&text, "%s = ", label);
	value_format(tree, node, &options, &text);
	dump_lines(sink, strbuf_str(&text));
}
