// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/layout.h"

#include "btf/limits.h"

enum { POINTER_BYTES = 8, MEMBER_BYTES = 12, VARIABLE_BYTES = 12 };
enum { ENCODED_SIGNED = 1, ENCODED_CHAR = 2, ENCODED_BOOL = 4 };

#define ANSWER_ROW_(id, text) [id] = (text),
static const char *const answers[] = { BTF_ANSWERS(ANSWER_ROW_) };

const char *btf_answer_text(enum btf_answer answer)
{
	return answers[answer];
}

static bool is_modifier(enum btf_kind kind)
{
	switch (kind) {
	case BTF_TYPEDEF:
	case BTF_VOLATILE:
	case BTF_CONST:
	case BTF_RESTRICT:
	case BTF_TYPE_TAG:
	case BTF_DECL_TAG:
		return true;
	default:
		return false;
	}
}

enum btf_answer btf_resolve(const struct btf *btf, uint32_t id, struct btf_type *ret)
{
	struct btf_type type;

	for (int hops = 0; hops <= BTF_LIMIT_HOPS; hops++) {
		if (id == 0)
			return BTF_ANSWER_VOID;
		if (!btf_type(btf, id, &type))
			return BTF_ANSWER_NO_TYPE;
		if (!is_modifier(type.kind)) {
			*ret = type;
			return BTF_ANSWER_OK;
		}
		id = type.size_or_type;
	}
	return BTF_ANSWER_TOO_DEEP;
}

enum btf_answer btf_size(const struct btf *btf, uint32_t id, uint64_t *ret)
{
	uint64_t times = 1, size;
	struct btf_array array;
	struct btf_type type;

	for (int hops = 0; hops <= BTF_LIMIT_HOPS; hops++) {
		enum btf_answer answer = btf_resolve(btf, id, &type);

		if (answer != BTF_ANSWER_OK)
			return answer;
		switch (type.kind) {
		case BTF_FWD:
			return BTF_ANSWER_FORWARD;
		case BTF_FUNC:
		case BTF_FUNC_PROTO:
			return BTF_ANSWER_FUNCTION;
		case BTF_VAR:
			id = type.size_or_type;
			continue;
		case BTF_ARRAY:
			if (!btf_get_array(&type, &array))
				return BTF_ANSWER_NO_TYPE;
			if (!mul_fits_u64(times, array.n, &times))
				return BTF_ANSWER_TOO_LARGE;
			id = array.element;
			continue;
		default:
			size = type.kind == BTF_PTR ? POINTER_BYTES : type.size_or_type;
			if (!mul_fits_u64(times, size, &size))
				return BTF_ANSWER_TOO_LARGE;
			*ret = size;
			return BTF_ANSWER_OK;
		}
	}
	return BTF_ANSWER_TOO_DEEP;
}

bool btf_get_int(const struct btf_type *type, struct btf_int *ret)
{
	struct cursor c = cursor_over(type->tail);
	uint32_t word;

	if (type->kind != BTF_INT)
		return false;
	word = cursor_u32(&c);
	*ret = (struct btf_int){
		.bytes = type->size_or_type,
		.bits = word & 0xff,
		.bit_offset = word >> 16 & 0xff,
		.is_signed = word >> 24 & ENCODED_SIGNED,
		.is_char = word >> 24 & ENCODED_CHAR,
		.is_bool = word >> 24 & ENCODED_BOOL,
	};
	return true;
}

bool btf_get_array(const struct btf_type *type, struct btf_array *ret)
{
	struct cursor c = cursor_over(type->tail);

	if (type->kind != BTF_ARRAY)
		return false;
	ret->element = cursor_u32(&c);
	ret->index = cursor_u32(&c);
	ret->n = cursor_u32(&c);
	return true;
}

/* Compilers before kind_flag (Linux 5.0) put place and width of a bit field into its INT. */
static void old_bit_field(const struct btf *btf, struct btf_member *member)
{
	struct btf_type type;
	struct btf_int number;

	if (btf_resolve(btf, member->type, &type) != BTF_ANSWER_OK || !btf_get_int(&type, &number))
		return;
	if (number.bit_offset == 0 && number.bits == number.bytes * UINT64_C(8))
		return;
	member->bit_offset += number.bit_offset;
	member->bits = number.bits;
}

