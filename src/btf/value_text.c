// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/value.h"

#include <string.h>

#include "base/vec.h"
#include "btf/limits.h"
#include "btf/value_printer.h"
#include "text/terminal.h"

enum { INDENT = 2, CELLS_PER_ROW = 3, GAP = 3, ALIGN_ROWS = 3, ALIGN_SPREAD = 4 };

bool btf_value_is_visible(const struct btf_value_printer *p, const struct btf_value_node *node)
{
	if (p->zeros)
		return true;
	/* libbpf keeps the formats of bpf_printk() in variables of such names. */
	return !node->zero && !node->repeats && !(node->name && strstr(node->name, "___fmt"));
}

bool btf_value_is_simple(const struct btf_value_node *node)
{
	return node->kind != BTF_VALUE_STRUCT && node->kind != BTF_VALUE_ARRAY && !node->first;
}

/* The prefix of a struct, array or target: "#3 ", "0x… → ", "<truncated …> ". */
static void print_lead(const struct btf_value_node *node, struct strbuf *out)
{
	if (node->label)
		strbuf_appendf(out, "#%u ", node->label);
	if (node->kind == BTF_VALUE_PTR || node->kind == BTF_VALUE_TRUNCATED) {
		btf_value_print_simple(node, false, out);
		strbuf_append(out, node->kind == BTF_VALUE_PTR ? " → " : " ");
	}
}

static const struct btf_value_node *next_visible(const struct btf_value_printer *p,
						 const struct btf_value_node *node)
{
	while (node && !btf_value_is_visible(p, node))
		node = btf_value_next(p->tree, node);
	return node;
}

/* Members that are left out because they are 0, if anybody wants to know. */
static unsigned int n_zero_members(const struct btf_value_printer *p,
				   const struct btf_value_node *node)
{
	const struct btf_value_node *child = p->count_zeros ? btf_value_first(p->tree, node) : NULL;
	unsigned int n = 0;

	for (; child; child = btf_value_next(p->tree, child))
		n += child->zero && !child->repeats && !btf_value_is_visible(p, child);
	return n;
}

static bool print_struct_inline(const struct btf_value_printer *p,
				const struct btf_value_node *node, size_t room, struct strbuf *out)
{
	const struct btf_value_node *child = next_visible(p, btf_value_first(p->tree, node));
	unsigned int n_zero = n_zero_members(p, node);
	const char *comma = "";
	size_t start = out->n;

	text_escape(out, node->type_name);
	strbuf_append_char(out, '{');
	for (; child; child = next_visible(p, btf_value_next(p->tree, child))) {
		size_t used;

		strbuf_append(out, comma);
		comma = ", ";
		text_escape(out, child->name);
		strbuf_append_char(out, '=');
		used = text_width(out->at + start);
		if (used >= room || !btf_value_print_inline(p, child, room - used, out))
			return false;
	}
	if (n_zero)
		strbuf_appendf(out, *comma ? ", (%u zero)" : "all %u zero", n_zero);
	btf_value_print_cut(node, *comma ? " " : "", out);
	strbuf_append_char(out, '}');
	return text_width(out->at + start) <= room;
}

static bool try_inline(const struct btf_value_printer *p, const struct btf_value_node *node,
		       size_t room, struct strbuf *out)
{
	size_t start = out->n, used;

	if (btf_value_is_simple(node)) {
		btf_value_print_simple(node, false, out);
	} else {
		print_lead(node, out);
		used = out->n > start ? text_width(out->at + start) : 0;
		if (used >= room)
			return false;
		if (node->kind == BTF_VALUE_STRUCT)
			return print_struct_inline(p, node, room - used, out);
		if (node->kind == BTF_VALUE_ARRAY)
			return btf_value_print_array_inline(p, node, room - used, out);
		return btf_value_print_inline(p, btf_value_first(p->tree, node), room - used, out);
	}
	return text_width(out->at + start) <= room;
}

bool btf_value_print_inline(const struct btf_value_printer *p, const struct btf_value_node *node,
			    size_t room, struct strbuf *out)
{
	size_t start = out->n;

	if (try_inline(p, node, room, out))
		return true;
	out->n = start;
	if (out->at)
		out->at[start] = 0;
	return false;
}

/* Simple members in a row; they wait until something that is not simple follows. */
struct rows {
	VEC(const struct btf_value_node *) cells;
};

static void print_cell(const struct btf_value_node *node, size_t name_width, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	text_escape(&name, node->name);
	strbuf_append(out, strbuf_str(&name));
	if (name_width > name.n)
		strbuf_append_repeated(out, ' ', name_width - name.n);
	strbuf_append_char(out, '=');
	btf_value_print_simple(node, false, out);
}

struct column {
	size_t widest; /* of names */
	size_t cell;   /* of cells, names filled up */
};

