// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "checks/check.h"

static const struct checks_scene idle = { 0 }, busy = { .most_workers = 2, .has_scheduler = true };

static void default_checks_depend_on_work_and_scheduler(void **state UNUSED)
{
	const struct ktstr_checks silent = { 0 };
	struct ktstr_checks with = checks_resolve(&silent, &busy);
	struct ktstr_checks without = checks_resolve(&silent, &idle);

	assert_int_equal(with.progress, KTSTR_REQUIRED);
	assert_int_equal(with.isolation, KTSTR_OFF);
	assert_int_equal(with.scheduler_alive, KTSTR_REQUIRED);
	assert_int_equal(without.progress, KTSTR_OFF);
	assert_int_equal(without.scheduler_alive, KTSTR_OFF);
	assert_false(with.max_gap_ms.set || with.max_spread_pct.set);
}

static void declared_checks_override_the_defaults(void **state UNUSED)
{
	const struct ktstr_checks said = { .progress = KTSTR_OFF,
					   .isolation = KTSTR_REQUIRED,
					   .max_spread_pct = KTSTR_AT_MOST(15) };
	struct ktstr_checks checks = checks_resolve(&said, &busy);

	assert_int_equal(checks.progress, KTSTR_OFF);
	assert_int_equal(checks.isolation, KTSTR_REQUIRED);
	assert_true(checks.max_spread_pct.set);
}

static void only_time_limits_make_a_check_depend_on_time(void **state UNUSED)
{
	const struct ktstr_checks demands = { .progress = KTSTR_REQUIRED,
					      .isolation = KTSTR_REQUIRED };
	const struct ktstr_checks spread = { .max_spread_pct = KTSTR_AT_MOST(15) };
	const struct ktstr_checks gap = { .max_gap_ms = KTSTR_AT_MOST(15) };

	assert_false(checks_judge_time(&demands));
	assert_true(checks_judge_time(&spread));
	assert_true(checks_judge_time(&gap));
}

static void assert_mistake(const struct ktstr_checks *said, const struct checks_scene *scene,
			   const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < checks_n_rows; i++)
		checks_validate(&checks_rows[i], said, scene, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

static void at_least_for_an_upper_limit_is_refused_naming_at_most(void **state UNUSED)
{
	const struct ktstr_checks wrong = { .max_gap_ms = KTSTR_AT_LEAST(5) };
	const struct ktstr_checks right = { .max_gap_ms = KTSTR_AT_MOST(5) };

	assert_mistake(&wrong, &busy,
		       "checks.max_gap_ms: AT_LEAST(5), but it is an upper limit: use AT_MOST(5)");
	assert_mistake(&right, &busy, "");
}

static void impossible_checks_are_refused_with_a_reason(void **state UNUSED)
{
	const struct ktstr_checks alive = { .scheduler_alive = KTSTR_REQUIRED };
	const struct ktstr_checks off = { .scheduler_alive = KTSTR_OFF };
	const struct ktstr_checks odd = { .isolation = (enum ktstr_demand)7 };
	const struct ktstr_checks both = { .max_spread_pct = KTSTR_AT_MOST(101) };

	assert_mistake(&alive, &idle,
		       "checks.scheduler_alive: there is no scheduler to be checked");
	assert_mistake(&off, &idle, "");
	assert_mistake(&odd, &busy, "checks.isolation: 7 is neither REQUIRED nor OFF");
	assert_mistake(&both, &idle,
		       "checks.max_spread_pct: 101 is not a percentage\n"
		       "checks.max_spread_pct: no cgroup has two workers to compare");
}

static void checks_are_formatted_in_words(void **state UNUSED)
{
	const struct ktstr_checks checks = { .progress = KTSTR_REQUIRED,
					     .isolation = KTSTR_OFF,
					     .max_spread_pct = KTSTR_AT_MOST(12.5) };
	static const char *const words[] = { "required", "off", "off", "at most 12.5 %", "off" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		checks_format(&checks_rows[i], &checks, &text);
		assert_string_equal(strbuf_str(&text), words[i]);
	}
}

static const struct checks_row *row(const char *name)
{
	for (size_t i = 0; i < checks_n_rows; i++)
		if (strcmp(checks_rows[i].name, name) == 0)
			return &checks_rows[i];
	fail_msg("no check %s", name);
	return NULL;
}

static void every_row_has_a_check_a_name_and_a_meaning(void **state UNUSED)
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
		cmocka_unit_test(default_checks_depend_on_work_and_scheduler),
		cmocka_unit_test(declared_checks_override_the_defaults),
		cmocka_unit_test(only_time_limits_make_a_check_depend_on_time),
		cmocka_unit_test(at_least_for_an_upper_limit_is_refused_naming_at_most),
		cmocka_unit_test(impossible_checks_are_refused_with_a_reason),
		cmocka_unit_test(checks_are_formatted_in_words),
		cmocka_unit_test(every_row_has_a_check_a_name_and_a_meaning),
		cmocka_unit_test(a_row_finds_its_member),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
