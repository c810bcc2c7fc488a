// SPDX-License-Identifier: GPL-2.0-or-later
#include "work/group.h"

#include <signal.h>

#include "base/clock.h"
#include "fixture.h"

enum { GATE_NS = 1000, LAST_NS = 5000, NOW_NS = 9000 };

static struct work_report filled(enum work_end end, const struct work_slot_figures *figures)
{
	struct work_report report = { .end = end };

	work_report_fill(figures, GATE_NS, NOW_NS, &report);
	return report;
}

static void a_finished_worker_ends_at_its_last_checkpoint(void **state UNUSED)
{
	static const enum work_end ends[] = { WORK_END_FINISHED, WORK_END_EXITED,
					      WORK_END_SIGNALLED, WORK_END_LOST };
	struct work_slot_figures f = { .iterations = 1,
				       .units = 2,
				       .cpu_ns = 3,
				       .has_run_delay = 1,
				       .run_delay_ns = 4,
				       .sleep_ns = 5,
				       .migrations = 6,
				       .max_gap_ns = 7,
				       .gap_cpu = 8,
				       .gap_at_ns = 9,
				       .samples = 10,
				       .cpu = 11,
				       .last_checkpoint_ns = LAST_NS };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct work_report r = filled(ends[i], &f);

		assert_true(r.iterations == 1 && r.units == 2 && r.cpu_ns == 3);
		assert_true(r.has_run_delay && r.run_delay_ns == 4 && r.sleep_ns == 5);
		assert_true(r.migrations == 6 && r.max_gap_ns == 7 && r.gap_cpu == 8);
		assert_true(r.gap_at_ns == 9 && r.samples == 10);
		assert_true(r.wall_ns == LAST_NS - GATE_NS);
	}
}

static void a_gap_that_has_not_ended_is_counted(void **state UNUSED)
{
	static const enum work_end ends[] = { WORK_END_RUNNING, WORK_END_KILLED, WORK_END_STUCK };
	struct work_slot_figures f = { .max_gap_ns = 7,
				       .gap_cpu = 8,
				       .gap_at_ns = 9,
				       .cpu = 11,
				       .last_checkpoint_ns = LAST_NS };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct work_report r = filled(ends[i], &f);

		assert_true(r.wall_ns == NOW_NS - GATE_NS);
		assert_true(r.max_gap_ns == NOW_NS - LAST_NS);
		assert_true(r.gap_at_ns == NOW_NS - GATE_NS && r.gap_cpu == 11);
	}
}

static void an_ongoing_sleep_is_a_gap_only_past_its_end(void **state UNUSED)
{
	struct work_slot_figures f = { .sleep_ns = 5,
				       .max_gap_ns = 7,
				       .gap_cpu = 8,
				       .asleep_ns = 100000,
				       .last_checkpoint_ns = LAST_NS };
	struct work_report r = filled(WORK_END_RUNNING, &f);

	assert_true(r.sleep_ns == 5 + NOW_NS - LAST_NS);
	assert_true(r.max_gap_ns == 7 && r.gap_cpu == 8);
	/* It should have woken up 1000 ns ago. */
	f.asleep_ns = NOW_NS - LAST_NS - 1000;
	r = filled(WORK_END_RUNNING, &f);
	assert_true(r.sleep_ns == 5 + f.asleep_ns);
	assert_true(r.max_gap_ns == 1000);
}

static void a_checkpoint_after_now_gives_no_gap(void **state UNUSED)
{
	struct work_slot_figures f = { .last_checkpoint_ns = NOW_NS + 50, .max_gap_ns = 1 };
	struct work_report r = filled(WORK_END_KILLED, &f);

	assert_true(r.max_gap_ns == 1);
	assert_true(r.wall_ns == NOW_NS + 50 - GATE_NS);
}

static void a_running_worker_can_be_sampled(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SPIN, .workers = 1 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	_cleanup_work_group_ struct work_group *group = NULL;
	struct work_report before, first, second;

	assert_success(work_gate_new(&gate));
	group = started(gate, &spec, false);
	work_sample(group, 0, &before);
	assert_int_equal(before.end, WORK_END_WAITING);
	assert_true(before.units == 0 && before.wall_ns == 0 && before.samples == 0);
	work_gate_open(gate);
	wait_for_cpu_time(before.pid, 20 * NS_PER_MS);
	work_sample(group, 0, &first);
	wait_for_cpu_time(before.pid, 20 * NS_PER_MS);
	work_sample(group, 0, &second);
	assert_int_equal(second.end, WORK_END_RUNNING);
	assert_int_equal(second.pid, before.pid);
	assert_true(first.units > 0 && second.units > first.units);
	assert_true(second.cpu_ns > first.cpu_ns && second.wall_ns > first.wall_ns);
	assert_true(second.samples > first.samples && second.iterations > first.iterations);
	assert_true(topo_cpuset_count(&first.cpus_used) >= 1);
}

