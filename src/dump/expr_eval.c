// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/expr_eval.h"

#include <string.h>

#include "base/alloc.h"
#include "btf/path.h"

enum { MOST_BYTES = 8 }; /* of a number */

uint64_t dump_expr_kernel_address(const struct dump_expr_value *value)
{
	return value->arena ? value->arena->kernel_start + (value->address & UINT32_MAX)
			    : value->address;
}

struct error *dump_expr_check_null(const struct dump_expr_value *value)
{
	if (!value->null)
		return NULL;
	return dump_expr_error(DUMP_EXPR_NULL, 0, "%.*s is NULL",
			       (int)(value->null->to - value->null->from), value->null->from);
}

struct error *dump_expr_no_type(const struct dump_expr_node *node)
{
	int n = (int)(node->to - node->from);

	return dump_expr_error(
		DUMP_EXPR_NO_TYPE, 0,
		"the kernel's types do not say what %.*s is: cast it to its type, as in "
		"(unsigned long)%.*s, for an element of an array "
		"((unsigned long *)&%.*s)[1]",
		n, node->from, n, node->from, n, node->from);
}

/* "runqueues[1].curr is struct task_struct *, …" */
static struct error *refuse(const struct dump_expr_node *node, const struct dump_expr_value *value,
			    const char *why)
{
	_cleanup_strbuf_ struct strbuf type = STRBUF_INIT;

	if (value->form == DUMP_EXPR_IS_UNTYPED)
		return dump_expr_no_type(node);
	dump_expr_type_format(&value->type, &type);
	return dump_expr_error(DUMP_EXPR_SYNTAX, 0, "%.*s is %s, %s", (int)(node->to - node->from),
			       node->from, strbuf_str(&type), why);
}

static uint64_t extend(uint64_t value, uint64_t bits, bool is_signed)
{
	unsigned int unused = bits && bits < 64 ? (unsigned int)(64 - bits) : 0;

	return is_signed ? (uint64_t)((int64_t)(value << unused) >> unused)
			 : value << unused >> unused;
}

/* As wide as the type, with its sign. False: it is not a number. */
static bool convert(const struct dump_expr_type *type, uint32_t bits, uint64_t *number)
{
	struct btf_type resolved;
	struct btf_int integer;

	if (!dump_expr_type_resolve(type, &resolved))
		return true;
	if (btf_get_int(&resolved, &integer) && integer.bytes <= MOST_BYTES) {
		if (integer.is_bool && !bits)
			*number = *number != 0;
		*number = extend(*number, bits ? bits : integer.bits, integer.is_signed);
		return true;
	}
	if (!btf_is_enum(&resolved))
		return false;
	*number = extend(*number, bits ? bits : 8 * resolved.size_or_type, resolved.flag);
	return true;
}

static bool is_array(const struct dump_expr_type *type, struct btf_array *ret)
{
	struct btf_type resolved;

	return dump_expr_type_resolve(type, &resolved) && btf_get_array(&resolved, ret);
}

static struct error *read_number(struct dump_expr_scope *scope, const struct dump_expr_value *value,
				 uint64_t *ret)
{
	uint8_t bytes[2 * MOST_BYTES] = { 0 };
	struct cursor c = cursor_over((struct bytes){ bytes, sizeof(bytes) });
	uint64_t size = MOST_BYTES;
	struct error *err = value->bits ? NULL : dump_expr_type_size(&value->type, &size);

	if (err)
		return err;
	if (value->bits)
		size = (value->bit_offset + (uint64_t)value->bits + 7) / 8;
	if (size > MOST_BYTES)
		return dump_expr_error(DUMP_EXPR_NO_TYPE, 0, "a number of %llu bytes",
				       (unsigned long long)size);
	err = dump_expr_check_null(value);
	if (!err)
		err = kmem_read_exact(&scope->kmem->space, dump_expr_kernel_address(value), bytes,
				      size, "the value");
	if (!err)
		*ret = cursor_u64(&c) >> value->bit_offset;
	return err;
}

