// SPDX-License-Identifier: LGPL-2.1-or-later
/* One entry of a map: its key, then one value or one for each CPU. */
#include "base/alloc.h"
#include "btf/layout.h"
#include "btf/value.h"
#include "dump/maps.h"

/* What a key or a value costs beside its bytes: a tree, and words in JSON. */
enum { ENTRY_COST = 256 };

static bool has_room(struct dump_map_show *show, uint64_t bytes)
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
static bool begin(struct dump_map_show *show)
{
	/* Do not format text that no line is left for. */
	if (!show->sink->json && !show->sink->lines_left) {
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
	dump_open(show->sink, NULL);
	return true;
}

bool dump_map_open_index(struct dump_map_show *show, uint64_t index)
{
	if (!begin(show))
		return false;
	dump_add_u64(show->sink, "key", index);
	strbuf_appendf(&show->label, "[%llu]", (unsigned long long)index);
	return true;
}

bool dump_map_open_owner(struct dump_map_show *show, const char *name)
{
	if (!begin(show))
		return false;
	dump_add_string(show->sink, "key", name);
	strbuf_appendf(&show->label, "[%s]", name);
	return true;
}

/* What it takes beside its own bytes, for what is behind its pointers, counts as well. */
struct error *dump_map_value_read(struct dump_map_show *show, const struct btf *btf, uint64_t type,
				  uint64_t address, uint64_t bytes, struct btf_value_tree **ret)
{
	const struct dump_owner owner = { .map = show->map->address };
	struct error *err = dump_value_read(show->values, owner, btf, (uint32_t)type, address,
					    bytes, ret);
	uint64_t more = err || (*ret)->bytes < bytes ? 0 : (*ret)->bytes - bytes;

	show->bytes_left -= more < show->bytes_left ? more : show->bytes_left;
	return err;
}

static void say_why_not(struct dump_map_show *show, const char *key, const char *what,
			const char *reason)
{
	_cleanup_free_ char *label = xasprintf("%s %s", strbuf_str(&show->label), what);

	dump_unavailable(show->sink, key, label, reason);
}

bool dump_map_open_key(struct dump_map_show *show, uint64_t address)
{
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_error_ struct error *err = NULL;

	if (!begin(show))
		return false;
	err = dump_map_value_read(show, show->btf, show->map->key_type, address,
				  show->map->key_size, &tree);
	if (err) {
		say_why_not(show, "key_unavailable", "key", error_message(err));
		return true;
	}
	if (show->sink->json) {
		dump_value_show(show->sink, "key", NULL, tree, btf_value_root(tree));
		return true;
	}
	strbuf_append_char(&show->label, '[');
	btf_value_format(tree, btf_value_root(tree), NULL, &show->label);
	strbuf_append_char(&show->label, ']');
	return true;
}

static void add_value(struct dump_map_show *show, const char *label, uint64_t address)
{
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_error_ struct error *err = NULL;
	const struct dump_map *map = show->map;

	if (!has_room(show, map->value_size)) {
		dump_add_string(show->sink, "unavailable", "too much for one map");
		return;
	}
	err = dump_map_value_read(show, show->btf, map->value_type, address, map->value_size,
				  &tree);
	if (err)
		say_why_not(show, "unavailable", "value", error_message(err));
	else if (show->sink->text && show->hide_zeros && btf_value_root(tree)->zero)
		show->n_zero++;
	else
		dump_value_show(show->sink, "value", label, tree, btf_value_root(tree));
}

void dump_map_show_value(struct dump_map_show *show, uint64_t address)
{
	add_value(show, strbuf_str(&show->label), address);
}

void dump_map_show_percpu(struct dump_map_show *show, uint64_t pointer)
{
	const struct kmem_cpus *cpus = &show->kmem->cpus;

	/* Added to 0, what CPUs have is memory of others. */
	if (!pointer || show->kmem->no_cpus) {
		say_why_not(show, "unavailable", "values",
			    pointer ? error_message(show->kmem->no_cpus)
				    : "nothing says where those of the CPUs are");
		return;
	}
	dump_open_list(show->sink, "values");
	for (uint32_t cpu = 0; cpu < cpus->n && show->walk.end == KMEM_WALK_WHOLE; cpu++) {
		_cleanup_free_ char *label = NULL;
		uint64_t address;

		if (!kmem_cpus_address(cpus, cpu, pointer, &address))
			continue;
		label = xasprintf("%s cpu %u", strbuf_str(&show->label), cpu);
		dump_open(show->sink, NULL);
		dump_add_u64(show->sink, "cpu", cpu);
		add_value(show, label, address);
		dump_close(show->sink);
	}
	dump_close_list(show->sink);
}
