// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/sdt.h"

#include "btf/value.h"
#include "text/terminal.h"

struct show {
	struct dump_values *values;
	const struct dump_sdt_allocator *allocator;
	struct dump_sdt_payload payload;
	struct dump_sdt_walk walk;
	struct dump_sink *sink;
	struct dump_sink lines; /* of text: how many there are is said before they are shown */
	bool has_entries;
};

static void write_entry(struct show *show, const struct dump_sdt_entry *entry,
			const struct btf_value_tree *tree)
{
	if (!show->has_entries)
		dump_open_list(show->sink, "entries");
	show->has_entries = true;
	dump_open(show->sink, NULL);
	json_add_i64(show->sink->json, "idx", entry->idx);
	json_add_i64(show->sink->json, "genn", entry->genn);
	dump_add_hex(show->sink, "user_addr", entry->user_addr);
	dump_value_show(show->sink, "payload", NULL, tree, btf_value_root(tree));
	dump_close(show->sink);
}

static void show_entry(void *context, const struct dump_sdt_entry *entry)
{
	struct show *show = context;
	const struct dump_owner owner = { .arena = show->allocator->arena };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;

	/* Do not format what there is no room for. */
	if (show->sink->text && show->lines.lines_left == 0) {
		show->lines.lines_lost++;
		show->walk.n_shown--;
		return;
	}
	tree = dump_value_of(show->values, owner, show->allocator->btf, show->payload.type,
			     &entry->payload);
	if (show->sink->json) {
		write_entry(show, entry, tree);
		show->walk.is_full = dump_sink_is_full(show->sink);
		return;
	}
	strbuf_appendf(&text, "  idx=%d genn=%d user_addr=0x%llx payload=", entry->idx, entry->genn,
		       (unsigned long long)entry->user_addr);
	btf_value_format(tree, btf_value_root(tree),
			 &(struct btf_value_text_options){ .zeros = show->sink->zeros }, &text);
	dump_lines(&show->lines, strbuf_str(&text));
}

/* NULL: all is well. */
static const char *why_not(const struct show *show)
{
	if (show->allocator->unavailable)
		return show->allocator->unavailable;
	if (show->walk.is_elem_size_bad)
		return "its element size is not valid for an allocator";
	return show->allocator->arena ? NULL : "no program says which arena it uses";
}

static void write_rest(struct show *show)
{
	const struct dump_sdt_walk *walk = &show->walk;
	struct dump_sink *sink = show->sink;

	if (show->has_entries)
		dump_close_list(sink);
	if (walk->n_shown < walk->n || walk->is_given_up) {
		dump_add_bool(sink, "truncated", true);
		dump_add_u64(sink, "total", walk->n);
	}
	dump_add_u64(sink, "skipped_subtrees", dump_sdt_n_skipped(walk));
	dump_add_u64(sink, "elem_size", walk->elem_size);
	dump_add_u64(sink, "payload_btf_type_id", show->payload.type);
	dump_add_string(sink, "payload_type_guessed_by", show->payload.guess);
	if (show->payload.reason[0])
		dump_add_string(sink, "payload_type_reason", show->payload.reason);
	if (dump_sdt_n_skipped(walk)) {
		dump_open(sink, "skipped");
		for (int i = 0; i < DUMP_SDT_N_SKIPS; i++) {
			if (walk->skipped[i])
				dump_add_u64(sink, dump_sdt_skip_name(i), walk->skipped[i]);
		}
		dump_close(sink);
	}
	if (walk->n_in_flight)
		dump_add_u64(sink, "in_flight", walk->n_in_flight);
	if (walk->n_zeroed)
		dump_add_u64(sink, "zeroed", walk->n_zeroed);
	dump_add_string(sink, "not_walked", why_not(show));
}

static void show_head(const struct show *show)
{
	struct dump_sink *sink = show->sink;
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	const struct dump_sdt_walk *walk = &show->walk;
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
	if (dump_sdt_n_skipped(walk))
		strbuf_appendf(&line, " (%llu subtrees skipped)",
			       (unsigned long long)dump_sdt_n_skipped(walk));
	dump_lines(sink, strbuf_str(&line));
	for (int i = 0; i < DUMP_SDT_N_SKIPS; i++) {
		if (walk->skipped[i])
			dump_line(sink, "  skipped: %llu %s", (unsigned long long)walk->skipped[i],
				  dump_sdt_skip_name(i));
	}
	if (walk->n_in_flight)
		dump_line(sink, "  being allocated: %llu", (unsigned long long)walk->n_in_flight);
	if (walk->n_zeroed)
		dump_line(sink, "  zeroed, perhaps being freed: %llu",
			  (unsigned long long)walk->n_zeroed);
	if (why_not(show))
		dump_line(sink, "  not walked: %s", why_not(show));
}

static void walk_it(struct show *show, uint64_t max_entries)
{
	const struct dump_sdt_allocator *allocator = show->allocator;
	uint64_t root;

	show->walk.wanted = max_entries;
	show->walk.n_steps = *allocator->n_steps;
	if (allocator->unavailable ||
	    !dump_sdt_read_allocator(allocator->layout, allocator->image, &show->walk, &root))
		return;
	show->payload = dump_sdt_payload_choose(allocator->btf, show->walk.payload_size);
	if (allocator->arena)
		dump_sdt_walk_tree(&show->values->kmem->space, allocator->arena, allocator->layout,
				   root, &show->walk, show_entry, show);
	*allocator->n_steps = show->walk.n_steps;
}

void dump_sdt_show(struct dump_values *values, const struct dump_sdt_allocator *allocator,
		   uint64_t max_entries, struct dump_sink *sink)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct show show = { .values = values, .allocator = allocator, .sink = sink };

	if (sink->json) {
		dump_open(sink, NULL);
		dump_add_string(sink, "allocator_name", allocator->name);
		walk_it(&show, max_entries);
		write_rest(&show);
		dump_close(sink);
		return;
	}
	show.lines = dump_sink_to_text(&text, sink->lines_left ? sink->lines_left - 1 : 0);
	walk_it(&show, max_entries);
	show_head(&show);
	if (text.n)
		dump_lines(sink, strbuf_str(&text));
	sink->lines_lost += show.lines.lines_lost;
}
