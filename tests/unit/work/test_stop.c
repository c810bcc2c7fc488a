// SPDX-License-Identifier: GPL-2.0-or-later
#include "work/work.h"

#include <signal.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "fixture.h"

static uint64_t used_by_children_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_SEC +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

static void workers_of_every_kind_finish_when_asked(void **state UNUSED)
{
	for (int kind = KTSTR_WORK_NONE + 1; kind < KTSTR_N_WORK_KINDS; kind++) {
		struct ktstr_work spec = { .kind = (enum ktstr_work_kind)kind, .workers = 2 };
		_cleanup_work_gate_ struct work_gate *gate = NULL;
		struct work_group *group;

		assert_success(work_gate_new(&gate));
		group = started(gate, &spec, true);
		sleep_ms(60);
		work_stop(group, PATIENCE_NS);
		assert_int_equal(work_count(group), 2);
		for (unsigned int i = 0; i < 2; i++) {
			struct work_report r;

			work_sample(group, i, &r);
			assert_int_equal(r.end, WORK_END_FINISHED);
			assert_int_equal(r.code, 0);
			assert_true(r.units > 0 && r.samples > 0 && r.cpu_ns > 0);
			assert_true(r.wall_ns >= 60 * NS_PER_MS);
			assert_true(r.sleep_ns <= r.wall_ns);
			assert_true(r.max_gap_ns <= r.wall_ns - r.sleep_ns);
			assert_true(r.gap_at_ns <= r.wall_ns);
			assert_true(topo_cpuset_count(&r.cpus_used) >= 1);
			assert_true(topo_cpuset_count(&r.cpus_used) <= r.migrations + 1);
		}
		work_free(group);
		assert_true(no_children_left());
	}
}

static void cpu_time_agrees_with_what_the_kernel_charged(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SPIN, .workers = 2 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	struct work_group *group;
	uint64_t before_ns = used_by_children_ns(), charged_ns, told_ns = 0;

	assert_success(work_gate_new(&gate));
	group = started(gate, &spec, true);
	sleep_ms(150);
	work_stop(group, PATIENCE_NS);
	for (unsigned int i = 0; i < 2; i++) {
		struct work_report r;

		work_sample(group, i, &r);
		told_ns += r.cpu_ns;
	}
	work_free(group);
	charged_ns = used_by_children_ns() - before_ns;
	/* The kernel's figure holds fork and exit as well. */
	assert_true(told_ns <= charged_ns + NS_PER_MS);
	assert_true(told_ns >= charged_ns / 2);
}

static void a_worker_in_a_long_sleep_stops_without_a_kill(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SLEEP,
				   .workers = 1,
				   .sleep_ms = WORK_LIMIT_MS };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	_cleanup_work_group_ struct work_group *group = NULL;
	struct work_report report;

	assert_success(work_gate_new(&gate));
	group = started(gate, &spec, true);
	sleep_ms(50);
	work_sample(group, 0, &report);
	assert_int_equal(report.end, WORK_END_RUNNING);
	work_stop(group, PATIENCE_NS);
	work_sample(group, 0, &report);
	assert_int_equal(report.end, WORK_END_FINISHED);
	assert_true(report.sleep_ns <= report.wall_ns);
	assert_true(report.wall_ns < (uint64_t)WORK_LIMIT_MS * NS_PER_MS);
}

static void a_worker_that_does_not_stop_is_killed_and_marked(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SPIN, .workers = 2 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	struct work_group *group;
	struct work_report r;

	assert_success(work_gate_new(&gate));
	group = started(gate, &spec, true);
	work_sample(group, 0, &r);
	wait_for_cpu_time(r.pid, 5 * NS_PER_MS);
	kill(r.pid, SIGSTOP);
	wait_for_state(r.pid, 'T');
	work_stop(group, 300 * NS_PER_MS);
	work_sample(group, 0, &r);
	assert_int_equal(r.end, WORK_END_KILLED);
	assert_true(r.units > 0 && r.cpu_ns > 0 && topo_cpuset_count(&r.cpus_used) >= 1);
	/* It was without a CPU from before the stop to the kill. */
	assert_true(r.max_gap_ns >= 300 * NS_PER_MS && r.max_gap_ns <= r.wall_ns);
	work_sample(group, 1, &r);
	assert_int_equal(r.end, WORK_END_FINISHED);
	work_free(group);
	assert_true(no_children_left());
}

