// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/expr.h"

#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "btf/value.h"
#include "dump/expr_eval.h"
#include "dump/values.h"

struct show {
	struct dump_expr_scope scope;
	struct dump_expr expr;
	struct dump_sink *sink;
	struct dump_values values;
	/* Nodes that are per-CPU variables without an index, in the order of the text. */
	bool of_every_cpu[DUMP_LIMIT_EXPR_NODES];
	bool has_every_cpu;
};

/* Type, and the address of a value in memory; a bit field has the type of its number. */
static void add_head(struct show *show, const struct dump_expr_value *value)
{
	_cleanup_strbuf_ struct strbuf type = STRBUF_INIT;

	dump_expr_type_format(&value->type, &type);
	if (value->form == DUMP_EXPR_IS_PLACE)
		dump_add_hex(show->sink, "address", value->address);
	dump_add_string(show->sink, "type", strbuf_str(&type));
}

/* Programs that were looked for already are not looked for again. */
static struct dump_owner owner_of(struct show *show, const struct dump_expr_value *value)
{
	if (show->scope.has_programs)
		show->values.scene = &show->scope.programs;
	return (struct dump_owner){ .map = value->program ? value->program->map : 0,
				    .arena = value->arena };
}

/* What a char pointer leads to, if that is text. */
static bool read_text(struct show *show, const struct dump_expr_value *value, uint64_t at,
		      struct strbuf *into)
{
	struct dump_expr_value text = { .form = DUMP_EXPR_IS_PLACE, .address = at };
	char bytes[DUMP_LIMIT_EXPR_TEXT_BYTES];
	struct btf_type type;
	struct btf_int number;
	size_t n = 0;

	if (!at || !dump_expr_type_target(&value->type, &text.type) ||
	    !dump_expr_type_resolve(&text.type, &type) || !btf_get_int(&type, &number) ||
	    number.bytes != 1 || !strstr(type.name, "char"))
		return false;
	text.arena = dump_expr_name_arena(&show->scope, value->program, at);
	while (n < sizeof(bytes)) {
		if (kmem_read(&show->scope.kmem->space, dump_expr_kernel_address(&text) + n,
			      bytes + n, 1, NULL) != KMEM_READ_OK)
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
static void show_number(struct show *show, const struct dump_expr_value *value, uint64_t number,
			const char *label)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	uint64_t size = sizeof(number);
	uint8_t bytes[sizeof(number)];
	struct btf_value_block block = { .data = { bytes, sizeof(bytes) } };
	bool is_text = read_text(show, value, number, &text);

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(number >> 8 * i);
	error_free(dump_expr_type_size(&value->type, &size));
	if (size < sizeof(bytes))
		block.data.n = size;
	tree = dump_value_of(&show->values, owner_of(show, value), value->type.btf,
			     dump_expr_type_pointer_id(&value->type), &block);
	if (show->sink->json || !is_text)
		dump_value_show(show->sink, "value", label, tree, btf_value_root(tree));
	if (!is_text)
		return;
	dump_add_string(show->sink, "text", strbuf_str(&text));
	dump_line(show->sink, "%s = 0x%llx \"%s\"", label, (unsigned long long)number,
		  strbuf_str(&text));
}

static bool is_scalar(const struct dump_expr_value *value)
{
	struct dump_expr_type target;

	return value->form == DUMP_EXPR_IS_NUMBER || value->bits ||
	       dump_expr_type_target(&value->type, &target);
}

/* Part of it, or none of it, could not be read. */
static struct error *check_holes(const struct btf_value_tree *tree, const char *label)
{
	for (uint32_t i = 1; i < tree->n; i++) {
		if (tree->nodes[i].kind == BTF_VALUE_UNREADABLE)
			return dump_expr_error(DUMP_EXPR_UNREAD, 0, "%s%s cannot be read: %s",
					       i == 1 ? "" : "part of ", label,
					       tree->nodes[i].reason);
	}
	return NULL;
}

static struct error *show_place(struct show *show, const struct dump_expr_value *value,
				const char *label)
{
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	uint64_t size = 0;
	struct error *err = dump_expr_check_null(value);

	if (!err)
		err = dump_expr_type_size(&value->type, &size);
	if (!err)
		err = dump_value_read(&show->values, owner_of(show, value), value->type.btf,
				      value->type.id, value->address, size, &tree);
	if (err)
		return err;
	err = check_holes(tree, label);
	/* A value of which nothing could be read is an error. */
	if (err && btf_value_root(tree)->kind == BTF_VALUE_UNREADABLE)
		return error_recast(err, &kmem_error_domain, KMEM_UNREAD);
	add_head(show, value);
	dump_value_show(show->sink, "value", label, tree, btf_value_root(tree));
	return err;
}

static struct error *show_value(struct show *show, const char *label)
{
	struct dump_expr_value value;
	uint64_t number;
	struct error *err = dump_expr_eval(&show->scope, &show->expr, show->expr.root, &value);

