// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/expr.h"

#include <string.h>

#include "base/alloc.h"
#include "btf/layout.h"
#include "btf/path.h"
#include "btf/suggest.h"
#include "btf/value.h"
#include "dump/values.h"
#include "text/escape.h"

/* What the kernel's types do not tell of often used variables. */
static const struct {
	const char *name, *type;
} known[] = {
	{ "init_task", "(struct task_struct)" },
	{ "init_uts_ns", "(struct uts_namespace)" },
	{ "scx_root", "(struct scx_sched *)" },
};

/* How C is written and what compilers call it. */
static const struct {
	const char *written, *named;
} spellings[] = {
	{ "long", "long int" },
	{ "short", "short int" },
	{ "unsigned", "unsigned int" },
	{ "unsigned long", "long unsigned int" },
	{ "unsigned short", "short unsigned int" },
	{ "long long", "long long int" },
	{ "unsigned long long", "long long unsigned int" },
};

/* Where the path begins. */
struct root {
	uint32_t type;
	uint64_t address;
	bool is_percpu;
	const char *path;
};

static struct error *no_symbol(struct kmem *kmem, const char *name, struct error *why)
{
	struct kmem_kallsyms *symbols;
	_cleanup_strbuf_ struct strbuf meant = STRBUF_INIT;
	char kept[SUGGEST_N + 1][KMEM_LIMIT_SYMBOL_CHARS];
	struct suggest suggest = { .wanted = name };
	struct kmem_symbol symbol;
	struct error *err = kmem_names_table(&kmem->names, &symbols);

	if (err) {
		error_free(why);
		return err;
	}
	/* A suggestion is borrowed: there is one buffer more than can be kept. */
	for (uint32_t i = 0; i < kmem_kallsyms_n(symbols); i++) {
		char *free_one = NULL;

		if (!kmem_kallsyms_at(symbols, i, &symbol))
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(kept) && !free_one; k++) {
			free_one = kept[k];
			for (unsigned int n = 0; n < suggest.n; n++) {
				if (suggest.names[n] == kept[k])
					free_one = NULL;
			}
		}
		strcpy(free_one, symbol.name);
		btf_suggest_offer(&suggest, free_one);
	}
	btf_suggest_format(&suggest, &meant);
	error_free(why);
	return kmem_error(KMEM_NO_SYMBOL, 0, "the kernel has no symbol %s%s", name,
			  strbuf_str(&meant));
}

static bool is_percpu(struct kmem *kmem, uint64_t address)
{
	uint64_t start, end;
	struct error *err = kmem_symbol(kmem, "__per_cpu_start", &start);

	if (!err)
		err = kmem_symbol(kmem, "__per_cpu_end", &end);
	if (err) {
		error_free(err);
		return false;
	}
	return address >= start && address < end;
}

static struct error *find_type(const struct btf *btf, const char *type, size_t n, uint32_t *ret)
{
	_cleanup_free_ char *name = xstrndup(type, n);
	struct btf_type found;
	const char *named = name;
	struct error *err;

	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
		if (strcmp(spellings[i].written, name) == 0)
			named = spellings[i].named;
	}
	if (btf_find(btf, BTF_INT, named, &found)) {
		*ret = found.id;
		return NULL;
	}
	err = btf_require(btf, name, &found);
	if (err)
		return err;
	*ret = found.id;
	return NULL;
}

/* The type that stands in the expression, that BTF has of a variable, or that is known here. */
static struct error *find_root_type(struct kmem *kmem, struct expr *e, const char *name,
				    uint32_t *ret)
{
	struct btf_type variable;
	struct expr typed;

	if (e->type)
		return find_type(kmem_types(kmem), e->type, e->type_n, ret);
	if (!e->is_address && btf_find(kmem_types(kmem), BTF_VAR, name, &variable)) {
		*ret = variable.size_or_type;
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		_cleanup_free_ char *text = xasprintf("%s%s", known[i].type, known[i].name);

		if (strcmp(known[i].name, name) != 0)
			continue;
		error_free(expr_parse(text, &typed));
		e->is_pointer = typed.is_pointer;
		return find_type(kmem_types(kmem), typed.type, typed.type_n, ret);
	}
	return expr_error(EXPR_NO_TYPE, 0,
			  "the kernel's types do not say what %s is: write (TYPE)%s", name, name);
}

static struct error *find_root(struct kmem *kmem, struct expr *e, struct root *ret)
{
	_cleanup_free_ char *name = xstrndup(e->name, e->name_n);
	struct error *err = NULL;

