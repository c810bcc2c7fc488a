// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/expr.h"

#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "btf/value.h"
#include "dump/expr_eval.h"
#include "dump/values.h"
#include "text/escape.h"

struct show {
	struct expr_scope scope;
	struct expr expr;
	struct dump_sink *sink;
	/* Nodes that are per-CPU variables without an index, in the order of the text. */
	bool of_every_cpu[DUMP_LIMIT_EXPR_NODES];
	bool has_every_cpu;
};

/* "(struct rq *)", the place and the bits of a bit field are told by the type of its number. */
static void add_head(struct show *show, const struct expr_value *value)
{
	_cleanup_strbuf_ struct strbuf type = STRBUF_INIT;
	struct json_writer *json = show->sink->json;

	if (!json)
		return;
	expr_type_format(&value->type, &type);
	if (value->form == EXPR_IS_PLACE)
		dump_add_hex(json, "address", value->address);
	json_add_string(json, "type", strbuf_str(&type));
}

/* What a char pointer leads to, if that is text. */
static bool read_text(struct show *show, const struct expr_value *value, uint64_t at,
		      struct strbuf *into)
{
	struct expr_value text = { .form = EXPR_IS_PLACE, .address = at };
	char bytes[DUMP_LIMIT_EXPR_TEXT_BYTES];
	struct btf_type type;
	struct btf_int number;
	size_t n = 0;

	if (!at || !expr_type_target(&value->type, &text.type) ||
	    !expr_type_resolve(&text.type, &type) || !btf_get_int(&type, &number) ||
	    number.bytes != 1 || !strstr(type.name, "char"))
		return false;
	text.arena = expr_name_arena(&show->scope, value->program, at);
	while (n < sizeof(bytes)) {
		if (kmem_read(&show->scope.kmem->space, expr_kernel_address(&text) + n, bytes + n,
			      1, NULL) != KMEM_READ_OK)
			return false;
		if (!bytes[n])
			break;
		if (!isprint((unsigned char)bytes[n]) && !isspace((unsigned char)bytes[n]))
			return false;
		n++;
	}
	strbuf_append_bytes(into, bytes, n);
	return true;
}

/* Numbers of enums, bit fields and pointers, too: whatever has no bytes of its own any more. */
static void show_number(struct show *show, const struct expr_value *value, uint64_t number,
			const char *label)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, safe = STRBUF_INIT, line = STRBUF_INIT;
	_cleanup_value_ struct value_tree *tree = NULL;
	struct json_writer *json = show->sink->json;
	uint64_t size = sizeof(number);
	uint32_t id = expr_type_pointer_id(&value->type);
	uint8_t bytes[sizeof(number)];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(number >> 8 * i);
	error_free(expr_type_size(&value->type, &size));
	tree = dump_value_of(show->scope.kmem, value->type.btf, id,
			     (struct bytes){ bytes, size < sizeof(bytes) ? size : sizeof(bytes) });
	if (json) {
		json_key(json, "value");
		dump_value_write(json, tree);
		if (read_text(show, value, number, &text))
			json_add_string(json, "text", strbuf_str(&text));
		return;
	}
	if (read_text(show, value, number, &text)) {
		text_escape(&safe, strbuf_str(&text));
		dump_line(show->sink, "%s = 0x%llx \"%s\"", label, (unsigned long long)number,
			  strbuf_str(&safe));
		return;
	}
	dump_value_text(show->sink, label, tree, value_root(tree));
}

static bool is_scalar(const struct expr_value *value)
{
	struct expr_type target;

	return value->form == EXPR_IS_NUMBER || value->bits ||
	       expr_type_target(&value->type, &target);
}

/* Part of it, or none of it, could not be read. */
static struct error *check_holes(const struct value_tree *tree, const char *label)
{
	for (uint32_t i = 1; i < tree->n; i++) {
		if (tree->nodes[i].kind == VALUE_UNREADABLE)
			return expr_error(EXPR_UNREAD, 0, "%s%s cannot be read: %s",
					  i == 1 ? "" : "part of ", label, tree->nodes[i].reason);
	}
	return NULL;
}

static struct error *show_place(struct show *show, const struct expr_value *value,
				const char *label)
{
	_cleanup_value_ struct value_tree *tree = NULL;
	uint64_t size = 0;
	struct error *err = expr_check_null(value);

	if (!err)
		err = expr_type_size(&value->type, &size);
	if (!err)
		err = dump_value_read(show->scope.kmem, value->type.btf, value->type.id,
				      expr_kernel_address(value), size, &tree);
	if (err)
		return err;
	err = check_holes(tree, label);
	/* Nothing at all is no value. */
	if (err && value_root(tree)->kind == VALUE_UNREADABLE)
		return error_recast(err, &kmem_error_domain, KMEM_UNREAD);
	add_head(show, value);
	if (show->sink->json) {
		json_key(show->sink->json, "value");
		dump_value_write(show->sink->json, tree);
	} else {
		dump_value_text(show->sink, label, tree, value_root(tree));
	}
	return err;
}

