// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks/check.h"

#include "unit.h"

static const struct checks_row *row(const char *name)
{
	for (size_t i = 0; i < checks_n_rows; i++)
		if (strcmp(checks_rows[i].name, name) == 0)
			return &checks_rows[i];
	fail_msg("no check %s", name);
	return NULL;
}

static void every_row_has_its_check_and_words(void **state UNUSED)
{
	assert_true(checks_n_rows >= 5);
	for (size_t i = 0; i < checks_n_rows; i++) {
		const struct checks_row *r = &checks_rows[i];

		assert_non_null(r->check);
		assert_true(*r->meaning && *r->by_default);
		/* A limit without its unit, or its name without it, misleads. */
		assert_true(r->form == CHECKS_DEMAND ? !*r->unit : !!*r->unit);
	}
}

static void a_row_finds_its_member(void **state UNUSED)
{
	struct ktstr_checks checks = { .isolation = KTSTR_OFF, .max_gap_ms = KTSTR_AT_MOST(7) };

	assert_int_equal(*checks_demand(row("isolation"), &checks), KTSTR_OFF);
	assert_int_equal(*checks_demand(row("progress"), &checks), KTSTR_BY_DEFAULT);
	assert_true(checks_limit(row("max_gap_ms"), &checks)->value == 7);
	assert_false(checks_limit(row("max_spread_pct"), &checks)->set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_has_its_check_and_words),
		cmocka_unit_test(a_row_finds_its_member),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
