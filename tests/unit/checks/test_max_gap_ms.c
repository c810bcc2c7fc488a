// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks/check.h"

#include "told.h"

static void the_longest_gap_is_reported_with_time_and_cpu(void **state UNUSED)
{
	_cleanup_told_ struct told t;
	struct exchange_worker *w;

	told_prepare(&t, 3);
	t.test.checks.max_gap_ms = (struct ktstr_limit)KTSTR_AT_MOST(100);
	w = &t.report.workers.at[1];
	w->max_gap_ns = 250000000;
	w->gap_at_ns = 1200000000;
	w->has_gap_cpu = true;
	w->gap_cpu = 1;
	t.report.workers.at[2].max_gap_ns = 120000000;
	evaluate(&t);
	assert_one_part(
		&t, KTSTR_REASON_CHECK,
		"worker 51 (spin) of left ran again 1.2 s into its work on CPU 1; before that it "
		"could not run for 250 ms (limit 100 ms), and the error bar is 0 ms");
	assert_true(has_note(&t, "gap left 250 ms of at most 100 ms, error bar 0 ms"));
}

static void a_gap_on_an_unknown_cpu_is_reported_without_one(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1);
	t.test.checks.max_gap_ms = (struct ktstr_limit)KTSTR_AT_MOST(100);
	t.report.workers.at[0].max_gap_ns = 250000000;
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_CHECK,
			"ran again 0.0 s into its work; before that it could not run for 250 ms");
}

static void assert_lasting_gap(bool has_cpu, const char *end, const char *text)
{
	_cleanup_told_ struct told t;
	struct exchange_worker *w;

	told_prepare(&t, 1);
	t.test.checks.max_gap_ms = (struct ktstr_limit)KTSTR_AT_MOST(100);
	w = &t.report.workers.at[0];
	told_end(w, end);
	w->max_gap_ns = 3000000000;
	w->gap_at_ns = w->wall_ns;
	w->has_gap_cpu = has_cpu;
	w->gap_cpu = 1;
	evaluate(&t);
	for (size_t i = 0; i < t.outcome.parts.n; i++) {
		if (t.outcome.parts.at[i].reason == KTSTR_REASON_CHECK)
			assert_contains(t.outcome.parts.at[i].text, text);
	}
	assert_int_equal(count_parts(&t, KTSTR_REASON_CHECK), 1);
}

static void a_gap_that_lasts_is_reported_with_the_last_cpu(void **state UNUSED)
{
	assert_lasting_gap(true, "killed",
			   "worker 50 (spin) of left was last on CPU 1: until the end, 5.0 s into "
			   "its work, it could not run for 3000 ms");
	assert_lasting_gap(false, "stuck",
			   "worker 50 (spin) of left: until the end, 5.0 s into its work, it could "
			   "not run for 3000 ms");
	/* Stopped in time, it ran once more. */
	assert_lasting_gap(true, "finished", "ran again 5.0 s into its work on CPU 1; before");
}

static void a_gap_within_the_error_bar_blames_the_host(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1);
	t.test.checks.max_gap_ms = (struct ktstr_limit)KTSTR_AT_MOST(100);
	t.report.workers.at[0].max_gap_ns = 250000000;
	t.disturbance.longest_delay_ns = 150000000;
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_HOST_BUSY, "waiting up to 150 ms at a time");
}

/* The same in virtual time: the host was busy, and it does not matter. */
static void a_gap_of_a_virtual_clock_has_the_error_of_its_machine(void **state UNUSED)
{
	_cleanup_told_ struct told t, below;

	told_prepare(&t, 1);
	t.clock = (struct checks_clock){
		true, { .turn_ns = 10000, .has_ipi = true, .ipi_ns = 20000, .vcpus = 2 }
	};
	t.test.checks.max_gap_ms = (struct ktstr_limit)KTSTR_AT_MOST(100);
	t.report.workers.at[0].max_gap_ns = 100100000;
	t.disturbance = (struct checks_disturbance){ .why = "not measured" };
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_CHECK,
			"could not run for 100 ms (+-0.04 ms, limit 100 ms)");
	assert_true(has_note(&t, "gap left 100 ms (+-0.04 ms) of at most 100 ms"));
	told_prepare(&below, 1);
	below.clock = t.clock;
	below.test.checks.max_gap_ms = (struct ktstr_limit)KTSTR_AT_MOST(0.03);
	below.report.workers.at[0].max_gap_ns = 20000;
	evaluate(&below);
	assert_one_part(&below, KTSTR_REASON_MODEL_ERROR, "decides nothing");
}

static void a_gap_check_without_samples_gives_no_evidence(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1);
	t.test.checks.max_gap_ms = (struct ktstr_limit)KTSTR_AT_MOST(100);
	t.report.workers.at[0].samples = 0;
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_NO_EVIDENCE, "took no time sample");
}

static void a_gap_with_an_unknown_host_delay_gives_no_evidence(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1);
	t.test.checks.max_gap_ms = (struct ktstr_limit)KTSTR_AT_MOST(100);
	t.report.workers.at[0].max_gap_ns = 250000000;
	t.disturbance = (struct checks_disturbance){ .why = "QEMU is gone" };
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_NO_EVIDENCE, "QEMU is gone");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longest_gap_is_reported_with_time_and_cpu),
		cmocka_unit_test(a_gap_on_an_unknown_cpu_is_reported_without_one),
		cmocka_unit_test(a_gap_that_lasts_is_reported_with_the_last_cpu),
		cmocka_unit_test(a_gap_within_the_error_bar_blames_the_host),
		cmocka_unit_test(a_gap_of_a_virtual_clock_has_the_error_of_its_machine),
		cmocka_unit_test(a_gap_check_without_samples_gives_no_evidence),
		cmocka_unit_test(a_gap_with_an_unknown_host_delay_gives_no_evidence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
