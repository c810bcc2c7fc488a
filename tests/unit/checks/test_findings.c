// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks/check.h"

#include "told.h"

static void a_thousand_failures_are_counted_not_told(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1000);
	for (size_t i = 0; i < t.report.workers.n; i++)
		t.report.workers.at[i].stall_ns = 1000000000000;
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, CHECKS_LIMIT_PARTS);
	assert_true(has_note(&t, "progress left: 992 more like this"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thousand_failures_are_counted_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
