// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/path.h"

#include "base/alloc.h"
#include "btf/limits.h"
#include "base/suggest.h"

/* What kind a word in front of the name asks for: 0 when any will do. */
static enum btf_kind wanted_kind(const char **name)
{
	if (strncmp(*name, "struct ", 7) == 0) {
		*name += 7;
		return BTF_STRUCT;
	}
	if (strncmp(*name, "union ", 6) == 0) {
		*name += 6;
		return BTF_UNION;
	}
	return 0;
}

static bool fits(const struct btf_type *type, enum btf_kind wanted)
{
	if (wanted)
		return type->kind == wanted;
	return btf_is_composite(type) || type->kind == BTF_TYPEDEF;
}

static bool is_forward_of(const struct btf_type *type, enum btf_kind wanted)
{
	return type->kind == BTF_FWD && (!wanted || type->flag == (wanted == BTF_UNION));
}

static struct error *not_found(const struct btf *btf, enum btf_kind wanted, const char *name)
{
	_cleanup_strbuf_ struct strbuf near = STRBUF_INIT;
	struct suggest s = { .wanted = name };
	struct btf_type type;
	uint32_t offers = 0;

	/* From the last to the first: own types are nearer than those of the base. */
	for (uint32_t id = btf_n_types(btf); id > 0 && offers < BTF_LIMIT_SUGGESTED_TYPES; id--) {
		if (btf_type(btf, id, &type) && fits(&type, wanted)) {
			suggest_offer(&s, type.name);
			offers++;
		}
	}
	suggest_format(&s, &near);
	return btf_error(BTF_NOT_FOUND, 0, "%s has no %s%s%s", btf_label(btf),
			 wanted == BTF_STRUCT  ? "struct "
			 : wanted == BTF_UNION ? "union "
					       : "type ",
			 name, strbuf_str(&near));
}

static struct error *forward_only(const struct btf *btf, const struct btf_type *type)
{
	return btf_error(BTF_FORWARD_ONLY, 0, "%s has %s %s only as a forward declaration",
			 btf_label(btf), type->flag ? "union" : "struct", type->name);
}

/* Structs and unions before typedefs: who names one means its body. */
struct error *btf_require(const struct btf *btf, const char *name, struct btf_type *ret)
{
	struct btf_type type, alias = { 0 }, forward = { 0 };
	enum btf_kind wanted = wanted_kind(&name);
	uint32_t at = 0;

	for (int steps = 0; steps < BTF_LIMIT_CHAIN && btf_next_named(btf, name, &at, &type);
	     steps++) {
		if (btf_is_composite(&type) && fits(&type, wanted)) {
			*ret = type;
			return NULL;
		}
		if (!alias.id && fits(&type, wanted))
			alias = type;
		if (!forward.id && is_forward_of(&type, wanted))
			forward = type;
	}
	if (alias.id) {
		*ret = alias;
		return NULL;
	}
	return forward.id ? forward_only(btf, &forward) : not_found(btf, wanted, name);
}

/* One alternative in every type of that name. The first error stays: it is of the likely one. */
static struct error *try_path(const struct btf *btf, const char *name, const char *path,
			      struct btf_place *ret)
{
	enum btf_kind wanted = wanted_kind(&name);
	struct error *first = NULL;
	struct btf_type type;
	uint32_t at = 0;

	for (int tried = 0; tried < BTF_LIMIT_NAMESAKES && btf_next_named(btf, name, &at, &type);) {
		struct error *err;

		if (!fits(&type, wanted))
			continue;
		tried++;
		err = btf_path(btf, type.id, path, ret);
		if (!err) {
			error_free(first);
			return NULL;
		}
		if (first)
			error_free(err);
		else
			first = err;
	}
	return first;
}

struct error *btf_field(const struct btf *btf, const char *name, const char *paths,
			struct btf_place *ret)
{
	struct error *first = NULL, *err;
	struct btf_place place;
	struct btf_type type;

	/* Whether there is such a type at all is the same question for every alternative. */
	err = btf_require(btf, name, &type);
	if (err)
		return error_wrap(err, "%s", paths);
	for (const char *at = paths;; at++) {
		size_t n = strcspn(at, "|");
		_cleanup_free_ char *path = xstrndup(at, n);

		err = try_path(btf, name, path, &place);
		if (!err) {
			error_free(first);
			*ret = place;
			return NULL;
		}
		if (first)
			error_free(err);
		else
			first = err;
		at += n;
		if (!*at)
			break;
	}
	return error_wrap(first, "%s.%s", name, paths);
}