static struct error *show_value(struct show *show, const char *label)
{
	struct expr_value value;
	uint64_t number;
	struct error *err = expr_eval(&show->scope, &show->expr, show->expr.root, &value);

	if (err)
		return err;
	if (value.form == EXPR_IS_UNTYPED)
		return expr_no_type(&show->expr.nodes[show->expr.root]);
	if (!is_scalar(&value))
		return show_place(show, &value, label);
	err = expr_load(&show->scope, &value, &number);
	if (err)
		return err;
	add_head(show, &value);
	show_number(show, &value, number, label);
	return NULL;
}

/* What sizeof asks for is of no CPU. */
static void find_percpu(struct show *show, uint8_t n)
{
	const struct expr_node *node = &show->expr.nodes[n];
	const struct expr_node *left = &show->expr.nodes[node->left];
	_cleanup_free_ char *name = xstrndup(node->word ? node->word : "", node->word_n);
	_cleanup_free_ char *left_name = xstrndup(left->word ? left->word : "", left->word_n);

	if (node->op == EXPR_SIZEOF)
		return;
	if (node->op == EXPR_NAME && expr_name_is_percpu(&show->scope, name))
		show->of_every_cpu[n] = show->has_every_cpu = true;
	if (node->left && !(node->op == EXPR_INDEX && left->op == EXPR_NAME &&
			    expr_name_is_percpu(&show->scope, left_name)))
		find_percpu(show, node->left);
	if (node->right)
		find_percpu(show, node->right);
}

/* The expression as it would be written for that CPU. */
static void label_of(const struct show *show, const char *text, uint32_t cpu, struct strbuf *out)
{
	const char *at = text;

	for (uint8_t i = 1; i < show->expr.n; i++) {
		const struct expr_node *node = &show->expr.nodes[i];
		const char *end;

		/* Only names are of every CPU; other nodes may have no word. */
		if (!show->of_every_cpu[i])
			continue;
		end = node->word + node->word_n;
		strbuf_append_bytes(out, at, (size_t)(end - at));
		strbuf_appendf(out, "[%u]", cpu);
		at = end;
	}
	strbuf_append(out, at);
}

/* What another CPU may have although this one has not. */
static bool is_of_memory(const struct error *err)
{
	return error_is(err, &expr_error_domain, EXPR_NULL) ||
	       error_is(err, &expr_error_domain, EXPR_UNREAD) ||
	       error_is(err, &kmem_error_domain, KMEM_UNREAD);
}

static struct error *show_cpu(struct show *show, const char *text, uint32_t cpu)
{
	_cleanup_strbuf_ struct strbuf label = STRBUF_INIT, safe = STRBUF_INIT;
	struct json_writer *json = show->sink->json;
	struct error *err;

	label_of(show, text, cpu, &label);
	show->scope.cpu = cpu;
	if (json) {
		json_begin_object(json);
		json_add_u64(json, "cpu", cpu);
	}
	err = show_value(show, strbuf_str(&label));
	if (err && is_of_memory(err)) {
		if (json)
			json_add_string(json, "error", error_message(err));
		text_escape(&safe, error_message(err));
		dump_line(show->sink, "%s: unavailable: %s", strbuf_str(&label), strbuf_str(&safe));
	}
	if (json)
		json_end_object(json);
	return err;
}

static struct error *show_cpus(struct show *show, const char *text)
{
	const struct kmem *kmem = show->scope.kmem;
	struct json_writer *json = show->sink->json;
	uint32_t n = 0, n_failed = 0;
	struct error *err = NULL;

	if (kmem->no_cpus)
		return kmem_error(KMEM_UNREAD, 0, "the CPUs are not known: %s",
				  error_message(kmem->no_cpus));
	if (json) {
		json_key(json, "cpus");
		json_begin_array(json);
	}
	for (uint32_t cpu = 0; !err && cpu < kmem->cpus.n; cpu++) {
		if (!kmem_cpus_is_possible(&kmem->cpus, cpu))
			continue;
		n++;
		err = show_cpu(show, text, cpu);
		if (!err || !is_of_memory(err))
			continue;
		n_failed++;
		error_free(err);
		err = NULL;
	}
	if (json)
		json_end_array(json);
	if (!err && n_failed)
		err = expr_error(EXPR_UNREAD, 0, "%s cannot be read on %u of %u CPUs", text,
				 n_failed, n);
	return err;
}

struct error *dump_expr(struct kmem *kmem, const char *text, struct dump_sink *sink)
{
	struct show show = { .sink = sink };
	struct error *err = expr_parse(text, &show.expr);

	if (!err)
		err = expr_scope_init(&show.scope, kmem);
	if (err)
		return err;
	find_percpu(&show, show.expr.root);
	if (sink->json) {
		json_begin_object(sink->json);
		json_add_string(sink->json, "expr", text);
	}
	err = show.has_every_cpu ? show_cpus(&show, text) : show_value(&show, text);
	if (sink->json)
		json_end_object(sink->json);
	expr_scope_deinit(&show.scope);
	return err;
}
