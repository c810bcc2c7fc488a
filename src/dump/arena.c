// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/dump.h"
#include "dump/globals.h"
#include "dump/member.h"
#include "text/escape.h"

struct show {
	struct dump_sink *sink;
	uint64_t n_filled;
};

/* Zeros at the end are left out: a page is mostly those. */
static void add_hex(struct json_writer *json, const uint8_t *bytes)
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
	json_add_string(json, "hex", text);
}

static bool show_page(void *context, uint64_t user, const uint8_t *bytes)
{
	static const uint8_t zeros[KMEM_PAGE_BYTES];
	struct show *show = context;
	struct json_writer *json = show->sink->json;

	show->n_filled += memcmp(bytes, zeros, sizeof(zeros)) != 0;
	if (!json)
		return true;
	json_begin_object(json);
	dump_add_hex(json, "user_addr", user);
	add_hex(json, bytes);
	json_end_object(json);
	return true;
}

static void show_arena(struct kmem *kmem, const struct arena *arena, uint64_t wanted,
		       struct dump_sink *sink)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	struct kmem_walk walk = dump_walk_wanted(sink, wanted);
	struct show show = { .sink = sink };
	struct json_writer *json = sink->json;

	if (json) {
		json_begin_object(json);
		dump_text_json(json, "name", arena->name_status, arena->name);
		if (dump_is_read(json, "id", arena->id_status))
			json_add_u64(json, "id", arena->id);
		dump_add_hex(json, "user_vm_start", arena->user_start);
		dump_add_hex(json, "user_vm_end", arena->user_end);
		dump_add_hex(json, "kern_vm_start", arena->kernel_start);
		json_add_u64(json, "declared_pages", arena->declared_pages);
		json_key(json, "pages");
		json_begin_array(json);
	}
	arena_pages(&kmem->space, arena, &walk, show_page, &show);
	if (json) {
		json_end_array(json);
		dump_walk(sink, "pages", &walk);
		json_end_object(json);
		return;
	}
	text_escape(&name, arena->name_status ? "?" : arena->name);
	strbuf_append(&name, arena->id_status ? " (id ?)" : "");
	if (!arena->id_status)
		strbuf_appendf(&name, " (id %u)", arena->id);
	/* What was not looked at may be zero or not. */
	dump_line(sink,
		  "arena %s 0x%llx … 0x%llx: %llu pages present of %llu declared, %llu%s not zero",
		  strbuf_str(&name), (unsigned long long)arena->user_start,
		  (unsigned long long)arena->user_end, (unsigned long long)walk.n,
		  (unsigned long long)arena->declared_pages, (unsigned long long)show.n_filled,
		  walk.n_shown < walk.n ? " of those looked at" : "");
	sink->indent += 2;
	dump_walk(sink, "pages", &walk);
	sink->indent -= 2;
}

struct error *dump_arena(struct kmem *kmem, const struct dump_request *request,
			 struct dump_sink *sink)
{
	_cleanup_globals_ struct globals_scene scene = { 0 };
	struct error *err = globals_find(kmem, &scene);

	if (err)
		return err;
	if (sink->json) {
		json_key(sink->json, "arenas");
		json_begin_array(sink->json);
	}
	for (size_t i = 0; i < scene.arenas.n; i++)
		show_arena(kmem, &scene.arenas.at[i], request->max_entries, sink);
	if (sink->json) {
		json_end_array(sink->json);
		json_add_string(sink->json, "unreadable",
				scene.bad_arena ? error_message(scene.bad_arena) : NULL);
	}
	globals_say_missing(&scene, sink);
	if (scene.arenas.n == 0 && !scene.bad_arena)
		dump_line(sink, "no arena");
	if (scene.bad_arena)
		dump_line(sink, "%llu unreadable, the first: %s",
			  (unsigned long long)scene.n_bad_arenas, error_message(scene.bad_arena));
	return NULL;
}
