// SPDX-License-Identifier: LGPL-2.1-or-later
/* Arrays; an array of one section of a program is its global variables. */
#include "btf/layout.h"
#include "dump/member.h"
#include "dump/maps.h"
#include "text/escape.h"

/* So many elements in a row that cannot be read are the end of what there is. */
enum { MISSING_IN_A_ROW = 64 };

static uint64_t round_up_8(uint64_t n)
{
	return (n + 7) & ~UINT64_C(7);
}

/* It holds the variables of a section (".bss") and its type says which. */
static bool is_section(const struct dump_map *map, const struct btf *btf)
{
	struct btf_type type;

	return map->type == DUMP_MAP_ARRAY && map->max_entries == 1 && btf &&
	       btf_type(btf, (uint32_t)map->value_type, &type) && type.kind == BTF_DATASEC;
}

static struct error *show_section(struct dump_map_show *show, uint64_t address)
{
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	const struct btf_value_node *node;
	struct error *err = dump_map_value_read(show, show->btf, show->map->value_type, address,
						show->map->value_size, &tree);

	if (err)
		return err;
	(void)!kmem_walk_shows(&show->walk);
	if (show->sink->json)
		dump_value_show(show->sink, "globals", NULL, tree, btf_value_root(tree));
	for (node = btf_value_first(tree, btf_value_root(tree)); show->sink->text && node;
	     node = btf_value_next(tree, node)) {
		_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

		text_escape(&name, node->name ? node->name : "");
		dump_value_show(show->sink, NULL, strbuf_str(&name), tree, node);
	}
	return NULL;
}

static bool is_there(struct dump_map_show *show, uint64_t address)
{
	uint8_t byte;

	return kmem_read(&show->kmem->space, address, &byte, 1, NULL) == KMEM_READ_OK;
}

static void show_entries(struct dump_map_show *show, uint64_t first, uint64_t stride, bool percpu)
{
	unsigned int missing = 0;

	show->hide_zeros = true;
	dump_open_list(show->sink, "entries");
	for (uint64_t i = 0; i < show->map->max_entries && kmem_walk_step(&show->walk); i++) {
		uint64_t at = first + i * stride;

		if (dump_map_open_index(show, i)) {
			missing = percpu || is_there(show, at) ? 0 : missing + 1;
			if (missing == MISSING_IN_A_ROW)
				(void)!kmem_walk_read(&show->walk, &show->kmem->space, at, &at, 1);
			else if (!percpu)
				dump_map_show_value(show, at);
			else if (kmem_walk_read(&show->walk, &show->kmem->space, at, &at, 8))
				dump_map_show_percpu(show, at);
			dump_map_close(show);
		}
		if (show->walk.end != KMEM_WALK_WHOLE)
			break;
	}
	dump_close_list(show->sink);
}

struct error *dump_map_show_array(struct dump_map_show *show)
{
	uint64_t values;
	struct error *err = dump_kernel_offset(show->kmem, KMEM_F_ARRAY_VALUE, &values);

	if (err)
		return err;
	values += show->map->address;
	if (is_section(show->map, show->btf))
		return show_section(show, values);
	show_entries(show, values, round_up_8(show->map->value_size), false);
	return NULL;
}

struct error *dump_map_show_percpu_array(struct dump_map_show *show)
{
	uint64_t pointers;
	struct error *err = dump_kernel_offset(show->kmem, KMEM_F_ARRAY_PPTRS, &pointers);

	if (!err)
		show_entries(show, show->map->address + pointers, 8, true);
	return err;
}
