// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The contents of the maps of one name, or of what a scheduler keeps: the maps, global variables
 * among them, of programs the kernel calls.
 */
#include <stdlib.h>
#include <string.h>

#include "dump/member.h"
#include "dump/maps.h"

/* All maps of a view, one after the other, with one budget. */
struct map_search {
	struct kmem *kmem;
	const struct dump_request *request;
	struct dump_sink *sink;
	struct dump_values values;
	uint64_t n_found, n_unreadable;
	uint64_t bytes_left; /* of all maps that are shown */
};

enum { LONGEST_NAME = 15 }; /* BPF_OBJ_NAME_LEN with its NUL is 16 */

/* Names are cut at 15 characters, and libbpf puts the object's in front: ".bss" is enough. */
static bool is_wanted(const struct dump_map *map, const char *argument)
{
	size_t n = strlen(argument), have = strlen(map->name);
	char *end;
	unsigned long long id = strtoull(argument, &end, 10);

	if (!*end && argument[0] >= '0' && argument[0] <= '9')
		return map->id == id;
	if (n >= LONGEST_NAME && have == LONGEST_NAME)
		return strncmp(map->name, argument, LONGEST_NAME) == 0;
	return have >= n && strcmp(map->name + have - n, argument) == 0 &&
	       (have == n || argument[0] == '.');
}

/* Of struct_ops the value is the kernel's; it finds its types by itself. */
static void load_types(const struct map_search *search, const struct dump_map *map,
		       struct kmem_btf **ret)
{
	_cleanup_error_ struct error *err = NULL;

	if (!map->btf || map->type == DUMP_MAP_STRUCT_OPS)
		return;
	err = kmem_btf_load(search->kmem, map->btf, ret);
	if (err)
		dump_say(search->sink, "types_unavailable", "types unavailable",
			 error_message(err));
}

static struct error *show_contents(struct map_search *search, const struct dump_map *map,
				   const char *type)
{
	_cleanup_kmem_btf_ struct kmem_btf *types = NULL;
	struct dump_map_show show = { .kmem = search->kmem,
				      .values = &search->values,
				      .map = map,
				      .sink = search->sink,
				      .bytes_left = search->bytes_left };
	struct error *err = NULL;
	size_t i;

	for (i = 0; i < dump_n_map_kinds && dump_map_kinds[i].type != map->type; i++)
		;
	if (i == dump_n_map_kinds)
		return base_error(BASE_ABSENT, 0, "contents of a map of type %s are not shown",
				  type);
	if (dump_map_kinds[i].why_not)
		return base_error(BASE_ABSENT, 0, "%s", dump_map_kinds[i].why_not);
	load_types(search, map, &types);
	show.btf = types ? types->btf : NULL;
	show.walk = dump_walk_wanted(search->sink, search->request->max_entries);
	kmem_walk_begin(&show.walk);
	err = dump_map_kinds[i].show(&show);
	search->bytes_left = show.bytes_left;
	strbuf_deinit(&show.label);
	if (err)
		return err;
	dump_walk(search->sink, "entries", &show.walk);
	if (show.n_zero)
		dump_line(search->sink, "%llu entries are 0", (unsigned long long)show.n_zero);
	if (!show.bytes_left)
		dump_line(search->sink, "more than %d MiB are not shown",
			  DUMP_LIMIT_MAP_BYTES >> 20);
	return NULL;
}

static void show_map(struct map_search *search, const struct dump_map *map)
{
	struct dump_sink *sink = search->sink;
	_cleanup_strbuf_ struct strbuf type = STRBUF_INIT;
	_cleanup_error_ struct error *err = NULL;

	search->n_found++;
	dump_enum_name(search->kmem, "bpf_map_type", "BPF_MAP_TYPE_", map->type, &type);
	dump_open(sink, NULL);
	dump_add_u64(sink, "id", map->id);
	dump_add_string(sink, "name", map->name);
	dump_add_string(sink, "type", strbuf_str(&type));
	dump_line(sink, "map %llu %s (%s)", (unsigned long long)map->id, map->name,
		  strbuf_str(&type));
	sink->indent += 2;
	err = show_contents(search, map, strbuf_str(&type));
	if (err)
		dump_unavailable(sink, "unavailable", NULL, error_message(err));
	sink->indent -= 2;
	dump_close(sink);
}

