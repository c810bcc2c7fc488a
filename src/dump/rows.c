// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/rows.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "text/terminal.h"

static const void *cell(const struct dump_column *column, const void *row)
{
	return (const char *)row + column->offset;
}

void dump_row_read(struct kmem *kmem, uint64_t base, const struct dump_column *columns, size_t n,
		   void *row)
{
	for (size_t i = 0; i < n; i++) {
		const struct dump_column *c = &columns[i];

		if (c->reads)
			*(struct dump_member *)((char *)row + c->offset) =
				c->is_signed ? dump_read_signed(kmem, c->field, base)
					     : dump_read(kmem, c->field, base);
	}
}

static void add_object(struct dump_sink *sink, const struct dump_column *c, const void *row)
{
	dump_open(sink, c->key);
	dump_row_add(sink, c->columns, c->n_columns, row);
	dump_close(sink);
}

static void add_cell(struct dump_sink *sink, const struct dump_column *c, const void *at)
{
	const struct dump_member *member = at;
	const struct dump_text *text = at;

	switch (c->kind) {
	case DUMP_KIND_U64:
		dump_add_u64(sink, c->key, *(const uint64_t *)at);
		break;
	case DUMP_KIND_HEX:
		dump_add_hex(sink, c->key, *(const uint64_t *)at);
		break;
	case DUMP_KIND_BOOL:
		dump_add_bool(sink, c->key, *(const bool *)at);
		break;
	case DUMP_KIND_STRING:
		dump_add_string(sink, c->key, *(const char *const *)at);
		break;
	case DUMP_KIND_TEXT:
		dump_add_text(sink, c->key, text->status, text->text);
		break;
	case DUMP_KIND_MEMBER:
		dump_add_member(sink, c->key, member);
		break;
	case DUMP_KIND_MEMBER_HEX:
		dump_add_member_hex(sink, c->key, member);
		break;
	case DUMP_KIND_MEMBER_BOOL:
		if (dump_is_read(sink, c->key, member->status))
			dump_add_bool(sink, c->key, member->value != 0);
		break;
	case DUMP_KIND_OBJECT:
		add_object(sink, c, at);
		break;
	}
}

void dump_row_add(struct dump_sink *sink, const struct dump_column *columns, size_t n,
		  const void *row)
{
	for (size_t i = 0; i < n; i++) {
		if (columns[i].key)
			add_cell(sink, &columns[i], cell(&columns[i], row));
	}
}

/* Unknown to this kernel is "-", unreadable "?". */
static void format_cell(const struct dump_column *c, const void *at, struct strbuf *into)
{
	const struct dump_text string = { .text = c->kind == DUMP_KIND_STRING
							  ? *(const char *const *)at
							  : NULL };
	const struct dump_text *text = c->kind == DUMP_KIND_TEXT ? at : &string;
	const struct dump_member number = { .value = c->kind < DUMP_KIND_BOOL
							     ? *(const uint64_t *)at
							     : 0 };
	const struct dump_member *member = c->kind >= DUMP_KIND_MEMBER ? at : &number;
	enum kmem_status status = text->status ? text->status : member->status;

	if (status)
		strbuf_append(into, status == KMEM_READ_UNKNOWN ? "-" : "?");
	else if (c->kind == DUMP_KIND_TEXT || c->kind == DUMP_KIND_STRING)
		text_escape(into, text->text ? text->text : "-");
	else
		strbuf_appendf(into,
			       c->kind == DUMP_KIND_HEX ? "0x%llx"
			       : member->is_signed	? "%lld"
							: "%llu",
			       (unsigned long long)member->value);
}

/* The column at a place of the text; NULL: there are no more. */
static const struct dump_column *column_at(const struct dump_rows *rows, size_t place)
{
	for (size_t i = 0, seen = 0; i < rows->n; i++) {
		const struct dump_column *c = &rows->columns[i];

		if (c->title && (c->place ? c->place == place + 1 : seen == place))
			return c;
		seen += c->title != NULL;
	}
	return NULL;
}

static void show_titles(struct dump_rows *rows)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	const struct dump_column *c;

	for (size_t i = 0; (c = column_at(rows, i)); i++)
		strbuf_appendf(&line, i ? " %*s" : "%*s", c->width, c->title);
	if (rows->columns[0].title && rows->columns[0].title[0])
		dump_lines(rows->sink, strbuf_str(&line));
}

static void begin_table(struct dump_rows *rows)
{
	const struct dump_column *c;
	size_t n = 0;

	rows->titles = xcalloc(rows->n, sizeof(*rows->titles));
	for (; (c = column_at(rows, n)); n++)
		rows->titles[n] = (struct text_column){ .title = c->title,
							.right = c->kind == DUMP_KIND_U64 ||
								 c->kind == DUMP_KIND_MEMBER ||
								 c->width > 0 };
	rows->table = text_table_new(rows->titles, n);
}

void dump_rows_begin(struct dump_rows *rows, struct dump_sink *sink, const char *key,
		     const struct dump_column *columns, size_t n)
{
	bool fixed = false;

	*rows = (struct dump_rows){ .sink = sink, .columns = columns, .n = n };
	dump_open_list(sink, key);
	for (size_t i = 0; i < n; i++)
		fixed |= columns[i].width < 0;
	if (sink->text && fixed)
		show_titles(rows);
	else if (sink->text)
		begin_table(rows);
}

void dump_rows_add(struct dump_rows *rows, const void *row)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	const struct dump_column *c;

	if (rows->sink->json) {
		dump_open(rows->sink, NULL);
		dump_row_add(rows->sink, rows->columns, rows->n, row);
		dump_close(rows->sink);
		return;
	}
	for (size_t i = 0; (c = column_at(rows, i)); i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		format_cell(c, cell(c, row), &text);
		if (rows->table)
			text_table_add(rows->table, strbuf_str(&text));
		else
			strbuf_appendf(&line, i ? " %*s" : "%*s", c->width, strbuf_str(&text));
	}
	if (!rows->table)
		dump_lines(rows->sink, strbuf_str(&line));
}

void dump_rows_end(struct dump_rows *rows)
{
	dump_close_list(rows->sink);
	if (rows->table)
		dump_table(rows->sink, rows->table);
	text_table_free(rows->table);
	free(rows->titles);
	rows->table = NULL;
	rows->titles = NULL;
}