bool btf_get_member(const struct btf *btf, const struct btf_type *type, uint32_t index,
		    struct btf_member *ret)
{
	struct cursor c = cursor_over(type->tail);
	struct btf_member member = { 0 };
	uint32_t where;

	if (!btf_is_composite(type) || index >= type->n)
		return false;
	cursor_seek(&c, (uint64_t)index * MEMBER_BYTES);
	member.name = btf_string(btf, cursor_u32(&c));
	member.type = cursor_u32(&c);
	where = cursor_u32(&c);
	if (c.failed || !member.name)
		return false;
	if (type->flag) {
		member.bit_offset = where & 0xffffff;
		member.bits = where >> 24;
	} else {
		member.bit_offset = where;
		old_bit_field(btf, &member);
	}
	*ret = member;
	return true;
}

bool btf_get_enumerator(const struct btf *btf, const struct btf_type *type, uint32_t index,
			struct btf_enumerator *ret)
{
	bool wide = type->kind == BTF_ENUM64;
	struct cursor c = cursor_over(type->tail);
	struct btf_enumerator e;
	uint32_t low;

	if (!btf_is_enum(type) || index >= type->n)
		return false;
	cursor_seek(&c, (uint64_t)index * (wide ? 12 : 8));
	e.name = btf_string(btf, cursor_u32(&c));
	low = cursor_u32(&c);
	if (wide)
		e.value = low | (uint64_t)cursor_u32(&c) << 32;
	else
		e.value = type->flag ? (uint64_t)(int64_t)(int32_t)low : low;
	if (c.failed || !e.name)
		return false;
	*ret = e;
	return true;
}

const char *btf_enum_name(const struct btf *btf, const struct btf_type *type, uint64_t value,
			  uint32_t bits)
{
	uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	struct btf_enumerator e;

	for (uint32_t i = 0; i < type->n; i++) {
		if (btf_get_enumerator(btf, type, i, &e) && ((e.value ^ value) & mask) == 0)
			return e.name;
	}
	return NULL;
}

bool btf_enum_value(const struct btf *btf, const struct btf_type *type, const char *name,
		    uint64_t *ret)
{
	struct btf_enumerator e;

	for (uint32_t i = 0; btf_is_enum(type) && i < type->n; i++) {
		if (btf_get_enumerator(btf, type, i, &e) && strcmp(e.name, name) == 0) {
			*ret = e.value;
			return true;
		}
	}
	return false;
}

bool btf_find_enumerator(const struct btf *btf, const char *name, struct btf_type *ret_enum,
			 uint64_t *ret_value)
{
	struct btf_type type;

	for (uint32_t id = btf_n_types(btf); id > 0; id--) {
		if (btf_type(btf, id, &type) && btf_enum_value(btf, &type, name, ret_value)) {
			*ret_enum = type;
			return true;
		}
	}
	return false;
}

bool btf_get_variable(const struct btf *btf, const struct btf_type *section, uint32_t index,
		      struct btf_variable *ret)
{
	struct cursor c = cursor_over(section->tail);
	struct btf_variable variable;
	struct btf_type type;

	if (section->kind != BTF_DATASEC || index >= section->n)
		return false;
	cursor_seek(&c, (uint64_t)index * VARIABLE_BYTES);
	variable.id = cursor_u32(&c);
	variable.offset = cursor_u32(&c);
	variable.bytes = cursor_u32(&c);
	/* Sections of programs also list functions, which are not variables. */
	if (c.failed || !btf_type(btf, variable.id, &type) || type.kind != BTF_VAR)
		return false;
	variable.name = type.name;
	variable.type = type.size_or_type;
	*ret = variable;
	return true;
}

bool btf_find_variable(const struct btf *btf, const struct btf_type *section, const char *name,
		       struct btf_variable *ret)
{
	struct btf_variable variable;

	for (uint32_t i = 0; i < section->n; i++) {
		if (btf_get_variable(btf, section, i, &variable) &&
		    strcmp(variable.name, name) == 0) {
			*ret = variable;
			return true;
		}
	}
	return false;
}