	if (err)
		return err;
	if (value.form == DUMP_EXPR_IS_UNTYPED)
		return dump_expr_no_type(&show->expr.nodes[show->expr.root]);
	if (!is_scalar(&value))
		return show_place(show, &value, label);
	err = dump_expr_load(&show->scope, &value, &number);
	if (err)
		return err;
	add_head(show, &value);
	show_number(show, &value, number, label);
	return NULL;
}

/* What sizeof asks for is of no CPU. */
static void find_percpu(struct show *show, uint8_t n)
{
	const struct dump_expr_node *node = &show->expr.nodes[n];
	const struct dump_expr_node *left = &show->expr.nodes[node->left];
	_cleanup_free_ char *name = xstrndup(node->word ? node->word : "", node->word_n);
	_cleanup_free_ char *left_name = xstrndup(left->word ? left->word : "", left->word_n);

	if (node->op == DUMP_EXPR_SIZEOF)
		return;
	if (node->op == DUMP_EXPR_NAME && dump_expr_name_is_percpu(&show->scope, name))
		show->of_every_cpu[n] = show->has_every_cpu = true;
	if (node->left && !(node->op == DUMP_EXPR_INDEX && left->op == DUMP_EXPR_NAME &&
			    dump_expr_name_is_percpu(&show->scope, left_name)))
		find_percpu(show, node->left);
	if (node->right)
		find_percpu(show, node->right);
}

/* The expression as it would be written for that CPU. */
static void label_of(const struct show *show, const char *text, uint32_t cpu, struct strbuf *out)
{
	const char *at = text;

	for (uint8_t i = 1; i < show->expr.n; i++) {
		const struct dump_expr_node *node = &show->expr.nodes[i];
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
	return error_is(err, &dump_expr_error_domain, DUMP_EXPR_NULL) ||
	       error_is(err, &dump_expr_error_domain, DUMP_EXPR_UNREAD) ||
	       error_is(err, &kmem_error_domain, KMEM_UNREAD);
}

static struct error *show_cpu(struct show *show, const char *text, uint32_t cpu)
{
	_cleanup_strbuf_ struct strbuf label = STRBUF_INIT;
	struct error *err;

	label_of(show, text, cpu, &label);
	show->scope.cpu = cpu;
	dump_open(show->sink, NULL);
	dump_add_u64(show->sink, "cpu", cpu);
	err = show_value(show, strbuf_str(&label));
	if (err && is_of_memory(err))
		dump_unavailable(show->sink, "error", strbuf_str(&label), error_message(err));
	dump_close(show->sink);
	return err;
}

static struct error *show_cpus(struct show *show, const char *text)
{
	const struct kmem *kmem = show->scope.kmem;
	uint32_t n = 0, n_failed = 0;
	struct error *err = NULL;

	if (kmem->no_cpus)
		return kmem_error(KMEM_UNREAD, 0, "the CPUs are not known: %s",
				  error_message(kmem->no_cpus));
	dump_open_list(show->sink, "cpus");
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
	dump_close_list(show->sink);
	if (!err && n_failed)
		err = dump_expr_error(DUMP_EXPR_UNREAD, 0, "%s cannot be read on %u of %u CPUs",
				      text, n_failed, n);
	return err;
}

struct error *dump_expr(struct kmem *kmem, const char *text, struct dump_sink *sink)
{
	struct show show = { .sink = sink, .values = { .kmem = kmem } };
	struct error *err = dump_expr_parse(text, &show.expr);

	if (!err)
		err = dump_expr_scope_init(&show.scope, kmem);
	if (err)
		return err;
	find_percpu(&show, show.expr.root);
	dump_open(sink, NULL);
	dump_add_string(sink, "expr", text);
	err = show.has_every_cpu ? show_cpus(&show, text) : show_value(&show, text);
	dump_close(sink);
	dump_values_deinit(&show.values);
	dump_expr_scope_deinit(&show.scope);
	return err;
}
