// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/alloc.h"
#include "dump/dump.h"
#include "dump/globals.h"
#include "dump/sdt.h"
#include "kmem/modules.h"

enum { MOST_DIMENSIONS = 8 };

struct view {
	struct kmem *kmem;
	const struct dump_request *request;
	struct dump_sink *sink;
	struct dump_globals_scene scene;
	struct dump_values values;
	/* The types used last: the maps of one program are adjacent. */
	struct kmem_btf *btf;
	uint64_t btf_at;
	uint64_t n_types, n_variables, n_allocators, n_ranges;
	uint64_t n_steps;
	/* Maps of variables whose types cannot be had, and why not. */
	uint64_t n_blind;
	struct error *blind;
};

typedef void (*variable_fn)(struct view *view, const struct dump_globals *globals,
			    const struct btf_variable *variable, const struct btf_type *type);

static bool load_btf(struct view *view, uint64_t address)
{
	struct error *err;

	if (view->btf && view->btf_at == address)
		return true;
	kmem_btf_free(view->btf);
	view->btf = NULL;
	if (view->n_types++ >= DUMP_LIMIT_PROGRAM_TYPES)
		err = base_error(BASE_LIMIT, 0, "types of more than %d programs",
				 DUMP_LIMIT_PROGRAM_TYPES);
	else
		err = kmem_btf_load(view->kmem, address, &view->btf);
	view->btf_at = address;
	if (!err)
		return true;
	view->n_blind++;
	if (view->blind)
		error_free(err);
	else
		view->blind = err;
	return false;
}

/* What is inside of arrays, also of arrays in arrays. */
static bool innermost(const struct btf *btf, uint32_t id, struct btf_type *ret)
{
	struct btf_array array;
	unsigned int depth = 0;

	while (btf_resolve(btf, id, ret) == BTF_ANSWER_OK) {
		if (!btf_get_array(ret, &array))
			return true;
		if (++depth > MOST_DIMENSIONS)
			return false;
		id = array.element;
	}
	return false;
}

/* A struct, or each of an array of them: "name[3]", "name[0][1]". */
static void see_variable(struct view *view, const struct dump_globals *globals,
			 const struct btf_variable *variable, variable_fn fn)
{
	struct btf_type type;
	struct btf_array array;
	uint64_t size;

	if (view->n_variables++ >= DUMP_LIMIT_VARIABLES ||
	    btf_resolve(view->btf->btf, variable->type, &type) != BTF_ANSWER_OK)
		return;
	if (!btf_get_array(&type, &array)) {
		fn(view, globals, variable, &type);
		return;
	}
	if (btf_size(view->btf->btf, array.element, &size) != BTF_ANSWER_OK)
		return;
	for (uint32_t i = 0; i < array.n && view->n_variables < DUMP_LIMIT_VARIABLES; i++) {
		_cleanup_free_ char *name = xasprintf("%s[%u]", variable->name, i);
		uint64_t offset = variable->offset + i * size;

		if (offset > UINT32_MAX)
			return;
		see_variable(view, globals,
			     &(struct btf_variable){ .name = name,
						     .id = variable->id,
						     .type = array.element,
						     .offset = (uint32_t)offset,
						     .bytes = (uint32_t)size },
			     fn);
	}
}

/* Every variable of the section that is a struct of that name. */
static void each_variable(struct view *view, const struct dump_globals *globals, const char *name,
			  variable_fn fn)
{
	struct btf_type section, type;
	struct btf_variable variable;

	if (!load_btf(view, globals->btf) ||
	    !btf_type(view->btf->btf, globals->section, &section) || section.kind != BTF_DATASEC)
		return;
	for (uint32_t i = 0; i < section.n && view->n_variables < DUMP_LIMIT_VARIABLES; i++) {
		view->n_variables++;
		if (btf_get_variable(view->btf->btf, &section, i, &variable) &&
		    innermost(view->btf->btf, variable.type, &type) && type.kind == BTF_STRUCT &&
		    strcmp(type.name, name) == 0)
			see_variable(view, globals, &variable, fn);
	}
}

