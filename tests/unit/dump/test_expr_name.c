// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/expr_eval.h"

#include "build_scheduler.h"

static struct dump_expr_scope scope_of(struct build_scheduler *b)
{
	struct dump_expr_scope scope;

	scheduler_attach(b);
	assert_success(dump_expr_scope_init(&scope, b->kmem));
	return scope;
}

static void symbols_come_before_variables_of_programs(void **state)
{
	struct build_scheduler *b = *state;
	_cleanup_dump_expr_scope_ struct dump_expr_scope scope = scope_of(b);
	struct dump_expr_value value;

	assert_success(dump_expr_name_find(&scope, "max_pfn", &value));
	assert_true(value.form == DUMP_EXPR_IS_UNTYPED || value.form == DUMP_EXPR_IS_PLACE);
	assert_null(value.program);
	assert_success(dump_expr_name_find(&scope, "scx_common", &value));
	assert_int_equal(value.form, DUMP_EXPR_IS_PLACE);
	assert_true(value.address == pointer_to(b, AT_BSS + ARRAY_VALUE + BSS_STATIC));
	assert_string_equal(value.program->name, "sched.bss");
	assert_error_tag(dump_expr_name_bpf(&scope, "max_pfn", &value), "expression-type");
	assert_error_tag(dump_expr_name_find(&scope, "max_pfm", &value), "no-kernel-symbol");
}

static void maps_are_found_by_name_by_its_end_and_by_number(void **state)
{
	struct build_scheduler *b = *state;
	_cleanup_dump_expr_scope_ struct dump_expr_scope scope = scope_of(b);
	static const char *const names[] = { "sched.bss.scx_common.off", ".bss.scx_common.off",
					     "2.scx_common.off" };
	struct dump_expr_value value;
	const char *rest;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_success(dump_expr_name_map(&scope, names[i], &value, &rest));
		assert_string_equal(rest, ".scx_common.off");
		assert_true(value.address == pointer_to(b, AT_BSS + ARRAY_VALUE));
	}
	assert_error_tag(dump_expr_name_map(&scope, "bss.x", &value, &rest), "expression-type");
	assert_error_tag(dump_expr_name_map(&scope, "ched.bss", &value, &rest), "expression-type");
}

static void maps_with_the_same_name_are_selected_by_id(void **state)
{
	struct build_scheduler *b = *state;
	const uint64_t maps[] = { AT_ARENA, AT_BSS, AT_BSS };
	_cleanup_dump_expr_scope_ struct dump_expr_scope scope = { 0 };
	_cleanup_error_ struct error *err = NULL;
	struct dump_expr_value value;
	const char *rest;

	/* The same map once more: the ids are 2 and 3. */
	put_idr(b, IN_DATA_MAP_IDR, AT_NODES, maps, 3);
	scope = scope_of(b);
	err = dump_expr_name_bpf(&scope, "scx_common", &value);
	assert_non_null(err);
	assert_contains(error_message(err), "write map:2.scx_common, map:3.scx_common");
	assert_error_tag(dump_expr_name_map(&scope, ".bss", &value, &rest), "expression-type");
	assert_success(dump_expr_name_map(&scope, "3", &value, &rest));
}

static void types_of_programs_are_found_behind_those_of_the_kernel(void **state)
{
	struct build_scheduler *b = *state;
	_cleanup_dump_expr_scope_ struct dump_expr_scope scope = scope_of(b);
	struct dump_expr_type type;

	assert_success(dump_expr_name_type(&scope, NULL, "struct vm_struct", 16, &type));
	assert_ptr_equal(type.btf, kmem_types(b->kmem));
	assert_success(dump_expr_name_type(&scope, NULL, "struct task_ctx *", 17, &type));
	assert_ptr_not_equal(type.btf, kmem_types(b->kmem));
	assert_int_equal(type.id, b->payload);
	assert_error_tag(dump_expr_name_type(&scope, NULL, "struct absent", 13, &type),
			 "btf-not-found");
}

static void user_pointers_are_resolved_to_their_arena(void **state)
{
	struct build_scheduler *b = *state;
	_cleanup_dump_expr_scope_ struct dump_expr_scope scope = scope_of(b);

	assert_int_equal(dump_expr_name_arena(&scope, NULL, SDT_USER + 8)->id, 1);
	assert_null(dump_expr_name_arena(&scope, NULL, UINT64_C(1) << 40));
	assert_null(dump_expr_name_arena(&scope, NULL, 0));
	assert_null(dump_expr_name_arena(&scope, NULL, b->k.direct));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scheduler_test(symbols_come_before_variables_of_programs),
		scheduler_test(maps_are_found_by_name_by_its_end_and_by_number),
		scheduler_test(maps_with_the_same_name_are_selected_by_id),
		scheduler_test(types_of_programs_are_found_behind_those_of_the_kernel),
		scheduler_test(user_pointers_are_resolved_to_their_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