struct error *dump_expr_load(struct dump_expr_scope *scope, const struct dump_expr_value *value,
			     uint64_t *ret)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct btf_array array;
	uint64_t number = value->number;
	struct error *err = NULL;

	if (value->form == DUMP_EXPR_IS_UNTYPED)
		return dump_expr_error(DUMP_EXPR_NO_TYPE, 0,
				       "the kernel's types do not say what it is");
	/* An array decays to the address of its first element. */
	if (value->form == DUMP_EXPR_IS_PLACE && is_array(&value->type, &array)) {
		*ret = value->address;
		return NULL;
	}
	if (!convert(&value->type, value->bits, &number)) {
		dump_expr_type_format(&value->type, &text);
		return dump_expr_error(DUMP_EXPR_SYNTAX, 0, "%s is not a number",
				       strbuf_str(&text));
	}
	if (value->form == DUMP_EXPR_IS_PLACE) {
		err = read_number(scope, value, &number);
		(void)convert(&value->type, value->bits, &number);
	}
	if (!err)
		*ret = number;
	return err;
}

/* The kernel knows its structs better than a program that was compiled elsewhere. */
static void use_kernel_type(struct dump_expr_scope *scope, struct dump_expr_value *value)
{
	const struct btf *kernel = kmem_types(scope->kmem);
	struct btf_type type, own;
	enum btf_kind kind;

	if (value->type.stars || value->type.btf == kernel || value->arena ||
	    btf_resolve(value->type.btf, value->type.id, &type) != BTF_ANSWER_OK ||
	    !(btf_is_composite(&type) || type.kind == BTF_FWD) || !type.name[0])
		return;
	kind = type.kind == BTF_FWD ? (type.flag ? BTF_UNION : BTF_STRUCT) : type.kind;
	if (btf_find_body(kernel, kind, type.name, &own) == BTF_BODY_FULL)
		value->type = (struct dump_expr_type){ kernel, own.id, 0 };
}

/* What the pointer, or the array, leads to, `index` elements on. */
static struct error *follow(struct dump_expr_scope *scope, const struct dump_expr_node *node,
			    const struct dump_expr_value *pointer, uint64_t index,
			    struct dump_expr_value *ret)
{
	struct dump_expr_value value = { .form = DUMP_EXPR_IS_PLACE, .program = pointer->program };
	struct btf_array array;
	uint64_t size = 0, distance;
	struct error *err;

	if (pointer->form == DUMP_EXPR_IS_PLACE && is_array(&pointer->type, &array)) {
		if (array.n && index >= array.n)
			return dump_expr_error(DUMP_EXPR_SYNTAX, 0,
					       "%.*s has %u elements, there is no element %lld",
					       (int)(node->to - node->from), node->from, array.n,
					       (long long)index);
		value = *pointer;
		value.type.id = array.element;
	} else {
		if (pointer->form == DUMP_EXPR_IS_UNTYPED ||
		    !dump_expr_type_target(&pointer->type, &value.type))
			return refuse(node, pointer, "not a pointer");
		err = dump_expr_load(scope, pointer, &value.address);
		if (err)
			return error_wrap(err, "%.*s", (int)(node->to - node->from), node->from);
		value.null = value.address ? NULL : node;
		value.arena = dump_expr_name_arena(scope, pointer->program, value.address);
		if (value.address >> 63)
			use_kernel_type(scope, &value);
	}
	if (index) {
		err = dump_expr_type_size(&value.type, &size);
		if (err)
			return err;
	}
	/* Backwards as well: a negative number wraps. */
	distance = size * index;
	value.address += distance;
	*ret = value;
	return NULL;
}

/* Variables of a section have no members but are found alike. */
static struct error *find_in_section(const struct btf_type *section, const char *name,
				     struct dump_expr_value *value)
{
	struct btf_variable variable;

