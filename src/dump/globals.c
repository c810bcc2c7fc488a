// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/globals.h"

#include "kmem/modules.h"

/* enum bpf_map_type */
enum { TYPE_ARRAY = 2, TYPE_ARENA = 33 };
/* enum bpf_prog_type */
enum { TYPE_STRUCT_OPS = 27 };

struct search {
	struct kmem *kmem;
	struct dump_globals_scene *scene;
};

static bool get(struct kmem *kmem, enum kmem_field_id id, uint64_t base, uint64_t *ret)
{
	return kmem_get(kmem, id, base, ret) == KMEM_READ_OK;
}

static void see_arena(struct search *search, uint64_t map)
{
	struct dump_globals_scene *scene = search->scene;
	struct dump_arena arena;
	struct error *err = dump_arena_load(search->kmem, map, &arena);

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
	struct dump_globals globals = { .map = map, .id = id };
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
	globals.value = map + kmem_offset(kmem, KMEM_F_ARRAY_VALUE);
	if (kmem_get_text(kmem, KMEM_F_MAP_NAME, map, globals.name, sizeof(globals.name)) !=
	    KMEM_READ_OK)
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

static bool see_program(void *context, uint64_t index UNUSED, uint64_t program)
{
	struct search *search = context;
	struct kmem *kmem = search->kmem;
	struct dump_globals_use use = { 0 };
	uint64_t aux, maps, n, type;

	if (!get(kmem, KMEM_F_PROG_AUX, program, &aux) ||
	    !get(kmem, KMEM_F_PROG_AUX_ARENA, aux, &use.arena) ||
	    !get(kmem, KMEM_F_PROG_AUX_MAPS, aux, &maps) ||
	    !get(kmem, KMEM_F_PROG_AUX_N_MAPS, aux, &n)) {
		search->scene->n_unreadable++;
		return true;
	}
	use.is_struct_ops = get(kmem, KMEM_F_PROG_TYPE, program, &type) && type == TYPE_STRUCT_OPS;
	for (uint64_t i = 0; i < n && i < DUMP_LIMIT_USED_MAPS; i++) {
		if (kmem_read_u64(&kmem->space, maps + 8 * i, &use.map) != KMEM_READ_OK)
			break;
		if (search->scene->uses.n == DUMP_LIMIT_JOINS)
			return false;
		vec_push(&search->scene->uses, use);
	}
	return true;
}

struct error *dump_globals_find(struct kmem *kmem, struct dump_globals_scene *scene)
{
	struct search search = { .kmem = kmem, .scene = scene };
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_ARENA);

	if (!err)
		err = kmem_fields_require(&kmem->fields, KMEM_VIEW_MAPS);
	if (!err)
		err = kmem_idr(kmem, "map_idr", &scene->maps, see_map, &search);
	if (!err)
		err = kmem_idr(kmem, "prog_idr", &scene->programs, see_program, &search);
	for (size_t i = 0; i < scene->globals.n; i++)
		scene->globals.at[i].arena = dump_globals_arena_of_map(scene,
								       scene->globals.at[i].map);
	return err;
}

static void say_walk(struct dump_sink *sink, const char *what, const char *key,
		     const struct kmem_walk *walk)
{
	_cleanup_strbuf_ struct strbuf how = STRBUF_INIT;

	kmem_walk_format(walk, &how);
	dump_say(sink, key, what, walk->end == KMEM_WALK_WHOLE ? NULL : strbuf_str(&how));
}

void dump_globals_say_missing(const struct dump_globals_scene *scene, struct dump_sink *sink)
{
	say_walk(sink, "BPF maps", "maps_incomplete", &scene->maps);
	say_walk(sink, "BPF programs", "programs_incomplete", &scene->programs);
	dump_say_count(sink, "maps_and_programs_unreadable", scene->n_unreadable,
		       "BPF maps and programs cannot be read");
}

void dump_globals_deinit(struct dump_globals_scene *scene)
{
	vec_deinit(&scene->arenas);
	vec_deinit(&scene->globals);
	vec_deinit(&scene->uses);
	error_free(scene->bad_arena);
	scene->bad_arena = NULL;
}

const struct dump_arena *dump_globals_arena(const struct dump_globals_scene *scene, uint64_t of,
					    uint64_t pointer)
{
	const struct dump_arena *found = NULL;

	for (size_t i = 0; i < scene->arenas.n; i++) {
		const struct dump_arena *arena = &scene->arenas.at[i];

		if (of ? arena->map != of : !dump_arena_holds(arena, pointer))
			continue;
		if (found)
			return NULL;
		found = arena;
	}
	return found;
}

uint64_t dump_globals_arena_of_map(const struct dump_globals_scene *scene, uint64_t map)
{
	for (size_t i = 0; i < scene->uses.n; i++) {
		if (scene->uses.at[i].map == map && scene->uses.at[i].arena)
			return scene->uses.at[i].arena;
	}
	return 0;
}
