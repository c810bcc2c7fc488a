// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/globals.h"

#include "dump/limits.h"
#include "kmem/guest_btf.h"

/* enum bpf_map_type */
enum { TYPE_ARRAY = 2, TYPE_ARENA = 33 };

struct search {
	struct kmem *kmem;
	struct globals_scene *scene;
	uint64_t n_joins;
};

static bool get(struct kmem *kmem, enum kmem_field_id id, uint64_t base, uint64_t *ret)
{
	return kmem_field_read(&kmem->fields, &kmem->space, id, base, ret) == KMEM_READ_OK;
}

static void see_arena(struct search *search, uint64_t map)
{
	struct globals_scene *scene = search->scene;
	struct arena arena;
	struct error *err = arena_load(search->kmem, map, &arena);

	if (!err) {
		vec_push(&scene->arenas, arena);
		return;
	}
	scene->n_bad_arenas++;
	if (scene->bad_arena)
		error_free(err);
	else
		scene->bad_arena = err;
}

static void see_array(struct search *search, uint64_t id, uint64_t map)
{
	struct kmem *kmem = search->kmem;
	struct globals globals = { .map = map, .id = id };
	uint64_t section = 0, n = 0;

	/* Only one value, with a type: that is how libbpf makes globals. */
	if (!get(kmem, KMEM_F_MAP_MAX_ENTRIES, map, &n) ||
	    !get(kmem, KMEM_F_MAP_BTF, map, &globals.btf) ||
	    !get(kmem, KMEM_F_MAP_VALUE_TYPE, map, &section) ||
	    !get(kmem, KMEM_F_MAP_VALUE_SIZE, map, &globals.bytes)) {
		search->scene->n_unreadable++;
		return;
	}
	if (n != 1 || !globals.btf || !section || !kmem->fields.at[KMEM_F_ARRAY_VALUE].known)
		return;
	globals.section = (uint32_t)section;
	globals.value = map + kmem->fields.at[KMEM_F_ARRAY_VALUE].place.offset;
	if (kmem_field_read_text(&kmem->fields, &kmem->space, KMEM_F_MAP_NAME, map, globals.name,
				 sizeof(globals.name)) != KMEM_READ_OK)
		globals.name[0] = 0;
	vec_push(&search->scene->globals, globals);
}

static bool see_map(void *context, uint64_t index, uint64_t map)
{
	struct search *search = context;
	uint64_t type;

	if (!get(search->kmem, KMEM_F_MAP_TYPE, map, &type)) {
		search->scene->n_unreadable++;
		return true;
	}
	if (type == TYPE_ARENA)
		see_arena(search, map);
	if (type == TYPE_ARRAY)
		see_array(search, index, map);
	return search->scene->arenas.n + search->scene->globals.n < DUMP_LIMIT_GLOBALS;
}

static void join(struct globals_scene *scene, uint64_t map, uint64_t arena)
{
	for (size_t i = 0; i < scene->globals.n; i++) {
		struct globals *globals = &scene->globals.at[i];

		if (globals->map == map && !globals->arena)
			globals->arena = arena;
	}
}

static bool see_program(void *context, uint64_t index, uint64_t program)
{
	struct search *search = context;
	struct kmem *kmem = search->kmem;
	uint64_t aux, arena, maps, n;

	(void)index;
	if (!get(kmem, KMEM_F_PROG_AUX, program, &aux) ||
	    !get(kmem, KMEM_F_ARENA_AUX_ARENA, aux, &arena) ||
	    !get(kmem, KMEM_F_PROG_AUX_MAPS, aux, &maps) ||
	    !get(kmem, KMEM_F_PROG_AUX_N_MAPS, aux, &n)) {
		search->scene->n_unreadable++;
		return true;
	}
	if (!arena)
		return true;
	for (uint64_t i = 0; i < n && i < DUMP_LIMIT_USED_MAPS; i++) {
		uint64_t map;

		if (kmem_read_u64(&kmem->space, maps + 8 * i, &map) != KMEM_READ_OK)
			break;
		if (++search->n_joins > DUMP_LIMIT_JOINS)
			return false;
		join(search->scene, map, arena);
	}
	return true;
}

static struct error *each(struct kmem *kmem, const char *idr, struct kmem_walk *walk,
			  kmem_entry_fn fn, void *context)
{
	struct kmem_xarray_form form;
	uint64_t at;
	struct error *err = kmem_xarray_form(kmem, &form);

	if (!err)
		err = kmem_symbol(kmem, idr, &at);
	if (!err)
		kmem_xarray(&kmem->space, &form, at + kmem->fields.at[KMEM_F_IDR_HEAD].place.offset,
			    walk, fn, context);
	return err;
}

struct error *globals_find(struct kmem *kmem, struct globals_scene *scene)
{
	struct search search = { .kmem = kmem, .scene = scene };
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_ARENA);

	if (!err)
		err = kmem_fields_require(&kmem->fields, KMEM_VIEW_MAPS);
	if (!err)
		err = each(kmem, "map_idr", &scene->maps, see_map, &search);
	if (!err)
		err = each(kmem, "prog_idr", &scene->programs, see_program, &search);
	return err;
}

static void say_walk(struct dump_sink *sink, const char *what, const char *key,
		     const struct kmem_walk *walk)
{
	_cleanup_strbuf_ struct strbuf how = STRBUF_INIT;

	if (walk->end == KMEM_WALK_WHOLE)
		return;
	kmem_walk_format(walk, &how);
	dump_line(sink, "%s: %s", what, strbuf_str(&how));
	if (sink->json)
		json_add_string(sink->json, key, strbuf_str(&how));
}

void globals_say_missing(const struct globals_scene *scene, struct dump_sink *sink)
{
	say_walk(sink, "BPF maps", "maps_incomplete", &scene->maps);
	say_walk(sink, "BPF programs", "programs_incomplete", &scene->programs);
	if (!scene->n_unreadable)
		return;
	dump_line(sink, "%llu BPF maps and programs cannot be read",
		  (unsigned long long)scene->n_unreadable);
	if (sink->json)
		json_add_u64(sink->json, "maps_and_programs_unreadable", scene->n_unreadable);
}

void globals_deinit(struct globals_scene *scene)
{
	vec_deinit(&scene->arenas);
	vec_deinit(&scene->globals);
	error_free(scene->bad_arena);
	scene->bad_arena = NULL;
}

const struct arena *globals_arena(const struct globals_scene *scene, const struct globals *of,
				  uint64_t pointer)
{
	const struct arena *found = NULL;

	for (size_t i = 0; i < scene->arenas.n; i++) {
		const struct arena *arena = &scene->arenas.at[i];

		if (of->arena ? arena->map != of->arena : !arena_holds(arena, pointer))
			continue;
		if (found)
			return NULL;
		found = arena;
	}
	return found;
}