static void a_worker_killed_by_others_keeps_its_figures(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SPIN, .workers = 1 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	_cleanup_work_group_ struct work_group *group = NULL;
	uint64_t run_ns, slices;
	struct work_report r;

	assert_success(work_gate_new(&gate));
	group = started(gate, &spec, true);
	work_sample(group, 0, &r);
	wait_for_cpu_time(r.pid, 40 * NS_PER_MS);
	assert_true(kernel_says(r.pid, &run_ns, &slices));
	kill(r.pid, SIGKILL);
	wait_for_end(group, 0, &r);
	for (int stopped = 0; stopped < 2; stopped++) {
		work_sample(group, 0, &r);
		assert_int_equal(r.end, WORK_END_SIGNALLED);
		assert_int_equal(r.code, SIGKILL);
		/* All but the last moment, and a start before the gate. */
		assert_true(r.cpu_ns >= run_ns / 2);
		assert_true(r.iterations > 0 && r.units >= r.iterations && r.samples > 0);
		assert_true(r.wall_ns > 0 && topo_cpuset_count(&r.cpus_used) >= 1);
		work_stop(group, PATIENCE_NS);
	}
}

static void a_worker_stopped_before_the_gate_never_started(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SPIN, .workers = 2 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	struct work_group *stopped, *goes_on;
	struct work_report r;

	assert_success(work_gate_new(&gate));
	stopped = started(gate, &spec, false);
	goes_on = started(gate, &spec, false);
	work_stop(stopped, PATIENCE_NS);
	work_gate_open(gate);
	sleep_ms(20);
	work_stop(goes_on, PATIENCE_NS);
	for (unsigned int i = 0; i < 2; i++) {
		work_sample(stopped, i, &r);
		assert_int_equal(r.end, WORK_END_NEVER_STARTED);
		assert_true(r.units == 0 && r.wall_ns == 0 && topo_cpuset_count(&r.cpus_used) == 0);
		work_sample(goes_on, i, &r);
		assert_int_equal(r.end, WORK_END_FINISHED);
	}
	work_free(stopped);
	work_free(goes_on);
	assert_true(no_children_left());
}

static void a_worker_killed_at_a_closed_gate_has_no_figures(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SPIN, .workers = 1 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	_cleanup_work_group_ struct work_group *group = NULL;
	struct work_report r;

	assert_success(work_gate_new(&gate));
	group = started(gate, &spec, false);
	work_sample(group, 0, &r);
	kill(r.pid, SIGSTOP);
	wait_for_state(r.pid, 'T');
	work_stop(group, 20 * NS_PER_MS);
	work_sample(group, 0, &r);
	assert_int_equal(r.end, WORK_END_KILLED);
	assert_true(r.wall_ns == 0 && r.max_gap_ns == 0 && r.units == 0);
}

static void freeing_a_running_group_kills_its_workers(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SPIN, .workers = 3 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	struct work_group *group;

	assert_success(work_gate_new(&gate));
	group = started(gate, &spec, true);
	work_free(group);
	assert_true(no_children_left());
	work_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workers_of_every_kind_finish_when_asked),
		cmocka_unit_test(cpu_time_agrees_with_what_the_kernel_charged),
		cmocka_unit_test(a_worker_in_a_long_sleep_stops_without_a_kill),
		cmocka_unit_test(a_worker_that_does_not_stop_is_killed_and_marked),
		cmocka_unit_test(a_worker_killed_by_others_keeps_its_figures),
		cmocka_unit_test(a_worker_stopped_before_the_gate_never_started),
		cmocka_unit_test(a_worker_killed_at_a_closed_gate_has_no_figures),
		cmocka_unit_test(freeing_a_running_group_kills_its_workers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
