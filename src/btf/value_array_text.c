// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/value_printer.h"
#include "text/terminal.h"
#include "text/escape.h"

#include <string.h>

enum { INDENT = 2, SPARSE_FROM = 8 };

static bool has_simple_elements(const struct btf_value_printer *p,
				const struct btf_value_node *node)
{
	const struct btf_value_node *child = btf_value_first(p->tree, node);

	for (; child; child = btf_value_next(p->tree, child)) {
		if (!btf_value_is_simple(child))
			return false;
	}
	return true;
}

/* Most of them are 0: only the others are worth their place. */
static bool is_sparse(const struct btf_value_printer *p, const struct btf_value_node *node)
{
	const struct btf_value_node *child = btf_value_first(p->tree, node);
	uint64_t zeros = 0, n = 0;

	for (; child; child = btf_value_next(p->tree, child), n++)
		zeros += child->zero;
	return !p->zeros && n >= SPARSE_FROM && zeros > n / 2;
}

/* "[3]=7" or "[3..5]={7, 8, 9}"; the element behind it. */
static const struct btf_value_node *print_run(const struct btf_value_printer *p,
					      const struct btf_value_node *child, uint64_t *index,
					      struct strbuf *out)
{
	const struct btf_value_node *next = btf_value_next(p->tree, child);
	uint64_t first = *index;

	++*index;
	if (!next || next->zero) {
		strbuf_appendf(out, "[%llu]=", (unsigned long long)first);
		btf_value_print_simple(child, true, out);
		return next;
	}
	for (; next && !next->zero; next = btf_value_next(p->tree, next))
		++*index;
	strbuf_appendf(out, "[%llu..%llu]={", (unsigned long long)first,
		       (unsigned long long)*index - 1);
	for (const char *comma = ""; child != next; child = btf_value_next(p->tree, child)) {
		strbuf_append(out, comma);
		btf_value_print_simple(child, true, out);
		comma = ", ";
	}
	strbuf_append_char(out, '}');
	return next;
}

void btf_value_add_piece(const struct btf_value_printer *p, const char *piece, const char *gap,
			 size_t indent, size_t *used, struct strbuf *out)
{
	size_t width = text_width(piece);

	/* What follows the piece, a comma or a bracket, needs its place too. */
	if (indent && *used + strlen(gap) + width + 1 > p->columns && *used > indent) {
		while (out->n && out->at[out->n - 1] == ' ')
			out->at[--out->n] = 0;
		strbuf_append_char(out, *gap == ',' ? ',' : '\n');
		if (*gap == ',')
			strbuf_append_char(out, '\n');
		strbuf_append_repeated(out, ' ', indent);
		*used = indent;
	} else {
		strbuf_append(out, gap);
		*used += strlen(gap);
	}
	strbuf_append(out, piece);
	*used += width;
}

static void print_numbers(const struct btf_value_printer *p, const struct btf_value_node *node,
			  size_t indent, size_t used, struct strbuf *out)
{
	const struct btf_value_node *child = btf_value_first(p->tree, node);
	bool sparse = is_sparse(p, node);
	uint64_t index = 0;
	bool first = true;

	if (!sparse) {
		strbuf_append_char(out, '[');
		used++;
	}
	while (child) {
		_cleanup_strbuf_ struct strbuf piece = STRBUF_INIT;

		if (sparse && child->zero) {
			child = btf_value_next(p->tree, child);
			index++;
			continue;
		}
		if (sparse) {
			child = print_run(p, child, &index, &piece);
		} else {
			btf_value_print_simple(child, true, &piece);
			child = btf_value_next(p->tree, child);
		}
		btf_value_add_piece(p, strbuf_str(&piece),
				    first    ? ""
				    : sparse ? "  "
					     : ", ",
				    indent, &used, out);
		first = false;
	}
	btf_value_print_cut(node, " ", out);
	if (!sparse)
		strbuf_append_char(out, ']');
}

/* What needs no look at the elements; false when there is more to it. */
static bool print_plain(const struct btf_value_printer *p, const struct btf_value_node *node,
			struct strbuf *out)
{
	if (node->text) {
		btf_value_print_quoted(node->text, out);
		return true;
	}
	if (node->n == 0) {
		strbuf_append(out, "[]");
		return true;
	}
	if (node->zero && (node->all_zero || !p->zeros)) {
		strbuf_appendf(out, "[all %llu zero]", (unsigned long long)node->n);
		return true;
	}
	return false;
}

