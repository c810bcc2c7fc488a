// SPDX-License-Identifier: LGPL-2.1-or-later
/* One entry of a map: its key, then one value or one for each CPU. */
#include <string.h>

#include "base/alloc.h"
#include "btf/layout.h"
#include "btf/value_text.h"
#include "dump/maps.h"
#include "dump/values.h"

/* What a key or a value costs beside its bytes: a tree, and words in JSON. */
enum { ENTRY_COST = 256 };

static bool has_room(struct map_show *show, uint64_t bytes)
{
	uint64_t cost = bytes + ENTRY_COST;

	if (show->bytes_left < cost) {
		show->bytes_left = 0;
		show->walk.end = KMEM_WALK_STOPPED;
		return false;
	}
	show->bytes_left -= cost;
	return true;
}

/* Counts it; true: it is to be shown and can be. */
static bool begin(struct map_show *show)
{
	struct json_writer *json = show->sink->json;

	/* Text for which there is no line is not worth its making. */
	if (!json && !show->sink->lines_left) {
		show->walk.n++;
		show->sink->lines_lost++;
		return false;
	}
	if (show->walk.end != KMEM_WALK_WHOLE || !kmem_walk_shows(&show->walk))
		return false;
	if (!has_room(show, show->map->key_size)) {
		show->walk.n_shown--;
		return false;
	}
	strbuf_clear(&show->label);
	if (json)
		json_begin_object(json);
	return true;
}

bool map_open_index(struct map_show *show, uint64_t index)
{
	if (!begin(show))
		return false;
	if (show->sink->json)
		json_add_u64(show->sink->json, "key", index);
	strbuf_appendf(&show->label, "[%llu]", (unsigned long long)index);
	return true;
}

bool map_open_owner(struct map_show *show, const char *name)
{
	if (!begin(show))
		return false;
	if (show->sink->json)
		json_add_string(show->sink->json, "key", name);
	strbuf_appendf(&show->label, "[%s]", name);
	return true;
}

static void say_why_not(struct map_show *show, const char *what, struct error *err)
{
	if (show->sink->json)
		json_add_string(show->sink->json,
				strcmp(what, "key") == 0 ? "key_unavailable" : "unavailable",
				error_message(err));
	dump_line(show->sink, "%s %s: unavailable: %s", strbuf_str(&show->label), what,
		  error_message(err));
	error_free(err);
}

bool map_open_key(struct map_show *show, uint64_t address)
{
	_cleanup_value_ struct value_tree *tree = NULL;
	struct error *err;

	if (!begin(show))
		return false;
	err = dump_value_read(show->kmem, show->btf, (uint32_t)show->map->key_type, address,
			      show->map->key_size, &tree);
	if (err) {
		say_why_not(show, "key", err);
		return true;
	}
	if (show->sink->json) {
		json_key(show->sink->json, "key");
		dump_value_write(show->sink->json, tree);
		return true;
	}
	strbuf_append_char(&show->label, '[');
	value_format(tree, value_root(tree), NULL, &show->label);
	strbuf_append_char(&show->label, ']');
	return true;
}

static void add_value(struct map_show *show, const char *label, uint64_t address)
{
	_cleanup_value_ struct value_tree *tree = NULL;
	const struct map *map = show->map;
	struct error *err;

	if (!has_room(show, map->value_size)) {
		if (show->sink->json)
			json_add_string(show->sink->json, "unavailable", "too much for one map");
		return;
	}
	err = dump_value_read(show->kmem, show->btf, (uint32_t)map->value_type, address,
			      map->value_size, &tree);
	if (err) {
		say_why_not(show, "value", err);
		return;
	}
	if (show->sink->json) {
		json_key(show->sink->json, "value");
		dump_value_write(show->sink->json, tree);
	} else if (show->hide_zeros && value_root(tree)->zero) {
		show->n_zero++;
	} else {
		dump_value_text(show->sink, label, tree, value_root(tree));
	}
}

void map_show_value(struct map_show *show, uint64_t address)
{
	add_value(show, strbuf_str(&show->label), address);
}

void map_show_percpu(struct map_show *show, uint64_t pointer)
{
	struct json_writer *json = show->sink->json;
	const struct kmem_cpus *cpus = &show->kmem->cpus;

	/* Added to 0, what CPUs have is memory of others. */
	if (!pointer || show->kmem->no_cpus) {
		say_why_not(show, "values",
			    kmem_error(KMEM_UNREAD, 0, "%s",
				       pointer ? error_message(show->kmem->no_cpus)
					       : "nothing says where those of the CPUs are"));
		return;
	}
	if (json) {
		json_key(json, "values");
		json_begin_array(json);
	}
	for (uint32_t cpu = 0; cpu < cpus->n && show->walk.end == KMEM_WALK_WHOLE; cpu++) {
		_cleanup_free_ char *label = NULL;
		uint64_t address;

		if (!kmem_cpus_is_possible(cpus, cpu) ||
		    !kmem_cpus_address(cpus, cpu, pointer, &address))
			continue;
		if (json) {
			json_begin_object(json);
			json_add_u64(json, "cpu", cpu);
		}
		label = xasprintf("%s cpu %u", strbuf_str(&show->label), cpu);
		add_value(show, label, address);
		if (json)
			json_end_object(json);
	}
	if (json)
		json_end_array(json);
}

void map_close(struct map_show *show)
{
	if (show->sink->json)
		json_end_object(show->sink->json);
}
