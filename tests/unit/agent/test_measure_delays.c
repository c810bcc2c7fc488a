// SPDX-License-Identifier: GPL-2.0-or-later
/* On the host, whose times nobody knows: figures that are there, and how they relate. */
#include "agent/crew.h"

#include "base/clock.h"
#include "unit.h"

enum { PHASE_MS = 4 };

static void assert_ordered(struct agent_delays d)
{
	assert_true(d.n > 0);
	assert_true(d.p50_ns <= d.p99_ns);
	assert_true(d.p99_ns <= d.max_ns);
	assert_true(d.mean_ns <= d.max_ns);
}

static struct agent_model measure(const struct agent_cpus *cpus, enum agent_load load)
{
	/* A fast machine: short pauses. */
	struct agent_model m = { .alone_kips = 1000000, .busy_kips = 1000000 };

	assert_success(agent_measure_delays(cpus, PHASE_MS * NS_PER_MS, load, &m));
	return m;
}

static void every_load_has_its_own_figures(void **state UNUSED)
{
	struct agent_cpus cpus;

	assert_success(agent_cpus_read(&cpus));
	for (enum agent_load load = 0; load < AGENT_N_LOADS; load++) {
		struct agent_model m = measure(&cpus, load);

		assert_ordered(m.timer[load]);
		if (cpus.n > 1)
			assert_ordered(m.wake[load]);
		for (enum agent_load other = 0; other < AGENT_N_LOADS; other++)
			if (other != load)
				assert_int_equal(m.timer[other].n, 0);
	}
}

static void an_interrupt_is_timed_there_and_back(void **state UNUSED)
{
	struct agent_cpus cpus;
	struct agent_model m;

	assert_success(agent_cpus_read(&cpus));
	m = measure(&cpus, AGENT_LOAD_QUIET);
	/* 0: one CPU, or a kernel without membarrier(). */
	if (m.ipi[AGENT_LOAD_QUIET].n == 0)
		return;
	assert_ordered(m.ipi[AGENT_LOAD_QUIET]);
	assert_true(m.ipi[AGENT_LOAD_QUIET].p50_ns > 0);
}

static void one_cpu_has_a_timer_and_no_neighbour(void **state UNUSED)
{
	struct agent_cpus cpus, one;
	struct agent_model m;

	assert_success(agent_cpus_read(&cpus));
	one = (struct agent_cpus){ .n = 1, .at = { cpus.at[0] } };
	m = measure(&one, AGENT_LOAD_ALL_BUSY);
	assert_success(agent_unpin(&cpus));
	assert_ordered(m.timer[AGENT_LOAD_ALL_BUSY]);
	assert_int_equal(m.wake[AGENT_LOAD_ALL_BUSY].n, 0);
	assert_int_equal(m.ipi[AGENT_LOAD_ALL_BUSY].n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_load_has_its_own_figures),
		cmocka_unit_test(an_interrupt_is_timed_there_and_back),
		cmocka_unit_test(one_cpu_has_a_timer_and_no_neighbour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
