// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/value_builder.h"

#include "base/alloc.h"
#include "btf/limits.h"

enum {
	MOST_HOLES = BTF_LIMIT_VALUE_TARGET_BYTES / BTF_VALUE_PAGE_BYTES + 2,
	/* What a search by name may cost, in steps. */
	SEARCH_WORK = 1 << 10,
};

static uint64_t hash_of(uint64_t address, uint32_t type)
{
	return hash_u64(address ^ (uint64_t)type << 40);
}

/* The node of that struct; 0: it is not shown yet. */
static uint32_t seen(const struct btf_value_builder *b, const struct btf *btf, uint32_t type,
		     uint64_t address)
{
	size_t at = 0;
	uint32_t n;

	while (hash_index_next(&b->seen, hash_of(address, type), &at, &n)) {
		const struct btf_value_node *node = &b->tree->nodes[n];

		if (node->address == address && node->type == type && node->btf == btf)
			return n;
	}
	return 0;
}

void btf_value_remember(struct btf_value_builder *b, uint32_t n)
{
	const struct btf_value_node *node = btf_value_at(b, n);

	/* Nodes are looked up only when pointers are followed. */
	if (b->options->memory && !seen(b, node->btf, node->type, node->address))
		hash_index_add(&b->seen, hash_of(node->address, node->type), n);
}

static void give_reason(struct btf_value_builder *b, uint32_t n, const char *reason)
{
	btf_value_at(b, n)->reason = btf_value_keep(b, reason, strlen(reason));
}

/* Refers to what is shown already, and says whether the pointer lies in it. */
static void refer(struct btf_value_builder *b, uint32_t pointer, uint32_t target)
{
	struct btf_value_node *node = btf_value_at(b, pointer);

	if (!btf_value_at(b, target)->label)
		btf_value_at(b, target)->label = ++b->tree->labels;
	node->ref = btf_value_at(b, target)->label;
	for (uint32_t i = pointer; i; i = btf_value_at(b, i)->parent) {
		if (i == target) {
			node->is_cycle = true;
			give_reason(b, pointer, "cycle");
			return;
		}
	}
}

/* The body of a type that is only declared, in the same BTF and of the same kind. */
static enum btf_answer body_of(struct btf_value_builder *b, const struct btf *btf, uint32_t id,
			       struct btf_type *ret)
{
	enum btf_answer answer = btf_resolve(btf, id, ret);
	struct btf_type forward = *ret;

	if (answer != BTF_ANSWER_OK || forward.kind != BTF_FWD)
		return answer;
	/* A name that many types share makes this slow. */
	b->work -= SEARCH_WORK;
	if (btf_find_body(btf, forward.flag ? BTF_UNION : BTF_STRUCT, forward.name, ret) ==
	    BTF_BODY_FULL)
		return BTF_ANSWER_OK;
	return BTF_ANSWER_FORWARD;
}

/* Page by page; what cannot be read is a hole. False when nothing could be read at all. */
static bool read_target(const struct btf_value_memory *memory, struct btf_value_block *block,
			uint8_t *to, struct btf_value_hole *holes)
{
	uint64_t n = block->data.n, n_unread = 0;

	for (uint64_t done = 0, part; done < n; done += part) {
		uint64_t address = block->address + done;
		const char *reason;

		part = BTF_VALUE_PAGE_BYTES - (address & (BTF_VALUE_PAGE_BYTES - 1));
		if (part > n - done)
			part = n - done;
		reason = memory->read(memory->context, address, to + done, part);
		if (!reason)
			continue;
		holes[block->n_holes++] = (struct btf_value_hole){ done, part, reason };
		n_unread += part;
	}
	return n_unread < n;
}

static uint64_t affordable(const struct btf_value_builder *b, uint64_t size)
{
	if (size > BTF_LIMIT_VALUE_TARGET_BYTES)
		size = BTF_LIMIT_VALUE_TARGET_BYTES;
	return size < b->bytes_left ? size : b->bytes_left;
}