	if (!kmem_types(kmem))
		return kmem_error(KMEM_NO_FIELD, 0, "the kernel has no types: %s",
				  kmem->no_btf ? error_message(kmem->no_btf) : "");
	ret->address = e->address;
	if (!e->is_address) {
		err = kmem_symbol(kmem, name, &ret->address);
		if (err)
			return no_symbol(kmem, name, err);
	}
	err = find_root_type(kmem, e, name, &ret->type);
	if (err)
		return err;
	ret->is_percpu = !e->is_address && is_percpu(kmem, ret->address);
	ret->path = ret->is_percpu ? e->path : e->path_with_index;
	return NULL;
}

/* "[3]" behind a pointer; *rest goes on behind it. */
static struct error *index_pointer(const struct btf *btf, uint32_t pointee, const char **rest,
				   uint64_t *address)
{
	uint64_t size, index, distance;
	enum btf_answer answer;
	char *end;

	if (**rest != '[')
		return NULL;
	errno = 0;
	index = strtoull(*rest + 1, &end, 0);
	if (errno || *end != ']' || end == *rest + 1)
		return expr_error(EXPR_SYNTAX, 0, "\"%.20s\" is no index", *rest);
	answer = btf_size(btf, pointee, &size);
	if (answer)
		return expr_error(EXPR_NO_TYPE, 0, "what it points to %s", btf_answer_text(answer));
	if (!mul_fits_u64(size, index, &distance))
		return expr_error(EXPR_SYNTAX, 0, "the index %llu is too large",
				  (unsigned long long)index);
	*address += distance;
	*rest = end + 1;
	return NULL;
}

/* Each round uses up some of the path, so it ends. */
static struct error *follow(struct kmem *kmem, uint32_t type, uint64_t address, const char *path,
			    struct btf_place *ret, uint64_t *ret_address)
{
	for (;;) {
		struct btf_type pointer;
		struct error *err = btf_path_to_pointer(kmem_types(kmem), type, path, ret, &path);
		enum kmem_status status;

		if (err)
			return err;
		address += ret->offset;
		*ret_address = address;
		if (!*path)
			return NULL;
		if (btf_resolve(kmem_types(kmem), ret->type, &pointer) || pointer.kind != BTF_PTR)
			return expr_error(EXPR_SYNTAX, 0, "\"%s\" cannot be followed", path);
		status = kmem_read_u64(&kmem->space, address, &address);
		if (status)
			return kmem_unread(status, *ret_address, "the pointer before it");
		if (address == 0)
			return expr_error(EXPR_SYNTAX, 0, "NULL stands before \"%s\"", path);
		type = pointer.size_or_type;
		err = index_pointer(kmem_types(kmem), type, &path, &address);
		if (err)
			return err;
	}
}

/* Its type says whether it has a sign, and names if it is an enum; its width is its own. */
static int64_t extend(uint64_t value, unsigned int bits)
{
	unsigned int unused = bits && bits < 64 ? 64 - bits : 0;

	return (int64_t)(value << unused) >> unused;
}

/* A bit field has no type of its own width: it is a number. */
static struct error *show_bits(struct kmem *kmem, const struct btf_place *place, uint64_t address,
			       const char *label, struct dump_sink *sink)
{
	_cleanup_strbuf_ struct strbuf word = STRBUF_INIT, shown = STRBUF_INIT;
	const char *name = NULL;
	bool is_signed = false;
	struct btf_type type;
	struct btf_int number;
	uint64_t value = 0;
	uint8_t bytes[16] = { 0 };
	struct error *err;

	if (place->size > 8 || place->bits > 64)
		return expr_error(EXPR_NO_TYPE, 0, "a bit field of %u bits", place->bits);
	err = kmem_read_exact(&kmem->space, address, bytes, place->size, "the bit field");
	if (err)
		return err;
	memcpy(&value, bytes, 8);
	value >>= place->bit_offset;
	if (place->bits < 64)
		value &= (UINT64_C(1) << place->bits) - 1;
	if (btf_resolve(kmem_types(kmem), place->type, &type) == BTF_ANSWER_OK) {
		is_signed = btf_get_int(&type, &number) ? number.is_signed
							: btf_is_enum(&type) && type.flag;
		name = btf_is_enum(&type)
			       ? btf_enum_name(kmem_types(kmem), &type, value, place->bits)
			       : NULL;
	}
	if (sink->json && is_signed)
		json_add_i64(sink->json, "value", extend(value, place->bits));
	else if (sink->json)
		json_add_u64(sink->json, "value", value);
	if (sink->json)
		json_add_string(sink->json, "variant", name);
	if (is_signed)
		strbuf_appendf(&shown, "%lld", (long long)extend(value, place->bits));
	else
		strbuf_appendf(&shown, "%llu", (unsigned long long)value);
	text_escape(&word, name ? name : "");
	if (name)
		dump_line(sink, "%s = %s (%s)", label, strbuf_str(&word), strbuf_str(&shown));
	else
		dump_line(sink, "%s = %s", label, strbuf_str(&shown));
	return NULL;
}

