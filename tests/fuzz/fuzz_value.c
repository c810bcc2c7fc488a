// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/btf/value.c src/btf/value_array_text.c src/btf/value_follow.c src/btf/value_scalar.c
 * src/btf/value_short.c src/btf/value_simple.c src/btf/value_struct.c src/btf/value_text.c
 * src/btf/value_write.c */
/*
 * Eight bytes of choices, among them how long the BTF is; the BTF; then memory, whose beginning is
 * the value. Addresses in it are offsets from MEMORY_AT.
 */
#include "fuzz.h"

#include <string.h>

#include "../unit/btf/json_sink.h"
#include "../unit/btf/value_find.h"
#include "btf/value.h"
#include "json/doc.h"

#define MEMORY_AT UINT64_C(0xffff888000000000)

struct world {
	struct bytes memory;
	uint8_t choices[8];
	uint32_t steps;
};

enum { CHOOSE_FOLLOW = 1, CHOOSE_ZEROS = 4, CHOOSE_HOLE = 8, CHOOSE_FEW = 16, CHOOSE_NARROW = 32 };

static const char *read_memory(void *context, uint64_t address, void *to, size_t n)
{
	const struct world *world = context;
	uint64_t at = address - MEMORY_AT;

	if (n == 0 || address / 4096 != (address + n - 1) / 4096)
		__builtin_trap();
	if (at > world->memory.n || n > world->memory.n - at)
		return at & 1 ? "changed while read" : "unmapped";
	memcpy(to, world->memory.at + at, n);
	return NULL;
}

static bool step(void *context, const struct btf_value_pointer *pointer,
		 struct btf_value_target *target)
{
	struct world *world = context;

	world->steps++;
	if (pointer->address % 16 == 1) {
		target->symbol = "symbol";
		return false;
	}
	if (pointer->address % 16 == 2)
		target->address &= ~UINT64_C(15);
	return pointer->followed <= 20;
}

static const char *name_it(void *context UNUSED, const struct btf_value_short_request *request,
			   struct strbuf *out)
{
	uint8_t byte = 0;
	const char *reason = NULL;

	if (request->bytes.n)
		byte = request->bytes.at[0];
	else if (request->memory)
		reason = request->memory->read(request->memory->context, request->address, &byte,
					       1);
	strbuf_appendf(out, "short[%u]", byte);
	return reason;
}

static void check_tree(const struct btf_value_tree *tree, uint32_t max_nodes)
{
	if (tree->n < 2 || tree->n - 1 > max_nodes)
		__builtin_trap();
	for (uint32_t i = 1; i < tree->n; i++) {
		const struct btf_value_node *node = &tree->nodes[i];

		if (node->parent >= i || node->shown > node->n)
			__builtin_trap();
		/* What is not known is not 0. */
		if (node->zero &&
		    (node->kind == BTF_VALUE_UNREADABLE || node->kind == BTF_VALUE_TRUNCATED ||
		     node->kind == BTF_VALUE_UNSUPPORTED))
			__builtin_trap();
		if ((node->kind == BTF_VALUE_UNREADABLE || node->kind == BTF_VALUE_UNSUPPORTED) &&
		    (!node->reason || !node->reason[0]))
			__builtin_trap();
	}
}

static void check_text(const struct btf_value_tree *tree, const struct world *world)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct btf_value_text_options options = {
		.zeros = world->choices[0] & CHOOSE_ZEROS,
		.columns = world->choices[0] & CHOOSE_NARROW ? 30 : 0,
	};

	btf_value_format(tree, btf_value_root(tree), &options, &text);
	for (size_t i = 0; i < text.n; i++) {
		/* Nothing moves the cursor of who reads it. */
		if (((unsigned char)text.at[i] < ' ' && text.at[i] != '\n') || text.at[i] == 0x7f)
			__builtin_trap();
	}
}

static void check_json(const struct btf_value_tree *tree)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	_cleanup_error_ struct error *err = NULL;

	value_write_json(tree, btf_value_root(tree), &text);
	err = json_doc_parse(strbuf_str(&text), text.n, "values", &doc);
	if (err)
		__builtin_trap();
}

static void check_find(const struct btf_value_tree *tree)
{
	static const char *const paths[] = {
		"",	  "next",   "dsqs[1].list.next", "curr.rq.curr.pid",
		"[3]",	  "[0].id", "words[1]",		 "a[",
		"bits[0]"
	};

	for (size_t k = 0; k < ARRAY_SIZE(paths); k++) {
		const struct btf_value_node *node = btf_value_find(tree, btf_value_root(tree),
								   paths[k]);

		/* A node of this tree, or none. */
		if (node && (node <= tree->nodes || node >= tree->nodes + tree->n))
			__builtin_trap();
	}
}

static void build(const struct btf *btf, struct world *world)
{
	uint32_t cpus = world->choices[6];
	const struct btf_value_short shorts[] = {
		{ "cpumask_t", false, BTF_VALUE_CPU_LIST, btf_value_short_cpus, &cpus },
		{ "cpumask", true, BTF_VALUE_CPU_LIST, btf_value_short_cpus, &cpus },
		{ "task", true, BTF_VALUE_SHORT, name_it, NULL },
		{ "u32", false, BTF_VALUE_SHORT, name_it, NULL },
	};
	struct btf_value_memory memory = { world, read_memory, step };
	const struct btf_value_hole hole = { world->choices[7], 1 + world->choices[6], "unmapped" };
	bool few = world->choices[0] & CHOOSE_FEW;
	struct btf_value_options options = {
		.max_nodes = few ? 8 : 300,
		.max_bytes = few ? 64 : 0,
		.max_elements = few ? 3 : 0,
		.shorts = shorts,
		.n_shorts = world->choices[5] % 5,
		.memory = world->choices[0] & CHOOSE_FOLLOW ? &memory : NULL,
	};
	struct btf_value_block block = {
		.data = world->memory,
		.holes = &hole,
		.n_holes = world->choices[0] & CHOOSE_HOLE ? 1 : 0,
		.address = MEMORY_AT,
	};
	uint32_t type = world->choices[1] % (btf_n_types(btf) + 1);
	_cleanup_btf_value_ struct btf_value_tree *tree = btf_value_new(btf, type, &block,
									&options);

	check_tree(tree, options.max_nodes);
	check_text(tree, world);
	check_json(tree);
	check_find(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct world world = { 0 };
	struct btf *btf = NULL;
	struct error *err;
	size_t btf_n;

	if (n < sizeof(world.choices))
		return 0;
	memcpy(world.choices, data, sizeof(world.choices));
	data += sizeof(world.choices);
	n -= sizeof(world.choices);
	btf_n = world.choices[2] | (size_t)world.choices[3] << 8;
	if (btf_n > n)
		btf_n = n;
	world.memory = (struct bytes){ data + btf_n, n - btf_n };
	err = btf_parse((struct bytes){ data, btf_n }, "fuzz", &btf);
	if (!err) {
		fuzz_mark_deep();
		build(btf, &world);
	}
	error_free(err);
	btf_free(btf);
	return 0;
}