	if (!btf_find_variable(value->type.btf, section, name, &variable))
		return btf_error(BTF_NO_MEMBER, 0, "%s has no variable '%s'", section->name, name);
	value->type.id = variable.type;
	value->address += variable.offset;
	return NULL;
}

static struct error *enter(struct dump_expr_scope *scope, const struct dump_expr_node *node,
			   const struct dump_expr_value *left, const char *name,
			   struct dump_expr_value *ret)
{
	struct dump_expr_value value = *left;
	struct dump_expr_type target;
	struct btf_place place;
	struct btf_array array;
	struct btf_type type;
	struct error *err = NULL;

	if (value.form != DUMP_EXPR_IS_UNTYPED &&
	    (dump_expr_type_target(&value.type, &target) || is_array(&value.type, &array)))
		err = follow(scope, node, left, 0, &value);
	if (err)
		return err;
	if (value.form != DUMP_EXPR_IS_PLACE || value.bits)
		return refuse(node, left, "it has no members");
	if (dump_expr_type_resolve(&value.type, &type) && type.kind == BTF_DATASEC) {
		err = find_in_section(&type, name, &value);
	} else {
		err = btf_path(value.type.btf, value.type.id, name, &place);
		if (!err) {
			value.type.id = place.type;
			value.address += place.offset;
			value.bits = place.bits;
			value.bit_offset = place.bit_offset;
		}
	}
	if (!err)
		*ret = value;
	return err;
}

/* The rest of "map:obj.bss.member.member" */
static struct error *eval_map(struct dump_expr_scope *scope, const struct dump_expr_node *node,
			      struct dump_expr_value *ret)
{
	_cleanup_free_ char *text = xstrndup(node->word, node->word_n);
	const char *rest;
	struct dump_expr_value value;
	struct error *err = dump_expr_name_map(scope, text, &value, &rest);

	while (!err && *rest) {
		size_t n = strcspn(rest + 1, ".");
		_cleanup_free_ char *name = xstrndup(rest + 1, n);

		err = enter(scope, node, &value, name, &value);
		rest += n + 1;
	}
	if (!err)
		*ret = value;
	return err;
}

/* "runqueues[1]" is that of CPU 1. */
static struct error *eval_index(struct dump_expr_scope *scope, const struct dump_expr *expr,
				const struct dump_expr_node *node, struct dump_expr_value *ret)
{
	const struct dump_expr_node *left_node = &expr->nodes[node->left];
	_cleanup_free_ char *name = xstrndup(left_node->word ? left_node->word : "",
					     left_node->word_n);
	struct dump_expr_value left, right;
	int64_t cpu = scope->cpu;
	uint64_t index;
	struct error *err = dump_expr_eval(scope, expr, node->right, &right);

	if (!err)
		err = dump_expr_load(scope, &right, &index);
	if (err)
		return err;
	if (left_node->op == DUMP_EXPR_NAME && dump_expr_name_is_percpu(scope, name)) {
		if (index > UINT32_MAX)
			return dump_expr_error(DUMP_EXPR_NO_CPU, 0, "there is no CPU %lld",
					       (long long)index);
		scope->cpu = (int64_t)index;
		err = dump_expr_eval(scope, expr, node->left, ret);
		scope->cpu = cpu;
		return err;
	}
	err = dump_expr_eval(scope, expr, node->left, &left);
	return err ? err : follow(scope, left_node, &left, index, ret);
}

static struct error *address_of(const struct dump_expr_node *node,
				const struct dump_expr_value *value, struct dump_expr_value *ret)
{
	/* A function is its address already. */
	if (value->form == DUMP_EXPR_IS_NUMBER && node->op == DUMP_EXPR_NAME && value->type.stars) {
		*ret = *value;
		return NULL;
	}
	if (value->form == DUMP_EXPR_IS_NUMBER || value->bits)
		return refuse(node, value, "it has no address");
	*ret = (struct dump_expr_value){ .form = DUMP_EXPR_IS_NUMBER,
					 .type = dump_expr_type_pointer(&value->type),
					 .number = value->address,
					 .program = value->program };
	return NULL;
}

