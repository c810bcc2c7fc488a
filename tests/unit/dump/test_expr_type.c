// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/expr_eval.h"

#include "build_guest.h"

static struct dump_expr_type parse(struct build_guest *g, const char *text)
{
	struct dump_expr_type type;

	assert_success(dump_expr_type_parse(kmem_types(g->kmem), text, strlen(text), &type));
	return type;
}

static void assert_type(struct build_guest *g, const char *text, const char *expected)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct dump_expr_type type = parse(g, text);

	dump_expr_type_format(&type, &out);
	assert_string_equal(strbuf_str(&out), expected);
}

static void numbers_are_found_however_they_are_written(void **state)
{
	struct build_guest *g = *state;

	guest_attach(g);
	assert_type(g, "unsigned long", "long unsigned int");
	assert_type(g, "unsigned  long int", "long unsigned int");
	assert_type(g, "const volatile unsigned", "unsigned int");
	assert_type(g, "signed", "int");
	assert_type(g, "short unsigned", "unsigned short");
	assert_type(g, "enum mood", "enum mood");
	assert_type(g, "void *", "void *");
}

static void stars_after_a_type_make_pointers(void **state)
{
	struct build_guest *g = *state;
	struct dump_expr_type type, target;
	uint64_t size;

	guest_attach(g);
	assert_type(g, "struct rq * const *", "struct rq **");
	type = parse(g, "struct task_struct *");
	assert_success(dump_expr_type_size(&type, &size));
	assert_int_equal(size, 8);
	assert_true(dump_expr_type_target(&type, &target));
	assert_success(dump_expr_type_size(&target, &size));
	assert_int_equal(size, T_BYTES);
	assert_false(dump_expr_type_target(&target, &type));
	/* BTF has such a pointer: rq.curr. There is none to rq: then it is void *. */
	type = dump_expr_type_pointer(&target);
	assert_true(btf_type(kmem_types(g->kmem), dump_expr_type_pointer_id(&type),
			     &(struct btf_type){ 0 }));
	target = parse(g, "struct rq");
	type = dump_expr_type_pointer(&target);
	assert_int_not_equal(dump_expr_type_pointer_id(&type), 0);
}

static void unknown_types_are_refused_by_name(void **state)
{
	struct build_guest *g = *state;
	const struct btf *btf;
	struct dump_expr_type type = { 0 };
	uint64_t size;

	guest_attach(g);
	btf = kmem_types(g->kmem);
	assert_error_tag(dump_expr_type_parse(btf, "struct rqq", 10, &type), "btf-not-found");
	assert_error_tag(dump_expr_type_parse(btf, "enum rq", 7, &type), "btf-not-found");
	assert_error_tag(dump_expr_type_parse(btf, "int *********", 13, &type), "limit");
	assert_int_equal(type.stars, 0);
	type = parse(g, "void");
	assert_error_tag(dump_expr_type_size(&type, &size), "expression-type");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		guest_test(numbers_are_found_however_they_are_written),
		guest_test(stars_after_a_type_make_pointers),
		guest_test(unknown_types_are_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
