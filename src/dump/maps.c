// SPDX-License-Identifier: LGPL-2.1-or-later
/* BPF maps: what map_idr lists. */
#include "dump/maps.h"

#include "dump/member.h"
#include "dump/rows.h"

bool dump_map_read(struct kmem *kmem, uint64_t id, uint64_t address, struct dump_map *ret)
{
	struct dump_map map = { .address = address, .id = id };
	const struct {
		enum kmem_field_id id;
		uint64_t *into;
	} needed[] = {
		{ KMEM_F_MAP_TYPE, &map.type },
		{ KMEM_F_MAP_KEY_SIZE, &map.key_size },
		{ KMEM_F_MAP_VALUE_SIZE, &map.value_size },
		{ KMEM_F_MAP_MAX_ENTRIES, &map.max_entries },
		{ KMEM_F_MAP_FLAGS, &map.flags },
		{ KMEM_F_MAP_BTF, &map.btf },
		{ KMEM_F_MAP_KEY_TYPE, &map.key_type },
		{ KMEM_F_MAP_VALUE_TYPE, &map.value_type },
	};

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		if (kmem_get(kmem, needed[i].id, address, needed[i].into) != KMEM_READ_OK)
			return false;
	}
	if (kmem_get_text(kmem, KMEM_F_MAP_NAME, address, map.name, sizeof(map.name)) !=
	    KMEM_READ_OK)
		return false;
	if (kmem_get(kmem, KMEM_F_MAP_KERNEL_TYPE, address, &map.kernel_type) != KMEM_READ_OK)
		map.kernel_type = 0;
	*ret = map;
	return true;
}

struct error *dump_map_each(struct kmem *kmem, struct kmem_walk *walk, kmem_entry_fn fn,
			    void *context)
{
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_MAPS);

	return err ? err : kmem_idr(kmem, "map_idr", walk, fn, context);
}

struct map_list {
	struct kmem *kmem;
	struct dump_rows rows;
	uint64_t n_unreadable;
};

struct map_row {
	struct dump_map map;
	struct dump_text name, type;
	bool has_types;
};

static const struct dump_column columns[] = {
	{ DUMP_PLACED("id", "ID", 1, -5), DUMP_U64(map_row, map.id) },
	{ DUMP_PLACED("name", "NAME", 3, -16), DUMP_TEXT(map_row, name) },
	{ DUMP_PLACED("type", "TYPE", 2, -18), DUMP_TEXT(map_row, type) },
	{ DUMP_PLACED("key_bytes", "KEY BYTES", 4, 9), DUMP_U64(map_row, map.key_size) },
	{ DUMP_PLACED("value_bytes", "VALUE BYTES", 5, 11), DUMP_U64(map_row, map.value_size) },
	{ DUMP_PLACED("max_entries", "MAX ENTRIES", 6, 11), DUMP_U64(map_row, map.max_entries) },
	{ .key = "flags", DUMP_HEX(map_row, map.flags) },
	{ .key = "has_types", DUMP_BOOL(map_row, has_types) },
	{ .key = "address", DUMP_HEX(map_row, map.address) },
};

static bool list_map(void *context, uint64_t id, uint64_t address)
{
	struct map_list *list = context;
	_cleanup_strbuf_ struct strbuf type = STRBUF_INIT;
	struct map_row row = { 0 };

	if (!dump_map_read(list->kmem, id, address, &row.map)) {
		list->n_unreadable++;
		return true;
	}
	dump_enum_name(list->kmem, "bpf_map_type", "BPF_MAP_TYPE_", row.map.type, &type);
	row.name.text = row.map.name;
	row.type.text = strbuf_str(&type);
	row.has_types = row.map.btf != 0;
	dump_rows_add(&list->rows, &row);
	return true;
}

struct error *dump_maps(struct kmem *kmem, const struct dump_request *request,
			struct dump_sink *sink)
{
	struct kmem_walk walk = dump_walk_wanted(sink, dump_wanted(request, sink));
	struct map_list list = { .kmem = kmem };
	struct error *err;

	dump_rows_begin(&list.rows, sink, "maps", columns, ARRAY_SIZE(columns));
	err = dump_map_each(kmem, &walk, list_map, &list);
	dump_rows_end(&list.rows);
	if (err)
		return err;
	walk.n_shown -= list.n_unreadable;
	dump_walk(sink, "maps", &walk);
	dump_say_count(sink, "unreadable", list.n_unreadable, "maps cannot be read");
	return NULL;
}