bool btf_value_print_array_inline(const struct btf_value_printer *p,
				  const struct btf_value_node *node, size_t room,
				  struct strbuf *out)
{
	const struct btf_value_node *child = btf_value_first(p->tree, node);
	size_t start = out->n;
	const char *comma = "";

	/* Text of several lines has a form of its own. */
	if (node->text && strchr(node->text, '\n'))
		return false;
	if (print_plain(p, node, out))
		return text_width(out->at + start) <= room;
	/* Each element has two columns at least, and nobody wants to print them all in vain. */
	if (node->shown > room || !has_simple_elements(p, node)) {
		if (node->shown > 4)
			return false;
		strbuf_append_char(out, '[');
		for (; child; child = btf_value_next(p->tree, child)) {
			size_t used;

			strbuf_append(out, comma);
			comma = ", ";
			used = text_width(out->at + start);
			if (used >= room || !btf_value_print_inline(p, child, room - used, out))
				return false;
		}
		btf_value_print_cut(node, " ", out);
		strbuf_append_char(out, ']');
	} else {
		print_numbers(p, node, 0, 0, out);
	}
	return text_width(out->at + start) <= room;
}

static void print_lines(const char *text, size_t indent, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	strbuf_append_char(out, '|');
	while (*text) {
		size_t n = strcspn(text, "\n");

		strbuf_append_char(out, '\n');
		strbuf_append_repeated(out, ' ', indent);
		strbuf_clear(&line);
		strbuf_append_bytes(&line, text, n);
		text_escape(out, strbuf_str(&line));
		text += n + (text[n] == '\n');
	}
}

/* Elements that are equal wait until one comes that is not. */
struct waiting {
	struct strbuf text;
	uint64_t first, n;
};

/* "[7]=" or, of several, "[0-3]=". */
static void flush(struct waiting *w, size_t indent, struct strbuf *out)
{
	if (w->n) {
		strbuf_append_char(out, '\n');
		strbuf_append_repeated(out, ' ', indent);
		strbuf_appendf(out, "[%llu", (unsigned long long)w->first);
		if (w->n > 1)
			strbuf_appendf(out, "-%llu", (unsigned long long)(w->first + w->n - 1));
		strbuf_appendf(out, "]=%s", strbuf_str(&w->text));
	}
	w->n = 0;
}

static void add_element(const struct btf_value_printer *p, const struct btf_value_node *child,
			uint64_t index, struct waiting *w, size_t indent, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	btf_value_print(p, child, indent, indent + sizeof("[65535-65535]="), &text);
	if (!w->n || strcmp(strbuf_str(&text), strbuf_str(&w->text)) != 0) {
		flush(w, indent, out);
		w->first = index;
		strbuf_clear(&w->text);
		strbuf_append(&w->text, strbuf_str(&text));
	}
	w->n++;
}

static void print_elements(const struct btf_value_printer *p, const struct btf_value_node *node,
			   size_t indent, struct strbuf *out)
{
	const struct btf_value_node *child = btf_value_first(p->tree, node);
	struct waiting w = { .text = STRBUF_INIT };
	uint64_t different, index = 0;

	strbuf_append_char(out, '[');
	while (child) {
		bool hidden = child->zero && !p->zeros;
		uint64_t n = hidden ? 0 : btf_value_template_run(p, child, &different);

		if (hidden || n)
			flush(&w, indent, out);
		if (n)
			btf_value_print_template(p, child, index, n, different, indent, out);
		else if (!hidden)
			add_element(p, child, index, &w, indent, out);
		for (n += !n; n; n--, index++)
			child = btf_value_next(p->tree, child);
	}
	flush(&w, indent, out);
	strbuf_deinit(&w.text);
	if (node->shown < node->n) {
		strbuf_append_char(out, '\n');
		strbuf_append_repeated(out, ' ', indent);
		btf_value_print_cut(node, "", out);
	}
	strbuf_append_char(out, '\n');
	strbuf_append_repeated(out, ' ', indent - INDENT);
	strbuf_append_char(out, ']');
}

void btf_value_print_array(const struct btf_value_printer *p, const struct btf_value_node *node,
			   size_t indent, size_t used, struct strbuf *out)
{
	if (node->text && strchr(node->text, '\n'))
		print_lines(node->text, indent + INDENT, out);
	else if (print_plain(p, node, out))
		return;
	else if (has_simple_elements(p, node))
		print_numbers(p, node, indent + INDENT, used, out);
	else
		print_elements(p, node, indent + INDENT, out);
}
