// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/value_printer.h"

#include <string.h>

#include "text/terminal.h"

enum { INDENT = 2, SPARSE_FROM = 8, LEAST_ELEMENTS = 3, MOST_DIFFERENT = 3, MOST_MEMBERS = 64 };

/*
 * Breaks the line in front of a piece that does not fit, to this indentation; with one of 0 all
 * stays on one line. `gap` stands between pieces.
 */
static void add_piece(const struct btf_value_printer *p, const char *piece, const char *gap,
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

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_value(const struct btf_value_node *a, const struct btf_value_node *b)
{
	return a->kind == b->kind && a->value == b->value && a->high == b->high &&
	       memcmp(&a->real, &b->real, sizeof(a->real)) == 0 && a->n == b->n &&
	       a->shown == b->shown && a->ref == b->ref && same_text(a->text, b->text) &&
	       same_text(a->symbol, b->symbol) && same_text(a->reason, b->reason);
}

/*
 * Which members of two structs of simple values differ, a bit for each; false when they are not
 * of the same make.
 */
static bool compare(const struct btf_value_printer *p, const struct btf_value_node *a,
		    const struct btf_value_node *b, uint64_t *ret_different)
{
	const struct btf_value_node *x = btf_value_first(p->tree, a),
				    *y = btf_value_first(p->tree, b);
	uint64_t different = 0;
	unsigned int i = 0;

	if (a->kind != BTF_VALUE_STRUCT || b->kind != BTF_VALUE_STRUCT || a->type != b->type ||
	    a->btf != b->btf || a->label || b->label || a->shown < a->n || b->shown < b->n)
		return false;
	for (; x && y; x = btf_value_next(p->tree, x), y = btf_value_next(p->tree, y), i++) {
		if (i == MOST_MEMBERS || !btf_value_is_simple(x) || !btf_value_is_simple(y) ||
		    strcmp(x->name, y->name) != 0)
			return false;
		if (!same_value(x, y))
			different |= UINT64_C(1) << i;
	}
	*ret_different = different;
	return !x && !y;
}

/*
 * How many elements from this one on are structs that differ in a few members only; 0 when it is
 * not worth a form of its own. A bit for each member that differs.
 */
static uint64_t template_run(const struct btf_value_printer *p, const struct btf_value_node *first,
			     uint64_t *ret_different)
{
	const struct btf_value_node *node = btf_value_next(p->tree, first);
	uint64_t different = 0, n = 1, mine;

	for (; node && !node->zero; node = btf_value_next(p->tree, node), n++) {
		if (!compare(p, first, node, &mine) ||
		    __builtin_popcountll(different | mine) > MOST_DIFFERENT)
			break;
		/* Neighbours that are equal have a form of their own. */
		if (n == 1 && !mine)
			return 0;
		different |= mine;
	}
	if (n < LEAST_ELEMENTS)
		return 0;
	*ret_different = different;
	return n;
}

/* "pair{x=*, y=2}": what differs is a star. */
static void print_common(const struct btf_value_printer *p, const struct btf_value_node *first,
			 uint64_t different, struct strbuf *out)
{
	const struct btf_value_node *member = btf_value_first(p->tree, first);
	const char *comma = "";

	text_escape(out, first->type_name);
	strbuf_append_char(out, '{');
	for (unsigned int i = 0; member; member = btf_value_next(p->tree, member), i++) {
		bool differs = different >> i & 1;

		if (!differs && !btf_value_is_visible(p, member))
			continue;
		strbuf_append(out, comma);
		comma = ", ";
		text_escape(out, member->name);
		strbuf_append_char(out, '=');
		if (differs)
			strbuf_append_char(out, '*');
		else
			btf_value_print_simple(member, false, out);
	}
	strbuf_append_char(out, '}');
}

static const struct btf_value_node *nth_child(const struct btf_value_printer *p,
					      const struct btf_value_node *node, unsigned int n)
{
	node = btf_value_first(p->tree, node);
	while (node && n--)
		node = btf_value_next(p->tree, node);
	return node;
}

/* "x: 1, 2, 3": one member of every element. */
static void print_list(const struct btf_value_printer *p, const struct btf_value_node *first,
		       uint64_t n, unsigned int member, size_t indent, struct strbuf *out)
{
	const struct btf_value_node *element = first;
	size_t start, used;

	strbuf_append_char(out, '\n');
	start = out->n;
	strbuf_append_repeated(out, ' ', indent);
	text_escape(out, nth_child(p, first, member)->name);
	strbuf_append_char(out, ':');
	used = text_width(out->at + start);
	for (uint64_t i = 0; i < n; i++, element = btf_value_next(p->tree, element)) {
		_cleanup_strbuf_ struct strbuf piece = STRBUF_INIT;

		btf_value_print_simple(nth_child(p, element, member), false, &piece);
		add_piece(p, strbuf_str(&piece), i ? ", " : " ", indent + INDENT, &used, out);
	}
}

/* Those n elements as one, and a list for each member that differs. */
static void print_template(const struct btf_value_printer *p, const struct btf_value_node *first,
			   uint64_t index, uint64_t n, uint64_t different, size_t indent,
			   struct strbuf *out)
{
	strbuf_append_char(out, '\n');
	strbuf_append_repeated(out, ' ', indent);
	strbuf_appendf(out, "[%llu-%llu]=", (unsigned long long)index,
		       (unsigned long long)(index + n - 1));
	print_common(p, first, different, out);
	for (unsigned int i = 0; i < MOST_MEMBERS; i++) {
		if (different >> i & 1)
			print_list(p, first, n, i, indent + INDENT, out);
	}
}

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
		add_piece(p, strbuf_str(&piece),
			  first	   ? ""
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
	/* Each element takes at least two columns: a long array is not printed to be discarded. */
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
		uint64_t n = hidden ? 0 : template_run(p, child, &different);

		if (hidden || n)
			flush(&w, indent, out);
		if (n)
			print_template(p, child, index, n, different, indent, out);
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
