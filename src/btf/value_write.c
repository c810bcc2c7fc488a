// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/value.h"

#include <stdio.h>

struct writer {
	const struct btf_value_tree *tree;
	struct json_writer *json;
};

static void add_text_or_null(const struct writer *w, const char *key, const char *text)
{
	json_key(w->json, key);
	if (text)
		json_write_string(w->json, text);
	else
		json_write_null(w->json);
}

static void add_number(const struct writer *w, const struct btf_value_node *node, bool is_signed)
{
	char wide[40];

	json_key(w->json, "value");
	if (node->bits > 64) {
		/* No reader of JSON keeps all digits of such a number. */
		snprintf(wide, sizeof(wide), "0x%016llx%016llx", (unsigned long long)node->high,
			 (unsigned long long)node->value);
		json_write_string(w->json, wide);
	} else if (is_signed) {
		json_write_i64(w->json, (int64_t)node->value);
	} else {
		json_write_u64(w->json, node->value);
	}
}

static void write_node(const struct writer *w, const struct btf_value_node *node);

static void add_child(const struct writer *w, const char *key, const struct btf_value_node *node)
{
	const struct btf_value_node *child = btf_value_first(w->tree, node);

	if (!child)
		return;
	json_key(w->json, key);
	write_node(w, child);
}

static void write_members(const struct writer *w, const struct btf_value_node *node)
{
	const struct btf_value_node *child;

	add_text_or_null(w, "type_name", node->type_name[0] ? node->type_name : NULL);
	json_open_array(w->json, "members");
	for (child = btf_value_first(w->tree, node); child;
	     child = btf_value_next(w->tree, child)) {
		json_begin_object(w->json);
		json_add_string(w->json, "name", child->name);
		json_key(w->json, "value");
		write_node(w, child);
		json_end_object(w->json);
	}
	json_end_array(w->json);
	if (node->shown < node->n) {
		json_add_u64(w->json, "shown", node->shown);
		json_add_u64(w->json, "total", node->n);
	}
}

static void write_elements(const struct writer *w, const struct btf_value_node *node)
{
	const struct btf_value_node *child;

	json_add_u64(w->json, "len", node->n);
	if (node->text) {
		json_add_string(w->json, "text", node->text);
		return;
	}
	if (node->all_zero)
		json_add_bool(w->json, "all_zero", true);
	json_open_array(w->json, "elements");
	for (child = btf_value_first(w->tree, node); child; child = btf_value_next(w->tree, child))
		write_node(w, child);
	json_end_array(w->json);
	if (node->shown < node->n)
		json_add_u64(w->json, "shown", node->shown);
}

static void write_pointer(const struct writer *w, const struct btf_value_node *node)
{
	char address[24];

	/* Doubles, which is all that many readers have, cannot hold it. */
	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)node->value);
	json_add_string(w->json, "value", address);
	json_add_string(w->json, "symbol", node->symbol);
	json_add_string(w->json, "short", node->text);
	add_child(w, "deref", node);
	json_add_string(w->json, "deref_skipped_reason", node->reason);
	if (node->ref)
		json_add_u64(w->json, "ref", node->ref);
}

static void write_scalar(const struct writer *w, const struct btf_value_node *node)
{
	if (node->kind == BTF_VALUE_BOOL) {
		json_add_bool(w->json, "value", node->value);
		return;
	}
	if (node->kind != BTF_VALUE_CHAR)
		json_add_u64(w->json, "bits", node->bits);
	if (node->kind == BTF_VALUE_FLOAT) {
		json_key(w->json, "value");
		json_write_double(w->json, node->real);
		return;
	}
	add_number(w, node,
		   node->kind == BTF_VALUE_INT ||
			   (node->kind == BTF_VALUE_ENUM && node->is_signed));
	if (node->kind == BTF_VALUE_ENUM) {
		add_text_or_null(w, "variant", node->text);
		json_add_bool(w->json, "is_signed", node->is_signed);
	}
}

static void write_node(const struct writer *w, const struct btf_value_node *node)
{
	json_begin_object(w->json);
	json_add_string(w->json, "kind", btf_value_kind_name(node->kind));
	if (node->label)
		json_add_u64(w->json, "label", node->label);
	switch (node->kind) {
	case BTF_VALUE_STRUCT:
		write_members(w, node);
		break;
	case BTF_VALUE_ARRAY:
		write_elements(w, node);
		break;
	case BTF_VALUE_PTR:
		write_pointer(w, node);
		break;
	case BTF_VALUE_CPU_LIST:
		json_add_string(w->json, "cpus", node->text);
		break;
	case BTF_VALUE_SHORT:
		json_add_string(w->json, "text", node->text);
		break;
	case BTF_VALUE_BYTES:
		json_add_string(w->json, "hex", node->text);
		if (node->shown < node->n)
			json_add_u64(w->json, "len", node->n);
		break;
	case BTF_VALUE_TRUNCATED:
		json_add_u64(w->json, "needed", node->n);
		json_add_u64(w->json, "had", node->shown);
		add_child(w, "partial", node);
		break;
	case BTF_VALUE_UNREADABLE:
		json_add_string(w->json, "reason", node->reason);
		json_add_u64(w->json, "len", node->n);
		break;
	case BTF_VALUE_UNSUPPORTED:
		json_add_string(w->json, "reason", node->reason);
		break;
	default:
		write_scalar(w, node);
		break;
	}
	json_end_object(w->json);
}

void btf_value_write(const struct btf_value_tree *tree, const struct btf_value_node *node,
		     struct json_writer *json)
{
	const struct writer w = { tree, json };

	write_node(&w, node);
}