static void enter_target(struct btf_value_builder *b, const struct btf_value_pending *p,
			 const struct btf_value_target *target, const struct btf_type *type,
			 uint64_t size)
{
	uint64_t n = affordable(b, size);
	_cleanup_free_ uint8_t *bytes = xcalloc(n, 1);
	struct btf_value_hole holes[MOST_HOLES];
	struct btf_value_block block = { { bytes, n }, holes, 0, target->address };
	struct btf_value_spot spot = {
		.btf = target->btf,
		.type = type->id,
		.block = &block,
		.parent = p->node,
		.depth = p->depth + 1,
	};

	if (!read_target(b->options->memory, &block, bytes, holes)) {
		give_reason(b, p->node, holes[block.n_holes - 1].reason);
		return;
	}
	b->bytes_left -= n;
	b->tree->bytes += n;
	b->tree->followed++;
	b->followed = p->followed + 1;
	if (n < size)
		b->tree->is_cut = true;
	btf_value_decode(b, &spot);
}

static void follow(struct btf_value_builder *b, const struct btf_value_pending *p,
		   const struct btf_value_target *target)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	uint64_t size = 0, end;
	enum btf_answer answer;
	struct btf_type type;
	uint32_t known;

	if (b->work <= 0) {
		b->tree->is_cut = true;
		give_reason(b, p->node, "budget for following pointers exhausted");
		return;
	}
	answer = body_of(b, target->btf, target->type, &type);
	if (answer == BTF_ANSWER_OK)
		answer = btf_size(target->btf, type.id, &size);
	if (answer != BTF_ANSWER_OK) {
		btf_type_format(target->btf, target->type, &text);
		strbuf_appendf(&text, " %s", btf_answer_text(answer));
		give_reason(b, p->node, strbuf_str(&text));
		return;
	}
	known = seen(b, target->btf, type.id, target->address);
	if (known)
		refer(b, p->node, known);
	else if (size == 0 || !add_fits_u64(target->address, size, &end))
		give_reason(b, p->node, "no size, or beyond the end of memory");
	else if (p->depth + 1 >= BTF_LIMIT_VALUE_NESTING)
		give_reason(b, p->node, "nested too deeply");
	else if (b->tree->followed >= BTF_LIMIT_VALUE_FOLLOWED || b->bytes_left == 0 ||
		 b->tree->n > b->max_nodes) {
		b->tree->is_cut = true;
		give_reason(b, p->node, "budget for following pointers exhausted");
	} else
		enter_target(b, p, target, &type, size);
}

/* A word of its own for what is behind the pointer; false when there is none. */
static bool short_target(struct btf_value_builder *b, uint32_t n,
			 const struct btf_value_pointer *pointer)
{
	const struct btf_value_options *options = b->options;
	struct btf_value_short_request request = {
		.address = pointer->address,
		.memory = options->memory,
	};

	for (size_t i = 0; i < options->n_shorts; i++) {
		const struct btf_value_short *row = &options->shorts[i];
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
		const char *reason;

		if (!row->behind_pointer || strcmp(row->type, pointer->pointee_name) != 0)
			continue;
		reason = row->fn(row->context, &request, &text);
		if (reason)
			give_reason(b, n, reason);
		else
			btf_value_at(b, n)->text = btf_value_keep(b, strbuf_str(&text), text.n);
		return true;
	}
	return false;
}

static void follow_one(struct btf_value_builder *b, const struct btf_value_pending *p)
{
	const struct btf_value_memory *memory = b->options->memory;
	struct btf_value_pointer pointer = { .btf = btf_value_at(b, p->node)->btf,
					     .address = btf_value_at(b, p->node)->value,
					     .member = btf_value_at(b, p->node)->name,
					     .pointee_name = "",
					     .followed = p->followed };
	struct btf_value_target target = { .btf = pointer.btf, .address = pointer.address };
	struct btf_type type;
	bool follows;

	if (!btf_type(pointer.btf, btf_value_at(b, p->node)->type, &type))
		return;
	target.type = pointer.pointee = type.size_or_type;
	if (btf_resolve(pointer.btf, pointer.pointee, &type) == BTF_ANSWER_OK)
		pointer.pointee_name = type.name;
	if (short_target(b, p->node, &pointer) || !memory->step)
		return;
	follows = memory->step(memory->context, &pointer, &target);
	if (target.symbol)
		btf_value_at(b, p->node)->symbol = btf_value_keep(b, target.symbol,
								  strlen(target.symbol));
	if (follows)
		follow(b, p, &target);
}

void btf_value_follow(struct btf_value_builder *b)
{
	/* The queue grows while it is worked on. */
	for (size_t i = 0; i < b->pending.n; i++) {
		struct btf_value_pending p = b->pending.at[i];

		follow_one(b, &p);
	}
}