static bool look_at_map(void *context, uint64_t id, uint64_t address)
{
	struct map_search *search = context;
	struct dump_map map;

	if (!dump_map_read(search->kmem, id, address, &map))
		search->n_unreadable++;
	else if (is_wanted(&map, search->request->argument))
		show_map(search, &map);
	return true;
}

struct error *dump_map(struct kmem *kmem, const struct dump_request *request,
		       struct dump_sink *sink)
{
	struct map_search search = { .kmem = kmem,
				     .request = request,
				     .sink = sink,
				     .values = { .kmem = kmem },
				     .bytes_left = DUMP_LIMIT_MAP_BYTES };
	_cleanup_strbuf_ struct strbuf searched = STRBUF_INIT;
	struct kmem_walk walk = { 0 };
	struct error *err;

	if (!request->argument || !request->argument[0])
		return base_error(BASE_ABSENT, 0, "which map? a name, its end (.bss) or an id");
	dump_open_list(sink, "maps");
	err = dump_map_each(kmem, &walk, look_at_map, &search);
	dump_close_list(sink);
	dump_values_deinit(&search.values);
	if (err)
		return err;
	if (search.n_unreadable || walk.end != KMEM_WALK_WHOLE)
		kmem_walk_format(&walk, &searched);
	if (search.n_unreadable)
		strbuf_appendf(&searched, ", of which %llu cannot be read",
			       (unsigned long long)search.n_unreadable);
	if (!search.n_found && searched.n)
		return kmem_error(KMEM_UNREAD, 0, "no map %s was found; maps: %s",
				  request->argument, strbuf_str(&searched));
	if (!search.n_found)
		return base_error(BASE_ABSENT, 0, "there is no map %s among %llu",
				  request->argument, (unsigned long long)walk.n);
	/* There may be one more of that name. */
	dump_say(sink, "incomplete", "maps", searched.n ? strbuf_str(&searched) : NULL);
	return NULL;
}

/* Each of them once, in the order in which programs use them. */
static bool is_first_use(const struct dump_globals_scene *scene, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (scene->uses.at[i].is_struct_ops &&
		    scene->uses.at[i].map == scene->uses.at[n].map)
			return false;
	}
	return scene->uses.at[n].is_struct_ops;
}

/* An arena has no entries; `sdt` shows what lies in it. */
static void show_used_map(struct map_search *search, uint64_t address)
{
	struct dump_map map;
	uint64_t id;

	if (kmem_get(search->kmem, KMEM_F_MAP_ID, address, &id) ||
	    !dump_map_read(search->kmem, id, address, &map))
		search->n_unreadable++;
	else if (map.type != DUMP_MAP_ARENA)
		show_map(search, &map);
}

struct error *dump_scheduler_maps(struct kmem *kmem, const struct dump_request *request,
				  struct dump_sink *sink)
{
	_cleanup_dump_globals_ struct dump_globals_scene scene = { 0 };
	struct map_search search = { .kmem = kmem,
				     .request = request,
				     .sink = sink,
				     .values = { .kmem = kmem, .scene = &scene },
				     .bytes_left = DUMP_LIMIT_MAP_BYTES };
	struct error *err = dump_globals_find(kmem, &scene);

	if (err)
		return err;
	dump_open_list(sink, "maps");
	for (size_t i = 0; i < scene.uses.n && search.n_found < DUMP_LIMIT_SCHEDULER_MAPS; i++) {
		if (is_first_use(&scene, i))
			show_used_map(&search, scene.uses.at[i].map);
	}
	dump_close_list(sink);
	dump_values_deinit(&search.values);
	dump_globals_say_missing(&scene, sink);
	dump_say_count(sink, "unreadable", search.n_unreadable, "maps cannot be read");
	if (search.n_found == DUMP_LIMIT_SCHEDULER_MAPS)
		dump_line(sink, "maps: given up after %d", DUMP_LIMIT_SCHEDULER_MAPS);
	if (!search.n_found && !search.n_unreadable)
		return base_error(BASE_ABSENT, 0, "no BPF scheduler is loaded, or it uses no map");
	return NULL;
}
