// SPDX-License-Identifier: GPL-2.0-or-later
#include "work/kind.h"

#include <sys/resource.h>

#include "fixture.h"

static void every_yield_is_followed_by_a_checkpoint(void **state UNUSED)
{
	struct in_process p;
	uint64_t before;

	in_process_begin(&p, 0, 0);
	before = p.self.figures.samples;
	for (int i = 0; i < 100; i++)
		work_step_yield(&p.self);
	assert_true(p.self.figures.iterations == 100);
	assert_true(p.self.figures.samples == before + 100);
	assert_true(p.self.figures.units > 0);
	assert_true(p.self.figures.voluntary_sleep_ns == 0);
}

/* Context switches of two workers that share one CPU, as the kernel counts them. */
static long switches_of(enum work_kind kind, int cpu)
{
	struct work_spec spec = { .kind = kind, .workers = 2 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	struct work_group *group;
	struct rusage before, after;

	getrusage(RUSAGE_CHILDREN, &before);
	assert_success(work_gate_new(&gate));
	pin(0, cpu);
	group = started(gate, &spec, true);
	sleep_ms(150);
	work_stop(group, PATIENCE_NS);
	work_free(group);
	getrusage(RUSAGE_CHILDREN, &after);
	return after.ru_nivcsw + after.ru_nvcsw - before.ru_nivcsw - before.ru_nvcsw;
}

static void workers_that_yield_switch_more_than_those_that_spin(void **state UNUSED)
{
	cpu_set_t cpus;
	long spin, yield;

	need_cpus(&cpus, 1);
	spin = switches_of(WORK_KIND_SPIN, nth_cpu(&cpus, 0));
	yield = switches_of(WORK_KIND_YIELD, nth_cpu(&cpus, 0));
	sched_setaffinity(0, sizeof(cpus), &cpus);
	if (yield <= 2 * spin)
		fail_msg("%ld switches of yielding workers, %ld of spinning ones", yield, spin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_yield_is_followed_by_a_checkpoint),
		cmocka_unit_test(workers_that_yield_switch_more_than_those_that_spin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
