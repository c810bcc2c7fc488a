// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "dump/dump.h"
#include "text/terminal.h"

struct dump_sink dump_sink_to_text(struct strbuf *text, size_t lines)
{
	return (struct dump_sink){ .text = text, .lines_left = lines };
}

struct dump_sink dump_sink_to_json(struct json_writer *json)
{
	return (struct dump_sink){ .json = json,
				   .most_json = json->out->n + DUMP_LIMIT_JSON_BYTES };
}

bool dump_sink_is_full(const struct dump_sink *sink)
{
	return sink->json && sink->json->out->n >= sink->most_json;
}

struct kmem_walk dump_walk_wanted(const struct dump_sink *sink, uint64_t wanted)
{
	return (struct kmem_walk){ .wanted = wanted,
				   .written = sink->json ? &sink->json->out->n : NULL,
				   .most_written = sink->most_json };
}

static void add_line(struct dump_sink *sink, const char *text, size_t n)
{
	if (sink->lines_left == 0) {
		sink->lines_lost++;
		return;
	}
	sink->lines_left--;
	if (n) {
		strbuf_append_repeated(sink->text, ' ', sink->indent);
		strbuf_append_bytes(sink->text, text, n);
	}
	strbuf_append_char(sink->text, '\n');
}

void dump_lines(struct dump_sink *sink, const char *text)
{
	if (!sink->text)
		return;
	do {
		size_t n = strcspn(text, "\n");

		add_line(sink, text, n);
		text += n + (text[n] == '\n');
	} while (*text);
}

void dump_line(struct dump_sink *sink, const char *fmt, ...)
{
	_cleanup_strbuf_ struct strbuf safe = STRBUF_INIT;
	_cleanup_free_ char *text = NULL;
	va_list args;

	if (!sink->text)
		return;
	va_start(args, fmt);
	text = xvasprintf(fmt, args);
	va_end(args);
	text_escape(&safe, text);
	add_line(sink, strbuf_str(&safe), safe.n);
}

void dump_line_foreign(struct dump_sink *sink, const char *bytes, size_t n)
{
	_cleanup_strbuf_ struct strbuf safe = STRBUF_INIT;

	if (!sink->text)
		return;
	text_escape_bytes(&safe, bytes, n < DUMP_LIMIT_LINE_BYTES ? n : DUMP_LIMIT_LINE_BYTES);
	add_line(sink, strbuf_str(&safe), safe.n);
	if (n > DUMP_LIMIT_LINE_BYTES)
		dump_line(sink, "… %zu bytes more", n - DUMP_LIMIT_LINE_BYTES);
}

/* The writer, waiting for the value of that key; NULL: the sink is text. */
static struct json_writer *at_key(struct dump_sink *sink, const char *key)
{
	if (sink->json && key)
		json_key(sink->json, key);
	return sink->json;
}

void dump_open(struct dump_sink *sink, const char *key)
{
	if (at_key(sink, key))
		json_begin_object(sink->json);
}

void dump_close(struct dump_sink *sink)
{
	if (sink->json)
		json_end_object(sink->json);
}

void dump_open_list(struct dump_sink *sink, const char *key)
{
	if (at_key(sink, key))
		json_begin_array(sink->json);
}

void dump_close_list(struct dump_sink *sink)
{
	if (sink->json)
		json_end_array(sink->json);
}

void dump_add_u64(struct dump_sink *sink, const char *key, uint64_t value)
{
	if (at_key(sink, key))
		json_write_u64(sink->json, value);
}

void dump_add_bool(struct dump_sink *sink, const char *key, bool value)
{
	if (at_key(sink, key))
		json_write_bool(sink->json, value);
}

void dump_add_string(struct dump_sink *sink, const char *key, const char *text)
{
	if (text && at_key(sink, key))
		json_write_string(sink->json, text);
}

void dump_add_hex(struct dump_sink *sink, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	dump_add_string(sink, key, text);
}

void dump_say(struct dump_sink *sink, const char *key, const char *label, const char *text)
{
	dump_add_string(sink, key, text);
	if (text)
		dump_line(sink, "%s: %s", label, text);
}

void dump_unavailable(struct dump_sink *sink, const char *key, const char *label,
		      const char *reason)
{
	dump_add_string(sink, key, reason);
	dump_line(sink, "%s%sunavailable: %s", label ? label : "", label ? ": " : "", reason);
}

void dump_say_count(struct dump_sink *sink, const char *key, uint64_t n, const char *what)
{
	if (!n)
		return;
	dump_add_u64(sink, key, n);
	dump_line(sink, "%llu %s", (unsigned long long)n, what);
}

void dump_walk(struct dump_sink *sink, const char *what, const struct kmem_walk *walk)
{
	_cleanup_strbuf_ struct strbuf how = STRBUF_INIT;
	/* What does not point back may have been left out: a subtree of an xarray is. */
	bool whole = walk->end == KMEM_WALK_WHOLE && walk->n_shown == walk->n &&
		     !walk->n_bad_backlinks;

	kmem_walk_format(walk, &how);
	dump_add_u64(sink, "shown", walk->n_shown);
	dump_add_u64(sink, "total", walk->n);
	dump_say(sink, "incomplete", what, whole ? NULL : strbuf_str(&how));
}
