// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "btf/limits.h"
#include "dump/expr.h"

DEFINE_ERROR_DOMAIN(dump_expr, DUMP_EXPR, DUMP_EXPR_ERRORS);

struct parser {
	struct dump_expr expr;
	const char *text, *at;
	unsigned int depth;
};

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

static const char *skip_spaces(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

static char peek(struct parser *p)
{
	p->at = skip_spaces(p->at);
	return *p->at;
}

static struct error *refuse(const struct parser *p, const char *what)
{
	if (!*p->at)
		return dump_expr_error(DUMP_EXPR_SYNTAX, 0, "\"%s\" ends where %s", p->text, what);
	return dump_expr_error(DUMP_EXPR_SYNTAX, 0, "at \"%.20s\" %s", p->at, what);
}

static struct error *add(struct parser *p, struct dump_expr_node node, uint8_t *ret)
{
	if (p->expr.n >= DUMP_LIMIT_EXPR_NODES)
		return base_error(BASE_LIMIT, 0, "an expression of more than %d parts",
				  DUMP_LIMIT_EXPR_NODES - 1);
	node.to = p->at;
	while (node.to > node.from && (node.to[-1] == ' ' || node.to[-1] == '\t'))
		node.to--;
	p->expr.nodes[p->expr.n] = node;
	*ret = p->expr.n++;
	return NULL;
}

/* Words that are nothing but types. */
static bool is_type_word(const char *at, size_t n)
{
	static const char *const words[] = { "struct", "union", "enum",	    "unsigned", "signed",
					     "int",    "char",	"long",	    "short",	"void",
					     "bool",   "_Bool", "volatile", "double",	"const" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (slice_equal((struct slice){ at, n }, words[i]))
			return true;
	}
	return false;
}

/* What is between "(" and ")", if it can be nothing but a type; *ret_end is the ")". */
enum type_form { FORM_NONE, FORM_WORD, FORM_TYPE };

static enum type_form type_form(const char *open, const char **ret_end)
{
	const char *at = skip_spaces(open + 1);
	unsigned int n_words = 0, n_stars = 0;
	bool is_type = false;

	for (; *at && *at != ')'; at = skip_spaces(at)) {
		size_t n = name_length(at);

		if (n && isdigit((unsigned char)*at))
			return FORM_NONE;
		if (n == 0 && (*at != '*' || n_words == 0))
			return FORM_NONE;
		/* "(a * b)" */
		if (n && n_stars && !is_type_word(at, n))
			return FORM_NONE;
		is_type = is_type || (n && is_type_word(at, n));
		n_words += n > 0;
		n_stars += n == 0;
		at += n ? n : 1;
	}
	if (*at != ')' || n_words == 0)
		return FORM_NONE;
	*ret_end = at;
	return is_type || n_stars || n_words > 1 ? FORM_TYPE : FORM_WORD;
}

/* "(u64)x" is a cast, "(x).y", "(x) + 1" and "(x)" are not. */
static bool is_cast(const char *open, const char **ret_end)
{
	enum type_form form = type_form(open, ret_end);
	const char *behind;

	if (form != FORM_WORD)
		return form == FORM_TYPE;
	behind = skip_spaces(*ret_end + 1);
	return is_name(*behind) || *behind == '(' || *behind == '*' || *behind == '&';
}

static struct error *take_expr(struct parser *p, uint8_t *ret);
static struct error *take_unary(struct parser *p, uint8_t *ret);

/* As C has them: decimal, 0x, 0; a U or L at the end changes nothing. */
static struct error *take_number(struct parser *p, uint8_t *ret)
{
	struct dump_expr_node node = { .op = DUMP_EXPR_NUMBER, .from = p->at };
	char *end;

	errno = 0;
	node.number = strtoull(p->at, &end, 0);
	if (errno)
		return refuse(p, "is a number of more than 64 bits");
	end += strspn(end, "uUlL");
	if (is_name(*end))
		return refuse(p, "is neither a number nor a name");
	p->at = end;
	return add(p, node, ret);
}

/* "map:" and "bpf:" stand in front of what programs have. */
static struct error *take_bpf(struct parser *p, enum dump_expr_op op, uint8_t *ret)
{
	struct dump_expr_node node = { .op = op, .from = p->at };

	p->at += strlen("map:");
	node.word = p->at;
	while (is_name(*p->at) || (op == DUMP_EXPR_MAP && *p->at == '.'))
		p->at++;
	node.word_n = (size_t)(p->at - node.word);
	return node.word_n ? add(p, node, ret) : refuse(p, "a name is missing");
}

static struct error *take_primary(struct parser *p, uint8_t *ret)
{
	struct dump_expr_node node = { .op = DUMP_EXPR_NAME };
	struct error *err;
	char c = peek(p);

	node.from = node.word = p->at;
	if (c == '(') {
		p->at++;
		err = take_expr(p, ret);
		if (err)
			return err;
		if (peek(p) != ')')
			return refuse(p, "a \")\" is missing");
		p->at++;
		p->expr.nodes[*ret].from = node.from;
		p->expr.nodes[*ret].to = p->at;
		return NULL;
	}
	if (isdigit((unsigned char)c))
		return take_number(p, ret);
	if (str_starts_with(p->at, "map:"))
		return take_bpf(p, DUMP_EXPR_MAP, ret);
	if (str_starts_with(p->at, "bpf:"))
		return take_bpf(p, DUMP_EXPR_BPF, ret);
	node.word_n = name_length(p->at);
	if (node.word_n == 0)
		return refuse(p, "a name, a number or \"(\" is missing");
	p->at += node.word_n;
	return add(p, node, ret);
}

static struct error *take_member(struct parser *p, struct dump_expr_node *node)
{
	node->op = DUMP_EXPR_MEMBER;
	p->at += *p->at == '.' ? 1 : 2;
	peek(p);
	node->word = p->at;
	node->word_n = name_length(p->at);
	if (node->word_n == 0 || isdigit((unsigned char)*p->at))
		return refuse(p, "the name of a member is missing");
	p->at += node->word_n;
	return NULL;
}

static struct error *take_index(struct parser *p, struct dump_expr_node *node)
{
	struct error *err;

	node->op = DUMP_EXPR_INDEX;
	p->at++;
	err = take_expr(p, &node->right);
	if (err)
		return err;
	if (peek(p) != ']')
		return refuse(p, "a \"]\" is missing");
	p->at++;
	return NULL;
}

static struct error *take_postfix(struct parser *p, uint8_t *ret)
{
	struct error *err = take_primary(p, ret);

	while (!err) {
		struct dump_expr_node node = { .left = *ret, .from = p->expr.nodes[*ret].from };
		char c = peek(p);

		if (c == '[')
			err = take_index(p, &node);
		else if (c == '.' || (c == '-' && p->at[1] == '>'))
			err = take_member(p, &node);
		else
			return NULL;
		if (!err)
			err = add(p, node, ret);
	}
	return err;
}

static struct error *take_operand(struct parser *p, struct dump_expr_node node, uint8_t *ret)
{
	struct error *err = take_unary(p, &node.left);

	return err ? err : add(p, node, ret);
}

static struct error *take_sizeof(struct parser *p, uint8_t *ret)
{
	struct dump_expr_node node = { .op = DUMP_EXPR_SIZEOF, .from = p->at };
	const char *end;

	p->at += strlen("sizeof");
	if (peek(p) != '(' || type_form(p->at, &end) != FORM_TYPE)
		return take_operand(p, node, ret);
	node.op = DUMP_EXPR_SIZEOF_TYPE;
	node.word = p->at + 1;
	node.word_n = (size_t)(end - node.word);
	p->at = end + 1;
	return add(p, node, ret);
}

static struct error *take_one(struct parser *p, uint8_t *ret)
{
	struct dump_expr_node node = { 0 };
	char c = peek(p);
	const char *end;

	node.from = p->at;
	if (c == '(' && is_cast(p->at, &end)) {
		node.op = DUMP_EXPR_CAST;
		node.word = p->at + 1;
		node.word_n = (size_t)(end - node.word);
		p->at = end + 1;
		return take_operand(p, node, ret);
	}
	if (name_length(p->at) == strlen("sizeof") && str_starts_with(p->at, "sizeof"))
		return take_sizeof(p, ret);
	if (c != '&' && c != '*' && c != '-')
		return take_postfix(p, ret);
	node.op = c == '&' ? DUMP_EXPR_ADDRESS : c == '*' ? DUMP_EXPR_DEREF : DUMP_EXPR_NEGATE;
	p->at++;
	return take_operand(p, node, ret);
}

static struct error *take_unary(struct parser *p, uint8_t *ret)
{
	struct error *err;

	if (++p->depth > DUMP_LIMIT_EXPR_DEPTH)
		return base_error(BASE_LIMIT, 0, "an expression nested more than %d deep",
				  DUMP_LIMIT_EXPR_DEPTH);
	err = take_one(p, ret);
	p->depth--;
	return err;
}

static struct error *take_expr(struct parser *p, uint8_t *ret)
{
	struct error *err = take_unary(p, ret);

	while (!err) {
		struct dump_expr_node node = { .left = *ret, .from = p->expr.nodes[*ret].from };
		char c = peek(p);

		if (c != '+' && c != '-')
			return NULL;
		node.op = c == '+' ? DUMP_EXPR_ADD : DUMP_EXPR_SUBTRACT;
		p->at++;
		err = take_unary(p, &node.right);
		if (!err)
			err = add(p, node, ret);
	}
	return err;
}

struct error *dump_expr_parse(const char *text, struct dump_expr *ret)
{
	struct parser p = { .text = text, .at = text, .expr.n = 1 };
	struct error *err;

	if (strnlen(text, BTF_LIMIT_PATH_BYTES + 1) > BTF_LIMIT_PATH_BYTES)
		return base_error(BASE_LIMIT, 0, "an expression of more than %d bytes",
				  BTF_LIMIT_PATH_BYTES);
	err = take_expr(&p, &p.expr.root);
	if (!err && peek(&p))
		err = refuse(&p, "the expression should end: the operators are . -> [] & * + - "
				 "sizeof and casts");
	if (err)
		return err;
	*ret = p.expr;
	return NULL;
}
