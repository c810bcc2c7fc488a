// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a scheduler keeps: the maps, global variables among them, of programs the kernel calls. */
#include "dump/maps.h"

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
static void show_map(struct dump_map_search *search, uint64_t address)
{
	struct dump_map map;
	uint64_t id;

	if (kmem_get(search->kmem, KMEM_F_MAP_ID, address, &id) ||
	    !dump_map_read(search->kmem, id, address, &map))
		search->n_unreadable++;
	else if (map.type != DUMP_MAP_ARENA)
		dump_map_search_show(search, &map);
}

struct error *dump_scheduler_maps(struct kmem *kmem, const struct dump_request *request,
				  struct dump_sink *sink)
{
	_cleanup_dump_globals_ struct dump_globals_scene scene = { 0 };
	struct dump_map_search search = { .kmem = kmem,
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
			show_map(&search, scene.uses.at[i].map);
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
