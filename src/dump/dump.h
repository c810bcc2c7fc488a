/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Views of a guest's kernel. Each is one function and one row in views.def:
 *
 *	struct error *dump_tasks(struct kmem *kmem, const struct dump_request *request,
 *				 struct dump_sink *sink);
 *
 * It writes lines of text or members of a JSON object, which its caller has opened and closes. An
 * error means that the view cannot be shown; its caller says "unavailable: reason". What could be
 * shown before stays, so a view closes what it has opened in JSON before it returns.
 *
 * Every byte comes from the guest: walks are bounded and say "shown a of b", texts are escaped,
 * what could not be read is unknown and never 0.
 */
#ifndef KTSTR_DUMP_DUMP_H
#define KTSTR_DUMP_DUMP_H

#include "dump/limits.h"
#include "json/writer.h"
#include "kmem/kmem.h"
#include "kmem/walk.h"
#include "physmap/registers.h"

struct dump_request {
	const char *argument; /* "NAME" of `map NAME`; NULL: none */
	uint64_t max_entries; /* of each list; 0: all */
	/* By the number of the CPU; none when the source has none (n_registers is 0). */
	const struct physmap_registers *registers;
	size_t n_registers;
};

/* Exactly one of text and json is set. */
struct dump_sink {
	struct strbuf *text;
	struct json_writer *json;
	size_t lines_left; /* of text */
	size_t lines_lost; /* for which there was no room */
	size_t most_json;  /* bytes; what is open is closed all the same */
	unsigned int indent;
	bool zeros; /* text shows members of structs that are 0, else how many there are */
};

struct dump_sink dump_sink_to_text(struct strbuf *text, size_t lines);
struct dump_sink dump_sink_to_json(struct json_writer *json);

/*
 * One line of text within the budget, indented and escaped, so foreign text may be in it; nothing
 * happens when the sink is JSON.
 */
void dump_line(struct dump_sink *sink, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Lines of text that are safe to show as they are. */
void dump_lines(struct dump_sink *sink, const char *text);
/* One line of bytes that the guest wrote, as long as a line may be. */
void dump_line_foreign(struct dump_sink *sink, const char *bytes, size_t n);

/*
 * Parts of JSON; nothing happens when the sink is text. The key is NULL for an element of a list.
 * dump_open() and dump_close() are about objects.
 */
void dump_open(struct dump_sink *sink, const char *key);
void dump_close(struct dump_sink *sink);
void dump_open_list(struct dump_sink *sink, const char *key);
void dump_close_list(struct dump_sink *sink);
void dump_add_u64(struct dump_sink *sink, const char *key, uint64_t value);
void dump_add_bool(struct dump_sink *sink, const char *key, bool value);
/* Left out when NULL. */
void dump_add_string(struct dump_sink *sink, const char *key, const char *text);
/* A number as "0xffff…": doubles of other languages cannot hold it. */
void dump_add_hex(struct dump_sink *sink, const char *key, uint64_t value);

/* Both forms: a member of JSON, and a line "label: text". Nothing when `text` is NULL. */
void dump_say(struct dump_sink *sink, const char *key, const char *label, const char *text);
/* The same about something that is missing: "label: unavailable: reason"; label may be NULL. */
void dump_unavailable(struct dump_sink *sink, const char *key, const char *label,
		      const char *reason);
/* A number, and a line "<n> <what>". Nothing when it is 0. */
void dump_say_count(struct dump_sink *sink, const char *key, uint64_t n, const char *what);

/* A walk that shows at most `wanted` (0: all), and no more than there is room for. */
struct kmem_walk dump_walk_wanted(const struct dump_sink *sink, uint64_t wanted);
/* JSON has grown as long as it may. */
bool dump_sink_is_full(const struct dump_sink *sink);
/*
 * How a walk ended: in text a line "<what>: shown a of b" (nothing when all was shown), in JSON the
 * members "shown", "total" and, when it did not come to its end, "incomplete" with the reason.
 */
void dump_walk(struct dump_sink *sink, const char *what, const struct kmem_walk *walk);

typedef struct error *(*dump_view_fn)(struct kmem *kmem, const struct dump_request *request,
				      struct dump_sink *sink);

struct dump_view {
	const char *word, *argument, *meaning;
	dump_view_fn show;
};

#define DUMP_VIEW(id, word, argument, meaning)                                         \
	struct error *dump_##id(struct kmem *kmem, const struct dump_request *request, \
				struct dump_sink *sink) MUST_CHECK;
#include "dump/views.def"
#undef DUMP_VIEW

extern const struct dump_view dump_views[];
extern const size_t dump_n_views;
/* NULL: there is none of that name. */
const struct dump_view *dump_view_find(const char *word);
/* False when it takes none, or may do without ("[PID]"). */
bool dump_view_needs_argument(const struct dump_view *view);

/* One view alone, in JSON as an object; its error is the caller's to show. */
struct error *dump_one(const struct dump_view *view, struct kmem *kmem,
		       const struct dump_request *request, struct dump_sink *sink) MUST_CHECK;
/* All that need no argument, each with its own "unavailable: reason". In JSON one object. */
void dump_all(struct kmem *kmem, const struct dump_request *request, struct dump_sink *sink);

/*
 * The report on a guest that is frozen: text within `lines` lines (0: DUMP_DEFAULT_LINES) and
 * complete JSON. Either may be NULL. It cannot fail: a guest without a kernel says why in each
 * section, `kmem` is NULL then and `reason` says why.
 */
void dump_failure(struct kmem *kmem, const char *reason, const struct dump_request *request,
		  size_t lines, struct strbuf *text, struct strbuf *json);

#endif
