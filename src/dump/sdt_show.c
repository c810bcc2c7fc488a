// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/sdt_show.h"

#include "btf/layout.h"
#include "btf/value_text.h"
#include "dump/values.h"
#include "text/escape.h"

struct show {
	struct kmem_space *space;
	const struct sdt_allocator *allocator;
	struct sdt_payload payload;
	struct sdt_walk walk;
	const struct dump_sink *sink;
	struct json_writer *json; /* of the sink, or */
	struct dump_sink lines;
	bool has_entries;
};

static enum value_read read_arena(void *context, uint64_t address, void *to, size_t n)
{
	struct show *show = context;

	switch (arena_read(show->space, show->allocator->arena, address, to, n)) {
	case KMEM_READ_OK:
		return VALUE_READ_OK;
	case KMEM_READ_OUTSIDE:
		return VALUE_READ_OUTSIDE;
	case KMEM_READ_TORN:
		return VALUE_READ_TORN;
	default:
		return VALUE_READ_UNMAPPED;
	}
}

/* Into the arena, and nowhere else; a body of the same name stands in for a declaration. */
static enum value_step step_arena(void *context, const struct value_pointer *pointer,
				  struct value_target *target)
{
	struct show *show = context;
	struct btf_type type;

	if (!arena_holds(show->allocator->arena, pointer->address))
		return VALUE_STEP_LEAVE;
	if (btf_resolve(target->btf, target->type, &type) != BTF_ANSWER_OK)
		return VALUE_STEP_LEAVE;
	if (type.kind == BTF_FWD) {
		if (btf_find_body(target->btf, type.flag ? BTF_UNION : BTF_STRUCT, type.name,
				  &type) != BTF_BODY_FULL)
			return VALUE_STEP_LEAVE;
		target->type = type.id;
	}
	return VALUE_STEP_FOLLOW;
}

static void write_entry(struct show *show, const struct sdt_entry *entry,
			const struct value_tree *tree)
{
	struct json_writer *json = show->json;

	if (!show->has_entries) {
		json_key(json, "entries");
		json_begin_array(json);
	}
	show->has_entries = true;
	json_begin_object(json);
	json_add_i64(json, "idx", entry->idx);
	json_add_i64(json, "genn", entry->genn);
	dump_add_hex(json, "user_addr", entry->user_addr);
	json_key(json, "payload");
	dump_value_write(json, tree);
	json_end_object(json);
}

static void show_entry(void *context, const struct sdt_entry *entry)
{
	struct show *show = context;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const struct value_memory memory = { show, read_arena, step_arena };
	const struct value_options options = { .max_bytes = DUMP_LIMIT_PAYLOAD_BYTES,
					       .max_nodes = DUMP_LIMIT_PAYLOAD_NODES,
					       .memory = &memory };
	_cleanup_value_ struct value_tree *tree = NULL;

	/* There is no room for it: not worth the work. */
	if (!show->json && show->lines.lines_left == 0) {
		show->lines.lines_lost++;
		show->walk.n_shown--;
		return;
	}
	tree = value_new(show->allocator->btf, show->payload.type, &entry->payload, &options);
	if (show->json) {
		write_entry(show, entry, tree);
		show->walk.is_full = dump_sink_is_full(show->sink);
		return;
	}
	strbuf_appendf(&text, "  idx=%d genn=%d user_addr=0x%llx payload=", entry->idx, entry->genn,
		       (unsigned long long)entry->user_addr);
	value_format(tree, value_root(tree),
		     &(struct value_text_options){ .zeros = show->sink->zeros }, &text);
	dump_lines(&show->lines, strbuf_str(&text));
}

/* NULL: all is well. */
static const char *why_not(const struct show *show)
{
	if (show->allocator->unavailable)
		return show->allocator->unavailable;
	if (show->walk.is_elem_size_bad)
		return "its element size is none that an allocator can have";
	return show->allocator->arena ? NULL : "no program tells in which arena it is";
}

