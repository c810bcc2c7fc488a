// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/expr_eval.h"

#include "build_scheduler.h"

static struct error *try_load(struct build_scheduler *b, const char *text, uint64_t *ret)
{
	_cleanup_dump_expr_scope_ struct dump_expr_scope scope = { 0 };
	struct dump_expr_value value;
	struct dump_expr expr;
	struct error *err;

	scheduler_attach(b);
	assert_success(dump_expr_scope_init(&scope, b->kmem));
	assert_success(dump_expr_parse(text, &expr));
	err = dump_expr_eval(&scope, &expr, expr.root, &value);
	return err ? err : dump_expr_load(&scope, &value, ret);
}

static uint64_t load(struct build_scheduler *b, const char *text)
{
	uint64_t number = 0;

	assert_success(try_load(b, text, &number));
	return number;
}

static void assert_refused(struct build_scheduler *b, const char *text, const char *message)
{
	uint64_t number;
	_cleanup_error_ struct error *err = try_load(b, text, &number);

	if (!err)
		fail_msg("%s was accepted", text);
	assert_contains(error_message(err), message);
}

static void variables_of_programs_and_what_they_point_to_in_the_arena(void **state)
{
	struct build_scheduler *b = *state;
	uint64_t root = b->s->root;

	put64(b, AT_BSS + ARRAY_VALUE + BSS_STATIC + 16, 77);
	assert_int_equal(load(b, "scx_common.off"), 77);
	assert_int_equal(load(b, "map:.bss.scx_common.off"), 77);
	assert_int_equal(load(b, "bpf:scx_task_allocator.pool.elem_size"), ELEMENT_BYTES);
	assert_true(load(b, "scx_task_allocator.root") == root);
	/* Of a tree that was never filled nothing is used. */
	sdt_put(b->s, SDT_USER + 0x40, 0);
	sdt_put(b->s, SDT_USER + 0x2000 + IN_DESC_FREE, 511);
	put64(b, AT_BSS + ARRAY_VALUE + BSS_ALLOCATOR + 32, SDT_USER + 0x2000);
	assert_int_equal(load(b, "((struct sdt_desc *)scx_task_allocator.root)->nr_free"), 511);
	/* Its address is the program's own, not the kernel's. */
	assert_true(load(b, "&((struct sdt_desc *)scx_task_allocator.root)->nr_free") ==
		    SDT_USER + 0x2000 + IN_DESC_FREE);
	assert_refused(b, "((struct sdt_desc *)scx_common.memory)->nr_free", "NULL");
}

static void the_kernels_own_layout_counts_for_its_structs(void **state)
{
	struct build_scheduler *b = *state;
	_cleanup_free_ char *text = xasprintf("((struct vm_struct *)%#llx)->addr",
					      (unsigned long long)pointer_to(b, AT_VM));

	assert_true(load(b, text) == SDT_KERNEL - 0x8000);
}

static void pointer_arithmetic_is_scaled_by_the_target_size(void **state)
{
	struct build_scheduler *b = *state;

	assert_true(load(b, "(struct vm_struct *)0x1000 + 2") == 0x1020);
	assert_true(load(b, "2 + (struct vm_struct *)0x1000") == 0x1020);
	assert_true(load(b, "(struct vm_struct *)0x1000 - 1") == 0xff0);
	assert_true(load(b, "(struct vm_struct *)0x1020 - (struct vm_struct *)0x1000") == 2);
	assert_true(load(b, "(void *)0x1000 + 3") == 0x1003);
	assert_true(load(b, "&((struct vm_struct *)0x1000)[2]") == 0x1020);
	assert_true(load(b, "&((struct vm_struct *)0x1000)[-1]") == 0xff0);
	assert_refused(b, "(struct vm_struct *)0x1000 + (struct vm_struct *)0x1000", "subtracted");
	assert_refused(b, "1 - (struct vm_struct *)0x1000", "subtracted");
}

static void casts_truncate_and_extend_values(void **state)
{
	struct build_scheduler *b = *state;

	assert_true(load(b, "(unsigned char)300") == 44);
	assert_true(load(b, "(unsigned int)-1") == UINT32_MAX);
	assert_true(load(b, "sizeof(struct vm_struct)") == 16);
	assert_true(load(b, "sizeof(((struct vm_struct *)0)->addr)") == 8);
	assert_true(load(b, "&((struct vm_struct *)0)->addr") == 8);
	assert_refused(b, "(struct vm_struct)3", "write *(struct vm_struct *)");
	assert_refused(b, "&3", "no address");
	assert_refused(b, "*3", "not a pointer");
	assert_refused(b, "3->x", "no members");
}

/* What gdb refuses as well, with what was meant. */
static void a_cast_in_front_of_a_path_says_where_the_parentheses_go(void **state)
{
	struct build_scheduler *b = *state;

	assert_refused(b, "(struct vm_struct *)0x1000->addr",
		       "write ((struct vm_struct *)0x1000)->addr");
	assert_refused(b, "(struct vm_struct)0x1000.addr",
		       "write ((struct vm_struct *)0x1000)->addr");
	assert_refused(b, "(struct vm_struct *)test_data->addr",
		       "write ((struct vm_struct *)test_data)->addr");
	assert_refused(b, "test_data", "do not say what it is");
	assert_refused(b, "test_data.x", "cast it to its type");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scheduler_test(variables_of_programs_and_what_they_point_to_in_the_arena),
		scheduler_test(the_kernels_own_layout_counts_for_its_structs),
		scheduler_test(pointer_arithmetic_is_scaled_by_the_target_size),
		scheduler_test(casts_truncate_and_extend_values),
		scheduler_test(a_cast_in_front_of_a_path_says_where_the_parentheses_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
