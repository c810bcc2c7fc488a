// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/value_write.h"

#include <stdio.h>

struct writer {
	const struct value_tree *tree;
	const struct value_sink *sink;
	void *context;
};

static void add_u64(const struct writer *w, const char *key, uint64_t value)
{
	w->sink->key(w->context, key);
	w->sink->write_u64(w->context, value);
}

static void add_text(const struct writer *w, const char *key, const char *text)
{
	if (!text)
		return;
	w->sink->key(w->context, key);
	w->sink->write_string(w->context, text);
}

static void add_text_or_null(const struct writer *w, const char *key, const char *text)
{
	w->sink->key(w->context, key);
	if (text)
		w->sink->write_string(w->context, text);
	else
		w->sink->write_null(w->context);
}

static void add_bool(const struct writer *w, const char *key, bool value)
{
	w->sink->key(w->context, key);
	w->sink->write_bool(w->context, value);
}

static void add_number(const struct writer *w, const struct value_node *node, bool is_signed)
{
	char wide[40];

	w->sink->key(w->context, "value");
	if (node->bits > 64) {
		/* No reader of JSON keeps all digits of such a number. */
		snprintf(wide, sizeof(wide), "0x%016llx%016llx", (unsigned long long)node->high,
			 (unsigned long long)node->value);
		w->sink->write_string(w->context, wide);
	} else if (is_signed) {
		w->sink->write_i64(w->context, (int64_t)node->value);
	} else {
		w->sink->write_u64(w->context, node->value);
	}
}

static void write_node(const struct writer *w, const struct value_node *node);

static void add_child(const struct writer *w, const char *key, const struct value_node *node)
{
	const struct value_node *child = value_first(w->tree, node);

	if (!child)
		return;
	w->sink->key(w->context, key);
	write_node(w, child);
}

static void write_members(const struct writer *w, const struct value_node *node)
{
	const struct value_node *child;

	add_text_or_null(w, "type_name", node->type_name[0] ? node->type_name : NULL);
	w->sink->key(w->context, "members");
	w->sink->begin_array(w->context);
	for (child = value_first(w->tree, node); child; child = value_next(w->tree, child)) {
		w->sink->begin_object(w->context);
		add_text(w, "name", child->name);
		w->sink->key(w->context, "value");
		write_node(w, child);
		w->sink->end_object(w->context);
	}
	w->sink->end_array(w->context);
	if (node->shown < node->n) {
		add_u64(w, "shown", node->shown);
		add_u64(w, "total", node->n);
	}
}

static void write_elements(const struct writer *w, const struct value_node *node)
{
	const struct value_node *child;

	add_u64(w, "len", node->n);
	if (node->text) {
		add_text(w, "text", node->text);
		return;
	}
	if (node->all_zero)
		add_bool(w, "all_zero", true);
	w->sink->key(w->context, "elements");
	w->sink->begin_array(w->context);
	for (child = value_first(w->tree, node); child; child = value_next(w->tree, child))
		write_node(w, child);
	w->sink->end_array(w->context);
	if (node->shown < node->n)
		add_u64(w, "shown", node->shown);
}

static void write_pointer(const struct writer *w, const struct value_node *node)
{
	char address[24];

	/* Doubles, which is all that many readers have, cannot hold it. */
	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)node->value);
	add_text(w, "value", address);
	add_text(w, "symbol", node->symbol);
	add_text(w, "short", node->text);
	add_child(w, "deref", node);
	add_text(w, "deref_skipped_reason", node->reason);
	add_text(w, "cast_annotation", node->tag);
	if (node->ref)
		add_u64(w, "ref", node->ref);
}

static void write_scalar(const struct writer *w, const struct value_node *node)
{
	if (node->kind == VALUE_BOOL) {
		add_bool(w, "value", node->value);
		return;
	}
	if (node->kind != VALUE_CHAR)
		add_u64(w, "bits", node->bits);
	if (node->kind == VALUE_FLOAT) {
		w->sink->key(w->context, "value");
		w->sink->write_double(w->context, node->real);
		return;
	}
	add_number(w, node,
		   node->kind == VALUE_INT || (node->kind == VALUE_ENUM && node->is_signed));
	if (node->kind == VALUE_ENUM) {
		add_text_or_null(w, "variant", node->text);
		add_bool(w, "is_signed", node->is_signed);
	}
}

static void write_node(const struct writer *w, const struct value_node *node)
{
	w->sink->begin_object(w->context);
	add_text(w, "kind", value_kind_word(node->kind));
	if (node->label)
		add_u64(w, "label", node->label);
	switch (node->kind) {
	case VALUE_STRUCT:
		write_members(w, node);
		break;
	case VALUE_ARRAY:
		write_elements(w, node);
		break;
	case VALUE_PTR:
		write_pointer(w, node);
		break;
	case VALUE_CPU_LIST:
		add_text(w, "cpus", node->text);
		break;
	case VALUE_SHORT:
		add_text(w, "text", node->text);
		break;
	case VALUE_BYTES:
		add_text(w, "hex", node->text);
		if (node->shown < node->n)
			add_u64(w, "len", node->n);
		break;
	case VALUE_TRUNCATED:
		add_u64(w, "needed", node->n);
		add_u64(w, "had", node->shown);
		add_child(w, "partial", node);
		break;
	case VALUE_UNREADABLE:
		add_text(w, "reason", node->reason);
		add_u64(w, "len", node->n);
		break;
	case VALUE_UNSUPPORTED:
		add_text(w, "reason", node->reason);
		break;
	default:
		write_scalar(w, node);
		break;
	}
	w->sink->end_object(w->context);
}

void value_write(const struct value_tree *tree, const struct value_node *node,
		 const struct value_sink *sink, void *context)
{
	const struct writer w = { tree, sink, context };

	write_node(&w, node);
}