static struct error *show_at(struct kmem *kmem, const struct expr *e, const struct root *root,
			     uint64_t address, const char *label, struct dump_sink *sink)
{
	_cleanup_value_ struct value_tree *tree = NULL;
	_cleanup_strbuf_ struct strbuf type = STRBUF_INIT;
	struct btf_place place;
	enum kmem_status status;
	struct error *err;

	if (e->is_pointer) {
		status = kmem_read_u64(&kmem->space, address, &address);
		if (status)
			return kmem_unread(status, address, "the pointer");
		if (address == 0)
			return expr_error(EXPR_SYNTAX, 0, "it is NULL");
	}
	err = follow(kmem, root->type, address, root->path, &place, &address);
	if (err)
		return err;
	if (sink->json) {
		btf_type_format(kmem_types(kmem), place.type, &type);
		dump_add_hex(sink->json, "address", address);
		json_add_string(sink->json, "type", strbuf_str(&type));
	}
	if (place.bits)
		return show_bits(kmem, &place, address, label, sink);
	err = dump_value_read(kmem, kmem_types(kmem), place.type, address, place.size, &tree);
	if (err)
		return err;
	if (sink->json) {
		json_key(sink->json, "value");
		dump_value_write(sink->json, tree);
	} else {
		dump_value_text(sink, label, tree, value_root(tree));
	}
	return NULL;
}

static struct error *show_cpu(struct kmem *kmem, const struct expr *e, const struct root *root,
			      uint32_t cpu, const char *text, struct dump_sink *sink)
{
	_cleanup_strbuf_ struct strbuf label = STRBUF_INIT;
	uint64_t address;
	struct error *err;

	if (!kmem_cpus_is_possible(&kmem->cpus, cpu) ||
	    !kmem_cpus_address(&kmem->cpus, cpu, root->address, &address))
		return expr_error(EXPR_NO_CPU, 0, "there is no CPU %u", cpu);
	if (e->has_index)
		return show_at(kmem, e, root, address, text, sink);
	strbuf_appendf(&label, "%.*s[%u]%s", (int)e->name_n, e->name, cpu, e->path);
	if (sink->json) {
		json_begin_object(sink->json);
		json_add_u64(sink->json, "cpu", cpu);
	}
	err = show_at(kmem, e, root, address, strbuf_str(&label), sink);
	if (sink->json)
		json_end_object(sink->json);
	return err ? error_wrap(err, "CPU %u", cpu) : NULL;
}

static struct error *show_cpus(struct kmem *kmem, const struct expr *e, const struct root *root,
			       const char *text, struct dump_sink *sink)
{
	struct error *err = NULL;

	if (kmem->no_cpus)
		return kmem_error(KMEM_UNREAD, 0, "the CPUs are not known: %s",
				  error_message(kmem->no_cpus));
	if (e->has_index)
		return e->index > UINT32_MAX
			       ? expr_error(EXPR_NO_CPU, 0, "there is no CPU %llu",
					    (unsigned long long)e->index)
			       : show_cpu(kmem, e, root, (uint32_t)e->index, text, sink);
	if (sink->json) {
		json_key(sink->json, "cpus");
		json_begin_array(sink->json);
	}
	for (uint32_t cpu = 0; !err && cpu < kmem->cpus.n; cpu++) {
		if (kmem_cpus_is_possible(&kmem->cpus, cpu))
			err = show_cpu(kmem, e, root, cpu, text, sink);
	}
	if (sink->json)
		json_end_array(sink->json);
	return err;
}

struct error *dump_expr(struct kmem *kmem, const char *text, struct dump_sink *sink)
{
	struct root root = { 0 };
	struct expr e;
	struct error *err = expr_parse(text, &e);

	if (!err)
		err = find_root(kmem, &e, &root);
	if (err)
		return err;
	if (sink->json) {
		json_begin_object(sink->json);
		json_add_string(sink->json, "expr", text);
	}
	err = root.is_percpu ? show_cpus(kmem, &e, &root, text, sink)
			     : show_at(kmem, &e, &root, root.address, text, sink);
	if (sink->json)
		json_end_object(sink->json);
	return err;
}