static struct error *read_image(struct view *view, const struct dump_globals *globals,
				const struct btf_variable *variable, uint64_t bytes, void **ret)
{
	_cleanup_free_ void *image = NULL;
	struct error *err;

	if (variable->offset > globals->bytes || bytes > globals->bytes - variable->offset)
		return kmem_error(KMEM_UNREAD, 0, "%s is outside its map", variable->name);
	err = alloc_checked(bytes, 1, DUMP_LIMIT_ALLOCATOR_BYTES, variable->name, &image);
	if (!err)
		err = kmem_read_exact(&view->kmem->space, globals->value + variable->offset, image,
				      bytes, variable->name);
	if (err)
		return err;
	*ret = take_ptr(image);
	return NULL;
}

static void show_allocator(struct view *view, const struct dump_globals *globals,
			   const struct btf_variable *variable, const struct btf_type *type)
{
	_cleanup_free_ void *image = NULL;
	_cleanup_error_ struct error *err = NULL;
	struct dump_sdt_layout layout = { 0 };
	struct dump_sdt_allocator allocator = { .name = variable->name,
						.btf = view->btf->btf,
						.layout = &layout,
						.n_steps = &view->n_steps };
	struct cursor c;

	(void)type;
	if (view->n_allocators++ >= DUMP_LIMIT_ALLOCATORS)
		return;
	err = dump_sdt_layout_of(view->btf->btf, &layout);
	if (!err)
		err = read_image(view, globals, variable, layout.allocator_size, &image);
	if (err) {
		allocator.unavailable = error_message(err);
	} else {
		allocator.image = (struct bytes){ image, layout.allocator_size };
		c = cursor_over(allocator.image);
		cursor_seek(&c, layout.allocator_root);
		allocator.arena = dump_globals_arena(&view->scene, globals->arena, cursor_u64(&c));
	}
	dump_sdt_show(&view->values, &allocator, view->request->max_entries, view->sink);
}

static bool member(const struct btf *btf, const struct btf_type *type, const char *name,
		   const void *image, uint64_t *ret)
{
	struct btf_place place;
	struct cursor c = cursor_over((struct bytes){ image, type->size_or_type });
	_cleanup_error_ struct error *err = btf_path(btf, type->id, name, &place);

	if (err || place.bits || place.size == 0 || place.size > 8)
		return false;
	cursor_seek(&c, place.offset);
	*ret = cursor_uint(&c, (unsigned int)place.size);
	return !c.failed;
}

/* A bump allocator: nothing in its range says what lies where. */
static void show_static(struct view *view, const struct dump_globals *globals,
			const struct btf_variable *variable, const struct btf_type *type)
{
	_cleanup_free_ char *label = xasprintf("scx_static %s", variable->name);
	_cleanup_free_ void *image = NULL;
	_cleanup_error_ struct error *err = read_image(view, globals, variable, type->size_or_type,
						       &image);
	const struct btf *btf = view->btf->btf;
	struct dump_sink *sink = view->sink;
	uint64_t memory, bytes, used;

	if (!err && (!member(btf, type, "memory", image, &memory) ||
		     !member(btf, type, "max_alloc_bytes", image, &bytes) ||
		     !member(btf, type, "off", image, &used)))
		err = btf_error(BTF_NO_MEMBER, 0,
				"struct scx_static lacks memory, max_alloc_bytes or off");
	/* One that was never set up has none. */
	if (!err && !memory)
		return;
	if (view->n_ranges++ >= DUMP_LIMIT_ALLOCATORS)
		return;
	dump_open(sink, NULL);
	dump_add_string(sink, "name", variable->name);
	if (err) {
		dump_unavailable(sink, "unavailable", label, error_message(err));
	} else {
		dump_add_hex(sink, "memory", memory);
		dump_add_u64(sink, "max_alloc_bytes", bytes);
		dump_add_u64(sink, "off", used);
		dump_line(sink, "%s: 0x%llx, %llu of %llu bytes used", label,
			  (unsigned long long)memory, (unsigned long long)used,
			  (unsigned long long)bytes);
	}
	dump_close(sink);
}

