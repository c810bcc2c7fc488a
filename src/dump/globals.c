// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/globals.h"

#include "dump/limits.h"
#include "kmem/modules.h"

/* Half of GUARD_SZ around the 4 GiB: room for the signed 16-bit offsets of instructions. */
#define GUARD_HALF  0x8000
#define ARENA_BYTES (UINT64_C(1) << 32)

static struct error *read_field(struct kmem *kmem, enum kmem_field_id id, uint64_t base,
				const char *what, uint64_t *ret)
{
	enum kmem_status status = kmem_get(kmem, id, base, ret);

	return status == KMEM_READ_OK ? NULL : kmem_unread(status, base, what);
}

/* A struct page is as far from the first as its page is from address 0. */
static uint64_t scratch_of(struct kmem *kmem, uint64_t map)
{
	const struct kmem_field *page = &kmem->fields.at[KMEM_F_ARENA_PAGE];
	uint64_t at;

	if (!page->known || page->place.size == 0 || !kmem->vmemmap_base ||
	    kmem_get(kmem, KMEM_F_ARENA_SCRATCH, map, &at) != KMEM_READ_OK ||
	    at < kmem->vmemmap_base)
		return 0;
	return (at - kmem->vmemmap_base) / page->place.size * KMEM_PAGE_BYTES;
}

/* What the kernel asks of a range before it makes an arena of it. */
static bool is_possible(const struct dump_arena *arena)
{
	if (!arena->user_start)
		return true;
	return arena->user_end > arena->user_start &&
	       arena->user_end - arena->user_start <= ARENA_BYTES &&
	       arena->user_start >> 32 == (arena->user_end - 1) >> 32 &&
	       arena->user_start % KMEM_PAGE_BYTES == 0 && arena->user_end % KMEM_PAGE_BYTES == 0;
}

struct error *dump_arena_load(struct kmem *kmem, uint64_t map, struct dump_arena *ret)
{
	struct dump_arena arena = { .map = map };
	uint64_t id = 0, vm = 0, address = 0;
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_ARENA);

	if (!err)
		err = kmem_fields_require(&kmem->fields, KMEM_VIEW_MAPS);
	if (!err)
		err = read_field(kmem, KMEM_F_ARENA_USER_START, map, "arena", &arena.user_start);
	if (!err)
		err = read_field(kmem, KMEM_F_ARENA_USER_END, map, "arena", &arena.user_end);
	if (!err)
		err = read_field(kmem, KMEM_F_MAP_MAX_ENTRIES, map, "arena", &arena.declared_pages);
	if (!err)
		err = read_field(kmem, KMEM_F_ARENA_KERN_VM, map, "arena", &vm);
	if (!err)
		err = read_field(kmem, KMEM_F_ARENA_VM_ADDR, vm, "vm_struct of an arena", &address);
	if (err)
		return err;
	if (!is_possible(&arena))
		return kmem_error(KMEM_UNREAD, 0, "arena at %#llx: its range is %#llx … %#llx",
				  (unsigned long long)map, (unsigned long long)arena.user_start,
				  (unsigned long long)arena.user_end);
	arena.kernel_start = address + GUARD_HALF;
	arena.scratch = scratch_of(kmem, map);
	/* For showing: without them it is still of use. */
	arena.id_status = kmem_get(kmem, KMEM_F_MAP_ID, map, &id);
	if (!arena.id_status)
		arena.id = (uint32_t)id;
	arena.name_status = kmem_get_text(kmem, KMEM_F_MAP_NAME, map, arena.name,
					  sizeof(arena.name));
	if (arena.name_status)
		arena.name[0] = 0;
	*ret = arena;
	return NULL;
}

bool dump_arena_holds(const struct dump_arena *arena, uint64_t pointer)
{
	return arena->user_start && pointer >> 32 == arena->user_start >> 32;
}

enum kmem_status dump_arena_read(struct kmem_space *space, const struct dump_arena *arena,
				 uint64_t pointer, void *buf, size_t n)
{
	uint64_t offset = pointer & (ARENA_BYTES - 1);

	if (n > ARENA_BYTES - offset)
		return KMEM_READ_UNMAPPED;
	return kmem_read(space, arena->kernel_start + offset, buf, n, NULL);
}

