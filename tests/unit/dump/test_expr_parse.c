// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/expr.h"
#include "unit.h"

static struct expr good(const char *text)
{
	struct expr e;

	assert_success(expr_parse(text, &e));
	return e;
}

static void name_index_and_path(void **state UNUSED)
{
	struct expr e = good("runqueues[0x2].scx.local_dsq.nr");

	assert_int_equal(e.name_n, 9);
	assert_true(e.has_index);
	assert_int_equal(e.index, 2);
	assert_string_equal(e.path, ".scx.local_dsq.nr");
	assert_string_equal(e.path_with_index, "[0x2].scx.local_dsq.nr");
	assert_null(e.type);
	e = good("jiffies");
	assert_string_equal(e.path, "");
	assert_false(e.has_index);
}

static void a_type_in_front(void **state UNUSED)
{
	struct expr e = good("(struct scx_sched *) scx_root->ops");

	assert_int_equal(e.type_n, strlen("struct scx_sched"));
	assert_true(e.is_pointer);
	assert_memory_equal(e.name, "scx_root", e.name_n);
	e = good("(struct rq)0xffff888000001000.cpu");
	assert_false(e.is_pointer);
	assert_true(e.is_address);
	assert_true(e.address == UINT64_C(0xffff888000001000));
	assert_string_equal(e.path, ".cpu");
}

static void anything_else_is_refused(void **state UNUSED)
{
	static const char *const bad[] = {
		"",	  ".a",	    "(struct rq", "()x",
		"( * )x", "(a;b)x", "a[",	  "a[x]",
		"a[1",	  "a[-1]",  "a b",	  "a-b",
		"a[1]b",  "12cats", "0x",	  "a[99999999999999999999]"
	};
	char large[8192];
	struct expr e = { .name_n = 77 };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct error *err = expr_parse(bad[i], &e);

		if (!err)
			fail_msg("accepted: %s", bad[i]);
		error_free(err);
	}
	memset(large, 'a', sizeof(large) - 1);
	large[sizeof(large) - 1] = 0;
	assert_error_tag(expr_parse(large, &e), "limit");
	assert_int_equal(e.name_n, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(name_index_and_path),
		cmocka_unit_test(a_type_in_front),
		cmocka_unit_test(anything_else_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