static void write_rest(struct show *show)
{
	const struct sdt_walk *walk = &show->walk;
	struct json_writer *json = show->json;

	if (show->has_entries)
		json_end_array(json);
	if (walk->n_shown < walk->n || walk->is_given_up) {
		json_add_bool(json, "truncated", true);
		json_add_u64(json, "total", walk->n);
	}
	json_add_u64(json, "skipped_subtrees", sdt_n_skipped(walk));
	json_add_u64(json, "elem_size", walk->elem_size);
	json_add_u64(json, "payload_btf_type_id", show->payload.type);
	json_add_string(json, "payload_type_guessed_by", show->payload.guess);
	if (show->payload.reason[0])
		json_add_string(json, "payload_type_reason", show->payload.reason);
	if (sdt_n_skipped(walk)) {
		json_key(json, "skipped");
		json_begin_object(json);
		for (int i = 0; i < SDT_N_SKIPS; i++) {
			if (walk->skipped[i])
				json_add_u64(json, sdt_skip_text(i), walk->skipped[i]);
		}
		json_end_object(json);
	}
	if (walk->n_in_flight)
		json_add_u64(json, "in_flight", walk->n_in_flight);
	if (walk->n_zeroed)
		json_add_u64(json, "zeroed", walk->n_zeroed);
	json_add_string(json, "not_walked", why_not(show));
}

static void show_head(const struct show *show, struct dump_sink *sink)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	const struct sdt_walk *walk = &show->walk;
	bool is_cut = walk->n_shown < walk->n || walk->is_given_up;

	strbuf_append(&line, "sdt_alloc ");
	text_escape(&line, show->allocator->name);
	strbuf_appendf(&line, " (elem_size=%llu, btf_type_id=%u",
		       (unsigned long long)walk->elem_size, show->payload.type);
	if (show->payload.guess)
		strbuf_appendf(&line, ", a guess by %s", show->payload.guess);
	if (show->payload.reason[0])
		strbuf_appendf(&line, ", reason=%s", show->payload.reason);
	strbuf_append(&line, "): ");
	if (is_cut)
		strbuf_appendf(&line, "shown %llu of %s", (unsigned long long)walk->n_shown,
			       walk->is_given_up ? "at least " : "");
	strbuf_appendf(&line, "%llu live", (unsigned long long)walk->n);
	if (is_cut)
		strbuf_append(&line, " (truncated)");
	if (sdt_n_skipped(walk))
		strbuf_appendf(&line, " (%llu subtrees skipped)",
			       (unsigned long long)sdt_n_skipped(walk));
	dump_lines(sink, strbuf_str(&line));
	for (int i = 0; i < SDT_N_SKIPS; i++) {
		if (walk->skipped[i])
			dump_line(sink, "  skipped: %llu %s", (unsigned long long)walk->skipped[i],
				  sdt_skip_text(i));
	}
	if (walk->n_in_flight)
		dump_line(sink, "  being allocated: %llu", (unsigned long long)walk->n_in_flight);
	if (walk->n_zeroed)
		dump_line(sink, "  zeroed, perhaps being freed: %llu",
			  (unsigned long long)walk->n_zeroed);
	if (why_not(show)) {
		/* Names in it are the guest's. */
		strbuf_clear(&line);
		text_escape(&line, why_not(show));
		dump_line(sink, "  not walked: %s", strbuf_str(&line));
	}
}

static void walk_it(struct show *show, uint64_t max_entries)
{
	const struct sdt_allocator *allocator = show->allocator;
	uint64_t root;

	show->walk.wanted = max_entries;
	show->walk.n_steps = *allocator->n_steps;
	if (allocator->unavailable ||
	    !sdt_read_allocator(allocator->layout, allocator->image, &show->walk, &root))
		return;
	show->payload = sdt_payload_choose(allocator->btf, show->walk.payload_size);
	if (allocator->arena)
		sdt_walk_tree(show->space, allocator->arena, allocator->layout, root, &show->walk,
			      show_entry, show);
	*allocator->n_steps = show->walk.n_steps;
}

void sdt_show(struct kmem_space *space, const struct sdt_allocator *allocator, uint64_t max_entries,
	      struct dump_sink *sink)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct show show = {
		.space = space, .allocator = allocator, .sink = sink, .json = sink->json
	};

	if (sink->json) {
		json_begin_object(sink->json);
		json_add_string(sink->json, "allocator_name", allocator->name);
		walk_it(&show, max_entries);
		write_rest(&show);
		json_end_object(sink->json);
		return;
	}
	/* How many there are is said before they are shown. */
	show.lines = dump_sink_to_text(&text, sink->lines_left ? sink->lines_left - 1 : 0);
	walk_it(&show, max_entries);
	show_head(&show, sink);
	if (text.n)
		dump_lines(sink, strbuf_str(&text));
	sink->lines_lost += show.lines.lines_lost;
}
