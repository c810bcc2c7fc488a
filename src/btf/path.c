// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/path.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/suggest.h"
#include "btf/limits.h"

struct walk {
	const struct btf *btf;
	const char *path; /* whole, for messages */
	const char *at;
	struct btf_place place;
};

static struct error *bad_path(const struct walk *w, const char *what)
{
	return btf_error(BTF_BAD_PATH, 0, "%s: %s at '%.32s'", w->path, what, w->at);
}

/* What has been followed so far, for messages: "scx.local_dsq" of "scx.local_dsq.nr". */
static int followed(const struct walk *w)
{
	return (int)(w->at - w->path);
}

struct offers {
	struct suggest suggest;
	unsigned int n;
};

static bool offer_member(void *context, const struct btf_member *member)
{
	struct offers *offers = context;

	suggest_offer(&offers->suggest, member->name);
	return ++offers->n < BTF_LIMIT_SUGGESTED_MEMBERS;
}

static struct error *no_member(const struct walk *w, const struct btf_type *type, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, near = STRBUF_INIT;
	struct offers offers = { .suggest = { .wanted = name } };

	btf_type_format(w->btf, type->id, &text);
	btf_each_member(w->btf, type, offer_member, &offers);
	suggest_format(&offers.suggest, &near);
	return btf_error(BTF_NO_MEMBER, 0, "%s: %s has no member '%s'%s", w->path,
			 strbuf_str(&text), name, strbuf_str(&near));
}

static struct error *cannot_enter(const struct walk *w, uint32_t id, enum btf_answer answer)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	int kind = answer == BTF_ANSWER_FORWARD ? BTF_FORWARD_ONLY : BTF_BAD_PATH;

	btf_type_format(w->btf, id, &text);
	return btf_error(kind, 0, "%s: %s %s", w->path, strbuf_str(&text), btf_answer_text(answer));
}

static void set_size(struct walk *w)
{
	uint64_t size = 0;

	if (w->place.bits)
		size = (w->place.bit_offset + (uint64_t)w->place.bits + 7) / 8;
	else if (btf_size(w->btf, w->place.type, &size) != BTF_ANSWER_OK)
		size = 0;
	w->place.size = size;
}

static struct error *enter_member(struct walk *w, const struct btf_type *type, const char *name,
				  size_t n)
{
	_cleanup_free_ char *copy = xstrndup(name, n);
	struct btf_member member;

	if (type->kind == BTF_FWD)
		return cannot_enter(w, type->id, BTF_ANSWER_FORWARD);
	if (!btf_find_member(w->btf, type, name, n, &member))
		return no_member(w, type, copy);
	if (!add_fits_u64(w->place.offset, member.bit_offset / 8, &w->place.offset))
		return bad_path(w, "an offset beyond any address");
	w->place.type = member.type;
	w->place.bits = member.bits;
	w->place.bit_offset = member.bit_offset % 8;
	if (!member.bits && w->place.bit_offset)
		return btf_error(BTF_MALFORMED, 0,
				 "%s: '%s' begins inside a byte and is not a bit field", w->path,
				 copy);
	return NULL;
}

/* "[12]" or "[0x10]". */
static struct error *enter_element(struct walk *w, const struct btf_type *type)
{
	const char *digits = w->at + 1;
	char *end = NULL;
	struct btf_array array;
	enum btf_answer answer;
	uint64_t index, size = 0;

	errno = 0;
	index = isdigit((unsigned char)*digits) ? strtoull(digits, &end, 0) : 0;
	if (!end || *end != ']' || errno)
		return bad_path(w, "not a number in brackets");
	if (!btf_get_array(type, &array)) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		btf_type_format(w->btf, type->id, &text);
		return btf_error(BTF_BAD_PATH, 0, "%s: '%.*s' is not an array but %s", w->path,
				 followed(w), w->path, strbuf_str(&text));
	}
	/* A flexible array has no end that its type knows. */
	if (array.n && index >= array.n)
		return btf_error(BTF_BAD_PATH, 0, "%s: index %llu, but '%.*s' has %u elements",
				 w->path, (unsigned long long)index, followed(w), w->path, array.n);
	answer = btf_size(w->btf, array.element, &size);
	if (answer != BTF_ANSWER_OK)
		return cannot_enter(w, array.element, answer);
	if (!mul_fits_u64(index, size, &index) ||
	    !add_fits_u64(w->place.offset, index, &w->place.offset))
		return bad_path(w, "an offset beyond any address");
	w->place.type = array.element;
	w->at = end + 1;
	return NULL;
}

static size_t name_length(const char *at)
{
	size_t n = 0;

	while (isalnum((unsigned char)at[n]) || at[n] == '_' || at[n] == '$')
		n++;
	return n;
}

static struct error *step(struct walk *w, bool first)
{
	const char *name = w->at;
	struct btf_type type;
	enum btf_answer answer;
	struct error *err;
	size_t n;

	if (w->place.bits)
		return bad_path(w, "a bit field has no parts");
	answer = btf_resolve(w->btf, w->place.type, &type);
	if (answer != BTF_ANSWER_OK)
		return cannot_enter(w, w->place.type, answer);
	if (type.kind == BTF_PTR)
		return btf_error(BTF_BAD_PATH, 0,
				 "%s: '%.*s' is a pointer, and memory is not read here", w->path,
				 followed(w), w->path);
	if (*w->at == '[')
		return enter_element(w, &type);
	if (strncmp(name, "->", 2) == 0)
		name += 2;
	else if (*name == '.')
		name++;
	else if (!first)
		return bad_path(w, "expected '.', '->' or '['");
	n = name_length(name);
	if (n == 0)
		return bad_path(w, "no name");
	if (type.kind == BTF_ARRAY)
		return bad_path(w, "an array needs an index");
	err = enter_member(w, &type, name, n);
	if (!err)
		w->at = name + n;
	return err;
}

struct error *btf_path(const struct btf *btf, uint32_t root, const char *path,
		       struct btf_place *ret)
{
	struct walk w = { .btf = btf, .path = path, .at = path, .place = { .type = root } };
	struct error *err = NULL;

	if (!*path)
		return btf_error(BTF_BAD_PATH, 0, "an empty path");
	if (strlen(path) > BTF_LIMIT_PATH_BYTES)
		return base_error(BASE_LIMIT, 0, "a path of more than %d bytes",
				  BTF_LIMIT_PATH_BYTES);
	while (*w.at && !err)
		err = step(&w, w.at == path);
	if (err)
		return err;
	set_size(&w);
	*ret = w.place;
	return NULL;
}

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

/* Structs and unions before typedefs: a bare name means the body. */
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