/* The worker cannot tell; whoever looks at it can. */
static void a_worker_without_a_cpu_shows_its_gap(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SPIN, .workers = 1 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	_cleanup_work_group_ struct work_group *group = NULL;
	struct work_report report;
	uint64_t stopped_at_ns, passed_ns;

	assert_success(work_gate_new(&gate));
	group = started(gate, &spec, true);
	work_sample(group, 0, &report);
	wait_for_cpu_time(report.pid, 5 * NS_PER_MS);
	kill(report.pid, SIGSTOP);
	wait_for_state(report.pid, 'T');
	stopped_at_ns = clock_monotonic_ns();
	sleep_ms(60);
	passed_ns = clock_monotonic_ns() - stopped_at_ns;
	work_sample(group, 0, &report);
	assert_int_equal(report.end, WORK_END_RUNNING);
	assert_true(report.max_gap_ns >= passed_ns);
	assert_true(report.gap_cpu >= 0);
	kill(report.pid, SIGCONT);
	work_stop(group, PATIENCE_NS);
	work_sample(group, 0, &report);
	assert_int_equal(report.end, WORK_END_FINISHED);
	assert_true(report.max_gap_ns >= passed_ns);
}

/* What a worker does after the end of the work does not hide how it stood then. */
static void a_stall_is_measured_at_the_stop(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SPIN, .workers = 2 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	_cleanup_work_group_ struct work_group *group = NULL;
	struct work_report still, busy;
	uint64_t stopped_at_ns, passed_ns;

	assert_success(work_gate_new(&gate));
	group = started(gate, &spec, true);
	work_sample(group, 0, &still);
	wait_for_cpu_time(still.pid, 5 * NS_PER_MS);
	kill(still.pid, SIGSTOP);
	wait_for_state(still.pid, 'T');
	stopped_at_ns = clock_monotonic_ns();
	sleep_ms(60);
	passed_ns = clock_monotonic_ns() - stopped_at_ns;
	work_conclude(group);
	kill(still.pid, SIGCONT);
	wait_for_cpu_time(still.pid, 5 * NS_PER_MS);
	work_stop(group, PATIENCE_NS);
	work_sample(group, 0, &still);
	work_sample(group, 1, &busy);
	assert_true(still.stall_ns >= passed_ns);
	assert_true(still.units > 0);
	assert_true(busy.stall_ns <= busy.max_gap_ns + NS_PER_MS);
}

static void a_sleeping_worker_is_not_stalled(void **state UNUSED)
{
	struct work_slot_figures f = { .last_checkpoint_ns = LAST_NS, .asleep_ns = 100000 };

	assert_true(work_report_stall_ns(&f, NOW_NS) == 0);
	f.asleep_ns = 1000;
	assert_true(work_report_stall_ns(&f, NOW_NS) == NOW_NS - LAST_NS - 1000);
	f.last_checkpoint_ns = NOW_NS + 5;
	assert_true(work_report_stall_ns(&f, NOW_NS) == 0);
}

static void a_worker_that_was_never_on_a_cpu_is_stalled_since_the_gate(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SPIN, .workers = 1 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	_cleanup_work_group_ struct work_group *group = NULL;
	struct work_report report;
	uint64_t opened_at_ns, passed_ns;

	assert_success(work_gate_new(&gate));
	group = started(gate, &spec, false);
	work_sample(group, 0, &report);
	wait_for_state(report.pid, 'S');
	kill(report.pid, SIGSTOP);
	wait_for_state(report.pid, 'T');
	work_gate_open(gate);
	opened_at_ns = clock_monotonic_ns();
	sleep_ms(20);
	passed_ns = clock_monotonic_ns() - opened_at_ns;
	work_conclude(group);
	kill(report.pid, SIGCONT);
	work_stop(group, PATIENCE_NS);
	work_sample(group, 0, &report);
	assert_true(report.stall_ns >= passed_ns);
}

static void every_end_of_a_worker_has_a_name_and_meaning(void **state UNUSED)
{
	assert_string_equal(work_end_name(WORK_END_SIGNALLED), "signalled");
	assert_string_equal(work_end_name(WORK_END_NEVER_STARTED), "never-started");
	for (int end = 0; end < WORK_N_ENDS; end++)
		assert_true(strlen(work_end_name((enum work_end)end)) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_finished_worker_ends_at_its_last_checkpoint),
		cmocka_unit_test(a_gap_that_has_not_ended_is_counted),
		cmocka_unit_test(an_ongoing_sleep_is_a_gap_only_past_its_end),
		cmocka_unit_test(a_checkpoint_after_now_gives_no_gap),
		cmocka_unit_test(a_running_worker_can_be_sampled),
		cmocka_unit_test(a_worker_without_a_cpu_shows_its_gap),
		cmocka_unit_test(a_stall_is_measured_at_the_stop),
		cmocka_unit_test(a_sleeping_worker_is_not_stalled),
		cmocka_unit_test(a_worker_that_was_never_on_a_cpu_is_stalled_since_the_gate),
		cmocka_unit_test(every_end_of_a_worker_has_a_name_and_meaning),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
