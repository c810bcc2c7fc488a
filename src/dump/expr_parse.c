// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <string.h>

#include "btf/limits.h"
#include "dump/expr.h"

DEFINE_ERROR_DOMAIN(expr, EXPR, EXPR_ERRORS);

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t name_length(const char *at)
{
	size_t n = 0;

	while (is_name(at[n]))
		n++;
	return n;
}

/* Digits as C has them; false: there are none, or too many. */
static bool take_number(const char **at, uint64_t *ret)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	*ret = strtoull(*at, &end, 0);
	if (errno)
		return false;
	*at = end;
	return true;
}

/* "(struct rq *)" */
static struct error *take_type(const char **at, struct expr *e)
{
	const char *end;

	if (**at != '(')
		return NULL;
	end = strchr(*at, ')');
	if (!end)
		return expr_error(EXPR_SYNTAX, 0, "the \"(\" has no \")\"");
	e->type = *at + 1;
	*at = end + 1;
	while (end > e->type && end[-1] == ' ')
		end--;
	if (end > e->type && end[-1] == '*') {
		e->is_pointer = true;
		end--;
	}
	while (end > e->type && end[-1] == ' ')
		end--;
	e->type_n = (size_t)(end - e->type);
	for (size_t i = 0; i < e->type_n; i++) {
		if (!is_name(e->type[i]) && e->type[i] != ' ')
			return expr_error(EXPR_SYNTAX, 0, "\"%.*s\" is not the name of a type",
					  (int)e->type_n, e->type);
	}
	if (e->type_n == 0)
		return expr_error(EXPR_SYNTAX, 0, "there is no type between \"(\" and \")\"");
	return NULL;
}

static struct error *take_index(const char **at, struct expr *e)
{
	const char *from = *at;

	if (**at != '[')
		return NULL;
	(*at)++;
	if (!take_number(at, &e->index) || **at != ']')
		return expr_error(EXPR_SYNTAX, 0, "\"%.20s\" is no index", from);
	(*at)++;
	e->has_index = true;
	return NULL;
}

struct error *expr_parse(const char *text, struct expr *ret)
{
	struct expr e = { 0 };
	const char *at = text;
	struct error *err;

	if (strnlen(text, BTF_LIMIT_PATH_BYTES + 1) > BTF_LIMIT_PATH_BYTES)
		return base_error(BASE_LIMIT, 0, "an expression of more than %d bytes",
				  BTF_LIMIT_PATH_BYTES);
	err = take_type(&at, &e);
	if (err)
		return err;
	while (*at == ' ')
		at++;
	e.name = at;
	e.name_n = name_length(at);
	if (isdigit((unsigned char)*at)) {
		e.is_address = true;
		if (!take_number(&at, &e.address) || at != e.name + e.name_n)
			return expr_error(EXPR_SYNTAX, 0, "\"%.*s\" is no address", (int)e.name_n,
					  e.name);
	}
	at = e.name + e.name_n;
	if (e.name_n == 0)
		return expr_error(EXPR_SYNTAX, 0, "\"%s\" does not begin with a name", text);
	e.path_with_index = at;
	err = take_index(&at, &e);
	if (err)
		return err;
	e.path = at;
	if (*at && *at != '.' && *at != '[' && strncmp(at, "->", 2) != 0)
		return expr_error(EXPR_SYNTAX, 0, "\"%s\" cannot follow a name", at);
	*ret = e;
	return NULL;
}