/* Depth first through structs without a name; `left` bounds structs that hold themselves. */
static bool each_member(const struct btf *btf, const struct btf_type *type, uint64_t bit_offset,
			unsigned int depth, uint32_t *left, btf_member_fn fn, void *context)
{
	struct btf_member member;
	struct btf_type inner;

	for (uint32_t i = 0; i < type->n && *left > 0; i++) {
		--*left;
		if (!btf_get_member(btf, type, i, &member))
			continue;
		member.bit_offset += bit_offset;
		if (member.name[0]) {
			if (!fn(context, &member))
				return false;
		} else if (depth < BTF_LIMIT_NESTING &&
			   btf_resolve(btf, member.type, &inner) == BTF_ANSWER_OK &&
			   btf_is_composite(&inner)) {
			if (!each_member(btf, &inner, member.bit_offset, depth + 1, left, fn,
					 context))
				return false;
		}
	}
	return true;
}

void btf_each_member(const struct btf *btf, const struct btf_type *type, btf_member_fn fn,
		     void *context)
{
	uint32_t left = BTF_LIMIT_MEMBERS_SEEN;

	if (btf_is_composite(type))
		each_member(btf, type, 0, 0, &left, fn, context);
}

struct search {
	const char *name;
	size_t n;
	struct btf_member found;
	bool is_found;
};

static bool same_name(void *context, const struct btf_member *member)
{
	struct search *s = context;

	if (strncmp(member->name, s->name, s->n) != 0 || member->name[s->n])
		return true;
	s->found = *member;
	s->is_found = true;
	return false;
}

bool btf_find_member(const struct btf *btf, const struct btf_type *type, const char *name, size_t n,
		     struct btf_member *ret)
{
	struct search s = { .name = name, .n = n };

	btf_each_member(btf, type, same_name, &s);
	if (s.is_found)
		*ret = s.found;
	return s.is_found;
}

static const char *keyword(const struct btf_type *type)
{
	switch (type->kind) {
	case BTF_STRUCT:
		return "struct ";
	case BTF_UNION:
		return "union ";
	case BTF_ENUM:
	case BTF_ENUM64:
		return "enum ";
	case BTF_FWD:
		return type->flag ? "union " : "struct ";
	case BTF_CONST:
		return "const ";
	case BTF_VOLATILE:
		return "volatile ";
	default:
		return "";
	}
}

/* "struct rq" or "enum {…}". */
static void append_noun(const struct btf_type *type, struct strbuf *out)
{
	strbuf_append(out, keyword(type));
	if (!type->name[0])
		strbuf_append(out, "{…}");
	for (const char *at = type->name; *at; at++) {
		bool control = (unsigned char)*at < ' ' || *at == 0x7f;

		/* Names are foreign: control characters are replaced. */
		strbuf_append_char(out, control ? '?' : *at);
	}
}

/*
 * From the outside to the inside: prefixes (const) go out at once, what C writes after the name
 * (stars, lengths) gathers in front of what was gathered so far.
 */
void btf_type_format(const struct btf *btf, uint32_t id, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf behind = STRBUF_INIT;
	struct btf_type type;
	struct btf_array array;

	for (int hops = 0; hops <= BTF_LIMIT_HOPS; hops++) {
		_cleanup_strbuf_ struct strbuf joined = STRBUF_INIT;

		if (id == 0) {
			strbuf_append(out, "void");
			strbuf_append(out, strbuf_str(&behind));
			return;
		}
		if (!btf_type(btf, id, &type)) {
			strbuf_appendf(out, "(type %u)%s", id, strbuf_str(&behind));
			return;
		}
		switch (type.kind) {
		case BTF_CONST:
		case BTF_VOLATILE:
			strbuf_append(out, keyword(&type));
			break;
		case BTF_RESTRICT:
		case BTF_TYPE_TAG:
		case BTF_DECL_TAG:
			break;
		case BTF_PTR:
			strbuf_appendf(&joined, "%s*%s", behind.n && *behind.at == '*' ? "" : " ",
				       strbuf_str(&behind) + (behind.n && *behind.at == ' '));
			break;
		case BTF_ARRAY:
			/* A pointer to an array would need brackets; this is for people. */
			if (!btf_get_array(&type, &array))
				return;
			strbuf_appendf(&joined, "%s[%u]", strbuf_str(&behind), array.n);
			break;
		case BTF_FUNC_PROTO:
			strbuf_appendf(out, "function(%u)%s", type.n, strbuf_str(&behind));
			return;
		default:
			append_noun(&type, out);
			strbuf_append(out, strbuf_str(&behind));
			return;
		}
		if (joined.n) {
			strbuf_clear(&behind);
			strbuf_append(&behind, joined.at);
		}
		id = type.kind == BTF_ARRAY ? array.element : type.size_or_type;
	}
	strbuf_append(out, "(endless type)");
}
