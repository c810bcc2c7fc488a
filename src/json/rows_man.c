// SPDX-License-Identifier: LGPL-2.1-or-later
#include "json/rows.h"

#include <ctype.h>
#include <string.h>

#include "base/alloc.h"

static const char *type_name(const struct json_row *row)
{
	static const char *const names[] = {
		[JSON_ROW_BOOL] = "true or false",
		[JSON_ROW_I32] = "whole number",
		[JSON_ROW_I64] = "whole number",
		[JSON_ROW_U32] = "whole number",
		[JSON_ROW_U64] = "whole number",
		[JSON_ROW_DOUBLE] = "number",
		[JSON_ROW_STRING] = "string",
		[JSON_ROW_WORD] = "string",
		[JSON_ROW_OBJECT] = "object",
		[JSON_ROW_OBJECTS] = "list of objects",
		[JSON_ROW_STRINGS] = "list of strings",
		[JSON_ROW_NUMBERS] = "list of whole numbers",
	};

	return row->type == JSON_ROW_CUSTOM ? row->codec->type : names[row->type];
}

/* A member is never absent only if it is required, or a list or flag that is always written. */
static bool may_be_absent(const struct json_row *row)
{
	return row->presence != JSON_REQUIRED || row->with;
}

static const char *direction_text(const struct json_row *row)
{
	return row->direction == JSON_LOWER_IS_BETTER	 ? ", lower is better"
	       : row->direction == JSON_HIGHER_IS_BETTER ? ", higher is better"
							 : "";
}

static void append_plain(struct strbuf *into, const char *text)
{
	for (; *text; text++) {
		/* Markup of scdoc. */
		if (strchr("\\_*#<>~", *text))
			strbuf_append_char(into, '\\');
		strbuf_append_char(into, *text);
	}
}

static void format_man_row(const struct json_row *row, const char *path, struct strbuf *into)
{
	strbuf_append_char(into, '*');
	append_plain(into, path);
	strbuf_appendf(into, "* (%s%s%s%s%s)\n\t", type_name(row), row->unit ? ", " : "",
		       row->unit ? row->unit : "", direction_text(row),
		       !may_be_absent(row)			? ""
		       : row->presence == JSON_NULLABLE		? ", null when unknown"
		       : row->presence == JSON_REQUIRED_OR_NULL ? ", null when there is none"
								: ", may be absent");
	append_plain(into, (const char[]){ (char)toupper((unsigned char)row->means[0]), '\0' });
	append_plain(into, row->means + 1);
	for (size_t i = 0; row->type == JSON_ROW_WORD && i < row->n_words; i++)
		if (row->words[i]) {
			strbuf_append(into, i ? ", " : ": ");
			append_plain(into, row->words[i]);
		}
	strbuf_append(into, ".\n\n");
}

void json_rows_format_man(const struct json_rows *rows, const char *place, struct strbuf *into)
{
	if (rows->version_name)
		strbuf_appendf(into, "*%s* (whole number)\n\tThe version of the format: %llu.\n\n",
			       rows->version_name, (unsigned long long)rows->version);
	for (size_t i = 0; i < rows->n; i++) {
		const struct json_row *row = &rows->at[i];
		_cleanup_free_ char *path = xasprintf("%s%s%s%s", place, *place ? "." : "",
						      row->name, row->list_size ? "[]" : "");

		format_man_row(row, path, into);
		if (row->type == JSON_ROW_OBJECT || row->type == JSON_ROW_OBJECTS)
			json_rows_format_man(row->rows, path, into);
		else if (row->type == JSON_ROW_CUSTOM && row->codec->rows)
			json_rows_format_man(row->codec->rows, path, into);
	}
}
