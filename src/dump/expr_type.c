// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/expr_eval.h"

#include <string.h>

#include "base/slice.h"
#include "btf/path.h"
#include "dump/expr.h"

enum { POINTER_BYTES = 8 };

/* The words of a type, each once. */
struct words {
	unsigned int n_long, n_int, n_other, stars;
	bool is_unsigned, is_signed, is_short, is_char;
	struct strbuf name; /* without const and volatile, one space between words */
};

static void see_word(struct words *words, struct slice word)
{
	if (slice_equal(word, "const") || slice_equal(word, "volatile"))
		return;
	if (words->name.n)
		strbuf_append_char(&words->name, ' ');
	strbuf_append_bytes(&words->name, word.at, word.n);
	if (slice_equal(word, "unsigned"))
		words->is_unsigned = true;
	else if (slice_equal(word, "signed"))
		words->is_signed = true;
	else if (slice_equal(word, "long"))
		words->n_long++;
	else if (slice_equal(word, "short"))
		words->is_short = true;
	else if (slice_equal(word, "char"))
		words->is_char = true;
	else if (slice_equal(word, "int"))
		words->n_int++;
	else
		words->n_other++;
}

/* What gcc and clang call the numbers, with a sign and without. */
static const struct number_names {
	const char *gcc[2], *clang[2];
} number_names[] = {
	{ { "int", "unsigned int" }, { "int", "unsigned int" } },
	{ { "char", "unsigned char" }, { "char", "unsigned char" } },
	{ { "signed char", "unsigned char" }, { "signed char", "unsigned char" } },
	{ { "short int", "short unsigned int" }, { "short", "unsigned short" } },
	{ { "long int", "long unsigned int" }, { "long", "unsigned long" } },
	{ { "long long int", "long long unsigned int" }, { "long long", "unsigned long long" } },
};

/* NULL: it is not a number of C. */
static const struct number_names *names_of(const struct words *words)
{
	if (words->n_other || words->name.n == 0)
		return NULL;
	if (words->is_char)
		return &number_names[words->is_signed ? 2 : 1];
	if (words->is_short)
		return &number_names[3];
	return &number_names[words->n_long > 1 ? 5 : words->n_long ? 4 : 0];
}

static bool find_number(const struct btf *btf, const struct words *words, struct btf_type *ret)
{
	const struct number_names *names = names_of(words);

	if (!names)
		return btf_find(btf, BTF_INT, strbuf_str(&words->name), ret);
	return btf_find(btf, BTF_INT, names->gcc[words->is_unsigned], ret) ||
	       btf_find(btf, BTF_INT, names->clang[words->is_unsigned], ret);
}

static struct error *find_enum(const struct btf *btf, const char *name, struct btf_type *ret)
{
	if (btf_find(btf, BTF_ENUM, name, ret) || btf_find(btf, BTF_ENUM64, name, ret))
		return NULL;
	return btf_error(BTF_NOT_FOUND, 0, "%s has no enum %s", btf_label(btf), name);
}

static struct error *find_base(const struct btf *btf, const struct words *words, uint32_t *ret)
{
	const char *name = strbuf_str(&words->name);
	struct btf_type found;
	struct error *err = NULL;

	if (strcmp(name, "void") == 0) {
		*ret = 0;
		return NULL;
	}
	if (strncmp(name, "enum ", 5) == 0)
		err = find_enum(btf, name + 5, &found);
	else if (!find_number(btf, words, &found) && !btf_find(btf, BTF_FLOAT, name, &found))
		err = btf_require(btf, name, &found);
	if (err)
		return err;
	*ret = found.id;
	return NULL;
}

struct error *dump_expr_type_parse(const struct btf *btf, const char *text, size_t n,
				   struct dump_expr_type *ret)
{
	struct words words = { .name = STRBUF_INIT };
	const char *at = text, *end = text + n;
	struct dump_expr_type type = { .btf = btf };
	struct error *err = NULL;

	while (at < end) {
		size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789_");

		if (length)
			see_word(&words, (struct slice){ at, length });
		else
			type.stars += *at == '*';
		at += length ? length : 1;
	}
	if (type.stars > DUMP_LIMIT_EXPR_STARS)
		err = base_error(BASE_LIMIT, 0, "a type with more than %d stars",
				 DUMP_LIMIT_EXPR_STARS);
	else
		err = find_base(btf, &words, &type.id);
	strbuf_deinit(&words.name);
	if (!err)
		*ret = type;
	return err;
}

bool dump_expr_type_target(const struct dump_expr_type *type, struct dump_expr_type *ret)
{
	struct btf_type pointer;

	if (type->stars) {
		*ret = (struct dump_expr_type){ type->btf, type->id, type->stars - 1 };
		return true;
	}
	if (btf_resolve(type->btf, type->id, &pointer) != BTF_ANSWER_OK || pointer.kind != BTF_PTR)
		return false;
	*ret = (struct dump_expr_type){ type->btf, pointer.size_or_type, 0 };
	return true;
}

struct dump_expr_type dump_expr_type_pointer(const struct dump_expr_type *to)
{
	return (struct dump_expr_type){ to->btf, to->id, to->stars + 1 };
}

bool dump_expr_type_resolve(const struct dump_expr_type *type, struct btf_type *ret)
{
	return !type->stars && btf_resolve(type->btf, type->id, ret) == BTF_ANSWER_OK &&
	       ret->kind != BTF_PTR;
}

struct error *dump_expr_type_size(const struct dump_expr_type *type, uint64_t *ret)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	enum btf_answer answer = BTF_ANSWER_OK;
	uint64_t size = POINTER_BYTES;

	if (!type->stars)
		answer = btf_size(type->btf, type->id, &size);
	if (answer == BTF_ANSWER_OK) {
		*ret = size;
		return NULL;
	}
	dump_expr_type_format(type, &text);
	return dump_expr_error(DUMP_EXPR_NO_TYPE, 0, "%s has no size: it %s", strbuf_str(&text),
			       btf_answer_text(answer));
}

void dump_expr_type_format(const struct dump_expr_type *type, struct strbuf *out)
{
	btf_type_format(type->btf, type->id, out);
	if (type->stars)
		strbuf_append_char(out, ' ');
	strbuf_append_repeated(out, '*', type->stars);
}

static uint32_t find_pointer(const struct btf *btf, uint32_t to)
{
	struct btf_type type = { 0 };

	while (btf_next(btf, BTF_PTR, "", type.id, &type)) {
		if (type.size_or_type == to)
			return type.id;
	}
	return 0;
}

uint32_t dump_expr_type_pointer_id(const struct dump_expr_type *type)
{
	uint32_t id = 0;

	if (!type->stars)
		return type->id;
	if (type->stars == 1)
		id = find_pointer(type->btf, type->id);
	return id ? id : find_pointer(type->btf, 0);
}
