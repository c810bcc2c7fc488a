// SPDX-License-Identifier: LGPL-2.1-or-later
/* BPF maps: what map_idr lists. */
#include "dump/maps.h"

#include "dump/kernel_read.h"
#include "dump/member.h"
#include "text/escape.h"

bool map_read(struct kmem *kmem, uint64_t id, uint64_t address, struct map *ret)
{
	struct map map = { .address = address, .id = id };
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
		if (kmem_field_read(&kmem->fields, &kmem->space, needed[i].id, address,
				    needed[i].into) != KMEM_READ_OK)
			return false;
	}
	if (kmem_field_read_text(&kmem->fields, &kmem->space, KMEM_F_MAP_NAME, address, map.name,
				 sizeof(map.name)) != KMEM_READ_OK)
		return false;
	if (kmem_field_read(&kmem->fields, &kmem->space, KMEM_F_MAP_KERNEL_TYPE, address,
			    &map.kernel_type) != KMEM_READ_OK)
		map.kernel_type = 0;
	*ret = map;
	return true;
}

struct error *map_each(struct kmem *kmem, struct kmem_walk *walk, kmem_entry_fn fn, void *context)
{
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_MAPS);

	return err ? err : dump_idr(kmem, "map_idr", walk, fn, context);
}

struct map_list {
	struct kmem *kmem;
	struct dump_sink *sink;
	uint64_t n_unreadable;
};

static bool list_map(void *context, uint64_t id, uint64_t address)
{
	struct map_list *list = context;
	struct json_writer *json = list->sink->json;
	_cleanup_strbuf_ struct strbuf type = STRBUF_INIT, name = STRBUF_INIT;
	struct map map;

	if (!map_read(list->kmem, id, address, &map)) {
		list->n_unreadable++;
		return true;
	}
	dump_enum_word(list->kmem, "bpf_map_type", "BPF_MAP_TYPE_", map.type, &type);
	if (json) {
		json_begin_object(json);
		json_add_u64(json, "id", id);
		json_add_string(json, "name", map.name);
		json_add_string(json, "type", strbuf_str(&type));
		json_add_u64(json, "key_bytes", map.key_size);
		json_add_u64(json, "value_bytes", map.value_size);
		json_add_u64(json, "max_entries", map.max_entries);
		dump_add_hex(json, "flags", map.flags);
		json_add_bool(json, "has_types", map.btf != 0);
		dump_add_hex(json, "address", address);
		json_end_object(json);
		return true;
	}
	text_escape(&name, map.name);
	dump_line(list->sink, "%-5llu %-18s %-16s %9llu %11llu %11llu", (unsigned long long)id,
		  strbuf_str(&type), strbuf_str(&name), (unsigned long long)map.key_size,
		  (unsigned long long)map.value_size, (unsigned long long)map.max_entries);
	return true;
}

struct error *dump_maps(struct kmem *kmem, const struct dump_request *request,
			struct dump_sink *sink)
{
	struct kmem_walk walk = dump_walk_wanted(sink, dump_wanted(request, sink));
	struct map_list list = { .kmem = kmem, .sink = sink };
	struct error *err;

	if (sink->json) {
		json_key(sink->json, "maps");
		json_begin_array(sink->json);
	}
	dump_line(sink, "%-5s %-18s %-16s %9s %11s %11s", "ID", "TYPE", "NAME", "KEY BYTES",
		  "VALUE BYTES", "MAX ENTRIES");
	err = map_each(kmem, &walk, list_map, &list);
	if (sink->json)
		json_end_array(sink->json);
	if (err)
		return err;
	walk.n_shown -= list.n_unreadable;
	dump_walk(sink, "maps", &walk);
	if (list.n_unreadable && sink->json)
		json_add_u64(sink->json, "unreadable", list.n_unreadable);
	if (list.n_unreadable)
		dump_line(sink, "%llu maps cannot be read", (unsigned long long)list.n_unreadable);
	return NULL;
}