static void each_globals(struct view *view, const char *key, const char *name, variable_fn fn)
{
	/* Both rounds meet the same. */
	view->n_blind = 0;
	dump_open_list(view->sink, key);
	for (size_t i = 0; i < view->scene.globals.n; i++)
		each_variable(view, &view->scene.globals.at[i], name, fn);
	dump_close_list(view->sink);
}

static void say_limit(struct view *view, const char *what, uint64_t n)
{
	if (n <= DUMP_LIMIT_ALLOCATORS)
		return;
	dump_line(view->sink, "%s: shown %d of %llu", what, DUMP_LIMIT_ALLOCATORS,
		  (unsigned long long)n);
	dump_add_u64(view->sink, what, n);
}

/* Where something may have been that was not seen. */
static void say_missing(struct view *view)
{
	struct dump_sink *sink = view->sink;

	dump_globals_say_missing(&view->scene, sink);
	if (view->n_variables >= DUMP_LIMIT_VARIABLES) {
		dump_line(sink, "variables: given up after %d", DUMP_LIMIT_VARIABLES);
		dump_add_u64(sink, "variables_given_up_after", DUMP_LIMIT_VARIABLES);
	}
	if (!view->n_blind)
		return;
	dump_add_string(sink, "types_unavailable", error_message(view->blind));
	dump_line(sink, "types of %llu maps of variables: unavailable: %s",
		  (unsigned long long)view->n_blind, error_message(view->blind));
}

/* Which of the things it takes is missing. */
static struct error *why_none(const struct view *view)
{
	const struct dump_globals_scene *scene = &view->scene;

	if (view->n_blind)
		return kmem_error(KMEM_UNREAD, 0, "types of %llu maps of variables: %s",
				  (unsigned long long)view->n_blind, error_message(view->blind));
	if (scene->bad_arena)
		return kmem_error(KMEM_UNREAD, 0, "%s", error_message(scene->bad_arena));
	if (scene->n_unreadable || scene->maps.end != KMEM_WALK_WHOLE ||
	    scene->programs.end != KMEM_WALK_WHOLE)
		return kmem_error(
			KMEM_UNREAD, 0,
			"no allocator was found, but not all BPF maps and programs can be read");
	if (scene->arenas.n == 0)
		return base_error(BASE_ABSENT, 0, "no BPF program has an arena");
	if (scene->globals.n == 0)
		return base_error(BASE_ABSENT, 0, "no BPF program has variables with types");
	return base_error(BASE_ABSENT, 0, "no BPF program has a variable of struct scx_allocator");
}

struct error *dump_sdt(struct kmem *kmem, const struct dump_request *request,
		       struct dump_sink *sink)
{
	struct view view = { .kmem = kmem,
			     .request = request,
			     .sink = sink,
			     .values = { .kmem = kmem, .max_nodes = DUMP_LIMIT_PAYLOAD_NODES } };
	struct error *err = dump_globals_find(kmem, &view.scene);

	view.values.scene = &view.scene;
	if (!err) {
		each_globals(&view, "sdt_allocations", "scx_allocator", show_allocator);
		each_globals(&view, "scx_static", "scx_static", show_static);
		if (view.n_allocators + view.n_ranges == 0)
			err = why_none(&view);
		else
			say_missing(&view);
		say_limit(&view, "allocators", view.n_allocators);
		say_limit(&view, "ranges", view.n_ranges);
	}
	dump_values_deinit(&view.values);
	kmem_btf_free(view.btf);
	error_free(view.blind);
	dump_globals_deinit(&view.scene);
	return err;
}
