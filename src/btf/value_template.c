// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/value_printer.h"
#include "text/terminal.h"
#include "text/escape.h"

#include <string.h>

enum { INDENT = 2, LEAST_ELEMENTS = 3, MOST_DIFFERENT = 3, MOST_MEMBERS = 64 };

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

uint64_t btf_value_template_run(const struct btf_value_printer *p,
				const struct btf_value_node *first, uint64_t *ret_different)
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
		btf_value_add_piece(p, strbuf_str(&piece), i ? ", " : " ", indent + INDENT, &used,
				    out);
	}
}

void btf_value_print_template(const struct btf_value_printer *p, const struct btf_value_node *first,
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
