// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/intern.h"

#include "unit.h"

static void equal_strings_have_one_id(void **state UNUSED)
{
	_cleanup_intern_ struct intern table;

	intern_init(&table);

	uint32_t a = intern_add(&table, "redis-server");
	uint32_t b = intern_add(&table, "redis-serve");

	assert_int_not_equal(a, b);
	assert_int_equal(intern_add_n(&table, "redis-server-7", 12), a);
	assert_string_equal(intern_text(&table, a), "redis-server");
	assert_string_equal(intern_text(&table, b), "redis-serve");
}

static void the_empty_string_is_id_0(void **state UNUSED)
{
	_cleanup_intern_ struct intern table;

	intern_init(&table);
	assert_int_equal(intern_add(&table, ""), 0);
	assert_int_equal(intern_add_n(&table, "\0x", 2), 0);
	assert_string_equal(intern_text(&table, 0), "");
}

static void ids_and_texts_hold_while_the_table_grows(void **state UNUSED)
{
	_cleanup_intern_ struct intern table;
	char name[32];

	intern_init(&table);
	for (uint32_t i = 1; i <= 5000; i++) {
		snprintf(name, sizeof(name), "worker-%u", i);
		assert_int_equal(intern_add(&table, name), i);
	}
	for (uint32_t i = 1; i <= 5000; i++) {
		uint32_t id = 0;

		snprintf(name, sizeof(name), "worker-%u", i);
		assert_true(intern_find(&table, name, &id));
		assert_int_equal(id, i);
		assert_string_equal(intern_text(&table, i), name);
	}
}

static void what_was_never_added_is_not_found(void **state UNUSED)
{
	_cleanup_intern_ struct intern table;
	uint32_t id = 42;

	intern_init(&table);
	intern_add(&table, "a");
	assert_false(intern_find(&table, "b", &id));
	assert_int_equal(id, 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_strings_have_one_id),
		cmocka_unit_test(the_empty_string_is_id_0),
		cmocka_unit_test(ids_and_texts_hold_while_the_table_grows),
		cmocka_unit_test(what_was_never_added_is_not_found),
	};

	return cmocka_run_group_tests_name("intern", tests, NULL, NULL);
}
