// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/layout.h"

#include "btf/limits.h"

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

		/* Names come from strangers: nothing that moves a terminal's cursor. */
		strbuf_append_char(out, control ? '?' : *at);
	}
}

/*
 * From the outside to the inside: prefixes (const) go out at once, what C writes behind the noun
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
