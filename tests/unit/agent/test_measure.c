// SPDX-License-Identifier: GPL-2.0-or-later
/* On the host, whose times are not known: figures that are there, and how they relate. */
#include "agent/measure.h"

#include "agent/crew.h"
#include "base/clock.h"
#include "unit.h"

enum { PHASE_MS = 4 };

static void every_figure_that_was_asked_for_is_there(void **state UNUSED)
{
	struct agent_cpus cpus, after;
	struct agent_model m;

	assert_success(agent_cpus_read(&cpus));
	assert_success(agent_measure(PHASE_MS * NS_PER_MS, 1U << AGENT_LOAD_QUIET, &m));
	assert_int_equal(m.cpus, cpus.n);
	assert_true(m.alone_kips > 0);
	assert_true(m.total_kips >= m.busy_kips);
	assert_true(m.tick_ppm <= 1000000);
	assert_true(m.timer[AGENT_LOAD_QUIET].n > 0);
	/* Not asked for. */
	assert_int_equal(m.timer[AGENT_LOAD_ALL_BUSY].n, 0);
	assert_int_equal(m.wake[AGENT_LOAD_ONE_BUSY].n, 0);
	if (cpus.n > 1)
		assert_int_equal(m.turn_ns, m.steps.mean_ns / (cpus.n - 1));
	/* The caller may use all its CPUs again. */
	assert_success(agent_cpus_read(&after));
	assert_int_equal(after.n, cpus.n);
}

static void one_cpu_has_no_turns_and_no_neighbour(void **state UNUSED)
{
	struct agent_cpus cpus;
	struct agent_model m;

	assert_success(agent_cpus_read(&cpus));
	assert_success(agent_pin(cpus.at[0]));
	assert_success(agent_measure(NS_PER_MS, 1U << AGENT_LOAD_QUIET, &m));
	assert_success(agent_unpin(&cpus));
	assert_int_equal(m.cpus, 1);
	assert_int_equal(m.turn_ns, 0);
	assert_int_equal(m.wake[AGENT_LOAD_QUIET].n, 0);
	assert_int_equal(m.ipi[AGENT_LOAD_QUIET].n, 0);
	assert_true(m.timer[AGENT_LOAD_QUIET].n > 0);
}

static void a_spread_is_of_two_processes_per_cpu(void **state UNUSED)
{
	struct agent_spread spread;
	struct agent_cpus cpus;

	assert_success(agent_cpus_read(&cpus));
	assert_success(agent_measure_spread(20 * NS_PER_MS, &spread));
	assert_int_equal(spread.processes, 2 * cpus.n);
	assert_true(spread.gap_ns > 0);
	/* No two processes have the same time to the microsecond, neither in all nor in half. */
	assert_true(spread.spread_ppm > 0);
	assert_true(spread.late_spread_ppm > 0);
}

static void loads_have_names(void **state UNUSED)
{
	assert_string_equal(agent_load_name(AGENT_LOAD_QUIET), "quiet");
	assert_string_equal(agent_load_name(AGENT_LOAD_ONE_BUSY), "one-busy");
	assert_string_equal(agent_load_name(AGENT_LOAD_ALL_BUSY), "all-busy");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_figure_that_was_asked_for_is_there),
		cmocka_unit_test(one_cpu_has_no_turns_and_no_neighbour),
		cmocka_unit_test(a_spread_is_of_two_processes_per_cpu),
		cmocka_unit_test(loads_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