/* The page at a kernel address, as long as it is one of the arena. */
static bool see_page(struct kmem_space *space, const struct dump_arena *arena, uint64_t user,
		     uint64_t physical, struct kmem_walk *walk, dump_arena_page_fn fn,
		     void *context)
{
	uint8_t bytes[KMEM_PAGE_BYTES];
	enum kmem_status status;

	if (arena->scratch && physical == arena->scratch)
		return true;
	if (!kmem_walk_shows(walk))
		return true;
	status = kmem_pages_read(&space->pages, physical, bytes, sizeof(bytes));
	if (status != KMEM_READ_OK) {
		walk->end = KMEM_WALK_UNREADABLE;
		walk->status = status;
		walk->failed = physical;
		return false;
	}
	if (fn(context, user, bytes))
		return true;
	walk->end = KMEM_WALK_STOPPED;
	return false;
}

void dump_arena_pages(struct kmem_space *space, const struct dump_arena *arena,
		      struct kmem_walk *walk, dump_arena_page_fn fn, void *context)
{
	uint64_t user = arena->user_start;
	uint64_t failed = 0;
	enum kmem_status blind = KMEM_READ_OK;

	kmem_walk_begin(walk);
	while (user < arena->user_end) {
		uint64_t offset = user & (ARENA_BYTES - 1);
		struct kmem_mapping mapping = { 0 };
		enum kmem_status status;

		if (!kmem_walk_step(walk))
			return;
		status = kmem_paging_walk(&space->paging, &space->pages,
					  arena->kernel_start + offset, &mapping);
		if (status == KMEM_READ_OK) {
			if (!see_page(space, arena, user, mapping.physical, walk, fn, context))
				return;
			user += KMEM_PAGE_BYTES;
			continue;
		}
		/* The kernel's addresses need not begin where the tables do, pages do. */
		if (status != KMEM_READ_UNMAPPED || mapping.left < KMEM_PAGE_BYTES)
			mapping.left = KMEM_PAGE_BYTES;
		if (status != KMEM_READ_UNMAPPED && !blind) {
			blind = status;
			failed = arena->kernel_start + offset;
		}
		if (mapping.left >= arena->user_end - user)
			break;
		user += mapping.left / KMEM_PAGE_BYTES * KMEM_PAGE_BYTES;
	}
	if (!blind)
		return;
	walk->end = KMEM_WALK_UNREADABLE;
	walk->status = blind;
	walk->failed = failed;
}

/* enum bpf_map_type */
enum { TYPE_ARRAY = 2, TYPE_ARENA = 33 };
/* enum bpf_prog_type */
enum { TYPE_STRUCT_OPS = 27 };

struct search {
	struct kmem *kmem;
	struct dump_globals_scene *scene;
};

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
	if (kmem_get(kmem, KMEM_F_MAP_MAX_ENTRIES, map, &n) ||
	    kmem_get(kmem, KMEM_F_MAP_BTF, map, &globals.btf) ||
	    kmem_get(kmem, KMEM_F_MAP_VALUE_TYPE, map, &section) ||
	    kmem_get(kmem, KMEM_F_MAP_VALUE_SIZE, map, &globals.bytes)) {
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

	if (kmem_get(search->kmem, KMEM_F_MAP_TYPE, map, &type)) {
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

	if (kmem_get(kmem, KMEM_F_PROG_AUX, program, &aux) ||
	    kmem_get(kmem, KMEM_F_PROG_AUX_ARENA, aux, &use.arena) ||
	    kmem_get(kmem, KMEM_F_PROG_AUX_MAPS, aux, &maps) ||
	    kmem_get(kmem, KMEM_F_PROG_AUX_N_MAPS, aux, &n)) {
		search->scene->n_unreadable++;
		return true;
	}
	use.is_struct_ops = !kmem_get(kmem, KMEM_F_PROG_TYPE, program, &type) &&
			    type == TYPE_STRUCT_OPS;
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