/* "x.m", "&x", "*x" */
static struct error *eval_unary(struct dump_expr_scope *scope, const struct dump_expr *expr,
				const struct dump_expr_node *node, struct dump_expr_value *ret)
{
	const struct dump_expr_node *left_node = &expr->nodes[node->left];
	_cleanup_free_ char *name = NULL;
	struct dump_expr_value left;
	struct error *err = dump_expr_eval(scope, expr, node->left, &left);

	if (err)
		return err;
	if (node->op == DUMP_EXPR_ADDRESS)
		return address_of(left_node, &left, ret);
	if (node->op == DUMP_EXPR_DEREF)
		return follow(scope, left_node, &left, 0, ret);
	name = xstrndup(node->word, node->word_n);
	return enter(scope, left_node, &left, name, ret);
}

/* The number or name at the beginning of "x->m[1].n"; NULL: something else is there. */
static const struct dump_expr_node *first_of(const struct dump_expr *expr,
					     const struct dump_expr_node *node)
{
	while (node->op == DUMP_EXPR_MEMBER || node->op == DUMP_EXPR_INDEX)
		node = &expr->nodes[node->left];
	return node->op == DUMP_EXPR_NUMBER || node->op == DUMP_EXPR_NAME ? node : NULL;
}

/*
 * "(T *)x->m" is "(T *)(x->m)" in C. Where x has no type, "((T *)x)->m" is meant, and the error
 * says so.
 */
static struct error *check_binding(struct dump_expr_scope *scope, const struct dump_expr *expr,
				   const struct dump_expr_node *node)
{
	const struct dump_expr_node *left = &expr->nodes[node->left], *first = first_of(expr, left);
	bool is_pointer = memchr(node->word, '*', node->word_n);
	_cleanup_free_ char *name = NULL;
	const char *rest, *arrow = "";
	struct dump_expr_value value = { 0 };
	struct error *err = NULL;

	if (!first || first == left)
		return NULL;
	if (first->op == DUMP_EXPR_NAME) {
		name = xstrndup(first->word, first->word_n);
		err = dump_expr_name_find(scope, name, &value);
		if (err || value.form != DUMP_EXPR_IS_UNTYPED)
			return err;
	}
	rest = first->to;
	/* A number is not a variable: it can only be an address. */
	if (first->op == DUMP_EXPR_NUMBER && !is_pointer && *rest == '.') {
		rest++;
		arrow = "->";
	}
	return dump_expr_error(
		DUMP_EXPR_NO_TYPE, 0,
		"the cast applies to all of %.*s, and the type of %.*s is not known: write "
		"((%.*s%s)%.*s)%s%.*s",
		(int)(left->to - left->from), left->from, (int)(first->to - first->from),
		first->from, (int)node->word_n, node->word,
		first->op == DUMP_EXPR_NUMBER && !is_pointer ? " *" : "",
		(int)(first->to - first->from), first->from, arrow, (int)(left->to - rest), rest);
}

static bool is_same(const struct dump_expr_type *a, const struct dump_expr_type *b)
{
	struct btf_type x, y;

	return dump_expr_type_resolve(a, &x) && dump_expr_type_resolve(b, &y) && a->btf == b->btf &&
	       x.id == y.id;
}

