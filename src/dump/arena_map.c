// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/globals.h"

#include "dump/limits.h"

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
