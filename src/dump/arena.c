// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/alloc.h"
#include "dump/globals.h"
#include "dump/rows.h"

struct show {
	struct dump_sink *sink;
	uint64_t n_filled;
};

struct shown_arena {
	struct dump_arena arena;
	struct dump_text name;
	struct dump_member id;
};

/* Zeros at the end are left out: a page is mostly those. */
static void add_bytes(struct dump_sink *sink, const uint8_t *bytes)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * KMEM_PAGE_BYTES + 1];
	size_t n = KMEM_PAGE_BYTES;

	while (n && !bytes[n - 1])
		n--;
	for (size_t i = 0; i < n; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	text[2 * n] = 0;
	dump_add_string(sink, "hex", text);
}

static bool show_page(void *context, uint64_t user, const uint8_t *bytes)
{
	static const uint8_t zeros[KMEM_PAGE_BYTES];
	struct show *show = context;

	show->n_filled += memcmp(bytes, zeros, sizeof(zeros)) != 0;
	if (!show->sink->json)
		return true;
	dump_open(show->sink, NULL);
	dump_add_hex(show->sink, "user_addr", user);
	add_bytes(show->sink, bytes);
	dump_close(show->sink);
	return true;
}

static const struct dump_column columns[] = {
	{ .key = "name", DUMP_TEXT(shown_arena, name) },
	{ .key = "id", DUMP_MEMBER(shown_arena, id) },
	{ .key = "user_vm_start", DUMP_HEX(shown_arena, arena.user_start) },
	{ .key = "user_vm_end", DUMP_HEX(shown_arena, arena.user_end) },
	{ .key = "kern_vm_start", DUMP_HEX(shown_arena, arena.kernel_start) },
	{ .key = "declared_pages", DUMP_U64(shown_arena, arena.declared_pages) },
};

static void show_arena(struct kmem *kmem, const struct dump_arena *arena, uint64_t wanted,
		       struct dump_sink *sink)
{
	const struct shown_arena shown = { .arena = *arena,
					   .name = { arena->name_status, arena->name },
					   .id = { .status = arena->id_status,
						   .value = arena->id } };
	_cleanup_free_ char *id = arena->id_status ? xstrdup("?") : xasprintf("%u", arena->id);
	struct kmem_walk walk = dump_walk_wanted(sink, wanted);
	struct show show = { .sink = sink };

	dump_open(sink, NULL);
	dump_row_add(sink, columns, ARRAY_SIZE(columns), &shown);
	dump_open_list(sink, "pages");
	dump_arena_pages(&kmem->space, arena, &walk, show_page, &show);
	dump_close_list(sink);
	/* What was not looked at may be zero or not. */
	dump_line(
		sink,
		"arena %s (id %s) 0x%llx … 0x%llx: %llu pages present of %llu declared, %llu%s not zero",
		arena->name_status ? "?" : arena->name, id, (unsigned long long)arena->user_start,
		(unsigned long long)arena->user_end, (unsigned long long)walk.n,
		(unsigned long long)arena->declared_pages, (unsigned long long)show.n_filled,
		walk.n_shown < walk.n ? " of those looked at" : "");
	sink->indent += 2;
	dump_walk(sink, "pages", &walk);
	sink->indent -= 2;
	dump_close(sink);
}

struct error *dump_arena(struct kmem *kmem, const struct dump_request *request,
			 struct dump_sink *sink)
{
	_cleanup_dump_globals_ struct dump_globals_scene scene = { 0 };
	struct error *err = dump_globals_find(kmem, &scene);

	if (err)
		return err;
	dump_open_list(sink, "arenas");
	for (size_t i = 0; i < scene.arenas.n; i++)
		show_arena(kmem, &scene.arenas.at[i], request->max_entries, sink);
	dump_close_list(sink);
	if (scene.bad_arena)
		dump_add_string(sink, "unreadable", error_message(scene.bad_arena));
	dump_globals_say_missing(&scene, sink);
	if (scene.arenas.n == 0 && !scene.bad_arena)
		dump_line(sink, "no arena");
	if (scene.bad_arena)
		dump_line(sink, "%llu unreadable, the first: %s",
			  (unsigned long long)scene.n_bad_arenas, error_message(scene.bad_arena));
	return NULL;
}
