// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/error.h"

#include "unit.h"

static void message_carries_the_errno_text(void **state UNUSED)
{
	_cleanup_error_ struct error *err = base_error(BASE_IO, EPERM, "tid %d", 42);

	assert_string_equal(error_message(err), "tid 42: Operation not permitted");
	assert_int_equal(error_errno(err), EPERM);
}

static void message_without_errno_ends_with_the_text(void **state UNUSED)
{
	_cleanup_error_ struct error *err = base_error(BASE_PARSE, 0, "line 3");

	assert_string_equal(error_message(err), "line 3");
	assert_int_equal(error_errno(err), 0);
}

static void wrapping_keeps_the_kind_and_puts_context_first(void **state UNUSED)
{
	_cleanup_error_ struct error *err = base_error(BASE_LIMIT, 0, "tid %d", 42);

	err = error_wrap(err, "probing pid %d", 41);
	assert_string_equal(error_message(err), "probing pid 41: tid 42");
	assert_true(error_is(err, &base_error_domain, BASE_LIMIT));
	assert_string_equal(error_tag(err), "limit");
}

static void wrapping_success_stays_success(void **state UNUSED)
{
	assert_null(error_wrap(NULL, "context"));
	assert_false(error_is(NULL, &base_error_domain, BASE_IO));
}

static void recasting_changes_the_kind_and_nothing_else(void **state UNUSED)
{
	_cleanup_error_ struct error *err = base_error(BASE_IO, ENOENT, "open x");

	err = error_recast(err, &base_error_domain, BASE_ABSENT);
	assert_string_equal(error_tag(err), "absent");
	assert_int_equal(error_errno(err), ENOENT);
	assert_string_equal(error_message(err), "open x: No such file or directory");
	assert_null(error_recast(NULL, &base_error_domain, BASE_IO));
}

static void tags_of_a_domain_are_unique(void **state UNUSED)
{
	for (int i = 0; i < base_error_domain.n_kinds; i++)
		for (int j = 0; j < i; j++)
			assert_string_not_equal(base_error_domain.kinds[i].tag,
						base_error_domain.kinds[j].tag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(message_carries_the_errno_text),
		cmocka_unit_test(message_without_errno_ends_with_the_text),
		cmocka_unit_test(wrapping_keeps_the_kind_and_puts_context_first),
		cmocka_unit_test(wrapping_success_stays_success),
		cmocka_unit_test(recasting_changes_the_kind_and_nothing_else),
		cmocka_unit_test(tags_of_a_domain_are_unique),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