static struct error *eval_cast(struct dump_expr_scope *scope, const struct dump_expr *expr,
			       const struct dump_expr_node *node, struct dump_expr_value *ret)
{
	const struct dump_expr_node *left = &expr->nodes[node->left];
	struct dump_expr_value value, number;
	struct dump_expr_type type;
	struct error *err = check_binding(scope, expr, node);

	if (!err)
		err = dump_expr_eval(scope, expr, node->left, &value);
	if (!err)
		err = dump_expr_name_type(
			scope, value.form == DUMP_EXPR_IS_UNTYPED ? NULL : value.type.btf,
			node->word, node->word_n, &type);
	if (err)
		return err;
	/* As in gdb: a variable without a type has the type of the cast. */
	if (value.form == DUMP_EXPR_IS_UNTYPED) {
		value.form = DUMP_EXPR_IS_PLACE;
		value.type = type;
		*ret = value;
		return NULL;
	}
	if (is_same(&type, &value.type)) {
		*ret = value;
		return NULL;
	}
	number = (struct dump_expr_value){ .form = DUMP_EXPR_IS_NUMBER,
					   .type = type,
					   .program = value.program };
	if (!convert(&type, 0, &number.number))
		return dump_expr_error(
			DUMP_EXPR_SYNTAX, 0,
			"%.*s cannot be cast to (%.*s): write *(%.*s *) and an address",
			(int)(left->to - left->from), left->from, (int)node->word_n, node->word,
			(int)node->word_n, node->word);
	err = dump_expr_load(scope, &value, &number.number);
	if (err)
		return err;
	(void)convert(&type, 0, &number.number);
	*ret = number;
	return NULL;
}

static struct dump_expr_value number_of(struct dump_expr_scope *scope, const char *type,
					uint64_t number)
{
	const struct btf *btf = kmem_types(scope->kmem);
	struct dump_expr_value value = { .form = DUMP_EXPR_IS_NUMBER,
					 .type.btf = btf,
					 .number = number };

	/* Types that have no numbers at all show bytes. */
	error_free(dump_expr_type_parse(btf, type, strlen(type), &value.type));
	return value;
}

static struct error *eval_sizeof(struct dump_expr_scope *scope, const struct dump_expr *expr,
				 const struct dump_expr_node *node, struct dump_expr_value *ret)
{
	const struct dump_expr_node *left = &expr->nodes[node->left];
	struct dump_expr_value value = { .form = DUMP_EXPR_IS_PLACE };
	struct error *err = NULL, *other = NULL;
	uint64_t size = 0;

	if (node->op == DUMP_EXPR_SIZEOF_TYPE) {
		err = dump_expr_name_type(scope, NULL, node->word, node->word_n, &value.type);
	} else {
		err = dump_expr_eval(scope, expr, node->left, &value);
		/* "sizeof(u64)" looks as if it were a variable. */
		if (left->op == DUMP_EXPR_NAME && (err || value.form == DUMP_EXPR_IS_UNTYPED)) {
			other = dump_expr_name_type(scope, NULL, left->word, left->word_n,
						    &value.type);
			if (!other) {
				error_free(err);
				err = NULL;
				value.form = DUMP_EXPR_IS_PLACE;
			}
			error_free(other);
		}
		if (!err && (value.form == DUMP_EXPR_IS_UNTYPED || value.bits))
			err = refuse(left, &value, "a bit field");
	}
	if (!err)
		err = dump_expr_type_size(&value.type, &size);
	if (!err)
		*ret = number_of(scope, "unsigned long", size);
	return err;
}

/* Pointers count in what they point to; *ret_size is 0 for numbers. */
static struct error *load_term(struct dump_expr_scope *scope, const struct dump_expr *expr,
			       uint8_t node, struct dump_expr_value *value, uint64_t *ret_size)
{
	struct dump_expr_type target;
	struct btf_array array;
	struct error *err = dump_expr_eval(scope, expr, node, value);

	*ret_size = 0;
	if (err)
		return err;
	err = dump_expr_load(scope, value, &value->number);
	if (err)
		return error_wrap(err, "%.*s", (int)(expr->nodes[node].to - expr->nodes[node].from),
				  expr->nodes[node].from);
	if (value->form == DUMP_EXPR_IS_PLACE && is_array(&value->type, &array)) {
		value->type.id = array.element;
		value->type = dump_expr_type_pointer(&value->type);
	}
	value->form = DUMP_EXPR_IS_NUMBER;
	value->bits = 0;
	if (!dump_expr_type_target(&value->type, &target))
		return NULL;
	/* gcc and gdb count void and functions in bytes. */
	err = dump_expr_type_size(&target, ret_size);
	if (err || *ret_size == 0)
		*ret_size = 1;
	error_free(err);
	return NULL;
}