/* Names line up only where that helps: in several rows whose names differ in length. */
static bool measure(const struct rows *rows, size_t room, struct column *columns)
{
	size_t least = SIZE_MAX, most = 0, n_rows, whole = (CELLS_PER_ROW - 1) * GAP;

	n_rows = (rows->cells.n + CELLS_PER_ROW - 1) / CELLS_PER_ROW;
	for (size_t i = 0; i < rows->cells.n; i++) {
		size_t n = strlen(rows->cells.at[i]->name);
		struct column *column = &columns[i % CELLS_PER_ROW];

		least = n < least ? n : least;
		most = n > most ? n : most;
		column->widest = n > column->widest ? n : column->widest;
	}
	if (n_rows < ALIGN_ROWS || most - least < ALIGN_SPREAD)
		return false;
	for (size_t i = 0; i < rows->cells.n; i++) {
		_cleanup_strbuf_ struct strbuf cell = STRBUF_INIT;
		struct column *column = &columns[i % CELLS_PER_ROW];
		size_t width;

		print_cell(rows->cells.at[i], column->widest, &cell);
		width = text_width(strbuf_str(&cell));
		column->cell = width > column->cell ? width : column->cell;
	}
	for (size_t i = 0; i < CELLS_PER_ROW; i++)
		whole += columns[i].cell;
	return whole <= room;
}

static void flush_rows(const struct btf_value_printer *p, struct rows *rows, size_t indent,
		       struct strbuf *out)
{
	struct column columns[CELLS_PER_ROW] = { 0 };
	bool align = indent < p->columns && measure(rows, p->columns - indent, columns);
	size_t used = 0, in_row = 0, last_width = 0;

	for (size_t i = 0; i < rows->cells.n; i++) {
		_cleanup_strbuf_ struct strbuf cell = STRBUF_INIT;
		struct column *column = &columns[in_row % CELLS_PER_ROW];
		size_t width;

		print_cell(rows->cells.at[i], align ? column->widest : 0, &cell);
		width = text_width(strbuf_str(&cell));
		if (in_row == CELLS_PER_ROW || (in_row && used + GAP + width > p->columns))
			in_row = 0;
		if (in_row == 0) {
			strbuf_append_char(out, '\n');
			strbuf_append_repeated(out, ' ', indent);
			used = indent;
		} else {
			size_t fill = align && last_width < columns[in_row - 1].cell
					      ? columns[in_row - 1].cell - last_width
					      : 0;

			strbuf_append_repeated(out, ' ', GAP + fill);
			used += GAP + fill;
		}
		strbuf_append(out, strbuf_str(&cell));
		used += width;
		last_width = width;
		in_row++;
	}
	vec_clear(&rows->cells);
}

static void print_members(const struct btf_value_printer *p, const struct btf_value_node *node,
			  size_t indent, struct strbuf *out)
{
	const struct btf_value_node *child = next_visible(p, btf_value_first(p->tree, node));
	unsigned int n_zero = n_zero_members(p, node);
	struct rows rows = { .cells = VEC_INIT };

	for (; child; child = next_visible(p, btf_value_next(p->tree, child))) {
		size_t start;

		if (btf_value_is_simple(child)) {
			vec_push(&rows.cells, child);
			continue;
		}
		flush_rows(p, &rows, indent, out);
		strbuf_append_char(out, '\n');
		start = out->n;
		strbuf_append_repeated(out, ' ', indent);
		text_escape(out, child->name);
		strbuf_append_char(out, '=');
		btf_value_print(p, child, indent, text_width(out->at + start), out);
	}
	flush_rows(p, &rows, indent, out);
	vec_deinit(&rows.cells);
	if (n_zero) {
		strbuf_append_char(out, '\n');
		strbuf_append_repeated(out, ' ', indent);
		strbuf_appendf(out, "(%u zero member%s)", n_zero, n_zero == 1 ? "" : "s");
	}
	if (node->shown < node->n) {
		strbuf_append_char(out, '\n');
		strbuf_append_repeated(out, ' ', indent);
		btf_value_print_cut(node, "", out);
	}
}

void btf_value_print(const struct btf_value_printer *p, const struct btf_value_node *node,
		     size_t indent, size_t used, struct strbuf *out)
{
	size_t start = out->n;

	if (used < p->columns && btf_value_print_inline(p, node, p->columns - used, out))
		return;
	if (btf_value_is_simple(node)) {
		btf_value_print_simple(node, false, out);
		return;
	}
	print_lead(node, out);
	if (out->n > start)
		used += text_width(out->at + start);
	if (node->kind == BTF_VALUE_STRUCT) {
		text_escape(out, node->type_name);
		strbuf_append_char(out, ':');
		print_members(p, node, indent + INDENT, out);
	} else if (node->kind == BTF_VALUE_ARRAY) {
		btf_value_print_array(p, node, indent, used, out);
	} else {
		btf_value_print(p, btf_value_first(p->tree, node), indent, used, out);
	}
}

void btf_value_format(const struct btf_value_tree *tree, const struct btf_value_node *node,
		      const struct btf_value_text_options *options, struct strbuf *out)
{
	struct btf_value_printer p = { .tree = tree, .columns = BTF_VALUE_COLUMNS };

	if (options) {
		p.zeros = options->zeros;
		p.count_zeros = options->count_zeros;
		if (options->columns)
			p.columns = options->columns;
	}
	btf_value_print(&p, node, 0, 0, out);
}
