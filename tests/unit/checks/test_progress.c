// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks/check.h"

#include "told.h"

/* The figures of docs/VERDICTS.md. */
static double limit_ms(size_t workers, unsigned int cpus)
{
	struct checks_cgroup cgroup = { .name = "left" };

	if (cpus)
		topo_cpuset_add_range(&cgroup.cpus, 0, cpus - 1);
	return checks_stall_limit_ms(workers, &cgroup);
}

static void stall_limit_grows_with_workers_per_cpu(void **state UNUSED)
{
	assert_float_equal(limit_ms(2, 2), 1100, 1e-4);
	assert_float_equal(limit_ms(3, 2), 1200, 1e-4);
	assert_float_equal(limit_ms(64, 2), 4200, 1e-4);
	assert_float_equal(limit_ms(1, 64), 1100, 1e-4);
}

static void stall_limit_assumes_one_cpu_when_unknown(void **state UNUSED)
{
	assert_float_equal(limit_ms(4, 0), 1400, 1e-4);
}

/* Three workers on two CPUs: 1 s and two turns of 0.1 s are no stall. */
static void stalled(struct told *t, uint64_t units, uint64_t stall_ms)
{
	told_prepare(t, 3);
	t->report.workers.at[1].units = units;
	t->report.workers.at[1].stall_ns = stall_ms * 1000000;
}

static void a_worker_that_got_nothing_done_fails(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	stalled(&t, 0, 5000);
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_CHECK,
			"worker 51 (spin) of left did no work: it could not run for 5000 ms");
	assert_true(has_note(&t, "progress left: 2 of 3 workers"));
}

/* A burst that is longer than the test is work all the same. */
static void units_are_progress_without_a_whole_iteration(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 2);
	t.report.workers.at[0].iterations = 0;
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, 0);
	assert_true(has_note(&t, "progress left: 2 of 2 workers"));
}

static void a_worker_without_progress_at_the_end_fails(void **state UNUSED)
{
	_cleanup_told_ struct told within, over;

	stalled(&within, 70, 1200);
	evaluate(&within);
	assert_int_equal(within.outcome.parts.n, 0);

	stalled(&over, 70, 1201);
	evaluate(&over);
	assert_one_part(&over, KTSTR_REASON_CHECK,
			"worker 51 (spin) of left made no progress at the end: it could not run "
			"for 1201 ms (limit 1200 ms), and the error bar is 0 ms");
	assert_true(has_note(&over, "progress left: 2 of 3 workers"));
}

static void a_stall_within_the_error_bar_blames_the_host(void **state UNUSED)
{
	_cleanup_told_ struct told busy, unknown;

	stalled(&busy, 70, 1500);
	busy.disturbance.run_delay_ns = 300000000;
	evaluate(&busy);
	assert_one_part(&busy, KTSTR_REASON_HOST_BUSY, "waiting for 300 ms in all");

	stalled(&unknown, 70, 1500);
	unknown.disturbance = (struct checks_disturbance){ .why = "QEMU is gone" };
	evaluate(&unknown);
	assert_one_part(&unknown, KTSTR_REASON_NO_EVIDENCE, "QEMU is gone");
}

static void no_progress_in_too_short_a_time_gives_no_evidence(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	stalled(&t, 0, 900);
	evaluate(&t);
	assert_one_part(
		&t, KTSTR_REASON_NO_EVIDENCE,
		"did no work: it could not run for 900 ms, and a worker may wait up to 1200 ms");
}

static void a_worker_that_ended_early_fails(void **state UNUSED)
{
	static const struct {
		const char *end, *words;
	} cases[] = {
		{ "exited 3", "worker 50 (spin) of left ended by itself (exited 3)" },
		{ "signalled 11", "worker 50 (spin) of left was ended by signal 11" },
		{ "lost", "worker 50 (spin) of left was lost (lost)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_told_ struct told t;

		told_prepare(&t, 1);
		told_end(&t.report.workers.at[0], cases[i].end);
		evaluate(&t);
		assert_one_part(&t, KTSTR_REASON_CHECK, cases[i].words);
	}
}

static void a_worker_that_had_to_be_killed_fails(void **state UNUSED)
{
	static const char *const ends[] = { "killed", "stuck" };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		_cleanup_told_ struct told t;

		told_prepare(&t, 2);
		/* Whatever is asked for: it got no CPU in seconds. */
		t.test.checks.progress = KTSTR_OFF;
		told_end(&t.report.workers.at[0], ends[i]);
		evaluate(&t);
		assert_one_part(&t, KTSTR_REASON_WORKER_KILLED,
				"worker 50 (spin) of left did not stop when it was asked to");
	}
}

static void progress_may_be_switched_off(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1);
	t.report.workers.at[0].units = 0;
	t.report.workers.at[0].stall_ns = 5000000000;
	t.test.checks.progress = KTSTR_OFF;
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, 0);
	assert_int_equal(t.outcome.notes.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stall_limit_grows_with_workers_per_cpu),
		cmocka_unit_test(stall_limit_assumes_one_cpu_when_unknown),
		cmocka_unit_test(a_worker_that_got_nothing_done_fails),
		cmocka_unit_test(units_are_progress_without_a_whole_iteration),
		cmocka_unit_test(a_worker_without_progress_at_the_end_fails),
		cmocka_unit_test(a_stall_within_the_error_bar_blames_the_host),
		cmocka_unit_test(no_progress_in_too_short_a_time_gives_no_evidence),
		cmocka_unit_test(a_worker_that_ended_early_fails),
		cmocka_unit_test(a_worker_that_had_to_be_killed_fails),
		cmocka_unit_test(progress_may_be_switched_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