static struct error *eval_sum(struct dump_expr_scope *scope, const struct dump_expr *expr,
			      const struct dump_expr_node *node, struct dump_expr_value *ret)
{
	bool minus = node->op == DUMP_EXPR_SUBTRACT;
	struct dump_expr_value a, b;
	uint64_t a_size, b_size;
	struct error *err = load_term(scope, expr, node->left, &a, &a_size);

	if (!err)
		err = load_term(scope, expr, node->right, &b, &b_size);
	if (err)
		return err;
	if (a_size && b_size) {
		if (!minus || a_size != b_size)
			return dump_expr_error(
				DUMP_EXPR_SYNTAX, 0,
				"%.*s: two pointers of one type can be subtracted, else "
				"nothing",
				(int)(node->to - node->from), node->from);
		*ret = number_of(scope, "long",
				 (uint64_t)((int64_t)(a.number - b.number) / (int64_t)a_size));
		return NULL;
	}
	if (b_size && minus)
		return dump_expr_error(DUMP_EXPR_SYNTAX, 0,
				       "%.*s: a pointer is subtracted from a number",
				       (int)(node->to - node->from), node->from);
	*ret = b_size ? b : a_size ? a : number_of(scope, "long", 0);
	ret->number = a.number * (b_size ? b_size : 1);
	b.number *= a_size ? a_size : 1;
	ret->number = minus ? ret->number - b.number : ret->number + b.number;
	return NULL;
}

static struct error *eval_name(struct dump_expr_scope *scope, const struct dump_expr_node *node,
			       struct dump_expr_value *ret)
{
	_cleanup_free_ char *name = xstrndup(node->word, node->word_n);

	return node->op == DUMP_EXPR_BPF ? dump_expr_name_bpf(scope, name, ret)
					 : dump_expr_name_find(scope, name, ret);
}

static struct error *eval_negative(struct dump_expr_scope *scope, const struct dump_expr *expr,
				   const struct dump_expr_node *node, struct dump_expr_value *ret)
{
	struct dump_expr_value value;
	uint64_t size;
	struct error *err = load_term(scope, expr, node->left, &value, &size);

	if (!err)
		*ret = number_of(scope, "long", 0 - value.number);
	return err;
}

/* The parser bounds how deep this goes. */
struct error *dump_expr_eval(struct dump_expr_scope *scope, const struct dump_expr *expr, uint8_t n,
			     struct dump_expr_value *ret)
{
	const struct dump_expr_node *node = &expr->nodes[n];

	switch (node->op) {
	case DUMP_EXPR_NUMBER:
		*ret = number_of(scope, node->number > INT32_MAX ? "unsigned long" : "int",
				 node->number);
		return NULL;
	case DUMP_EXPR_NAME:
	case DUMP_EXPR_BPF:
		return eval_name(scope, node, ret);
	case DUMP_EXPR_MAP:
		return eval_map(scope, node, ret);
	case DUMP_EXPR_MEMBER:
	case DUMP_EXPR_DEREF:
	case DUMP_EXPR_ADDRESS:
		return eval_unary(scope, expr, node, ret);
	case DUMP_EXPR_INDEX:
		return eval_index(scope, expr, node, ret);
	case DUMP_EXPR_CAST:
		return eval_cast(scope, expr, node, ret);
	case DUMP_EXPR_SIZEOF:
	case DUMP_EXPR_SIZEOF_TYPE:
		return eval_sizeof(scope, expr, node, ret);
	case DUMP_EXPR_NEGATE:
		return eval_negative(scope, expr, node, ret);
	default:
		return eval_sum(scope, expr, node, ret);
	}
}
