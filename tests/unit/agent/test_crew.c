// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/crew.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "unit.h"

static void delays_are_the_usual_statistics(void **state UNUSED)
{
	_cleanup_free_ struct agent_samples *samples = xnew(struct agent_samples);
	struct agent_delays delays;

	/* 200, 199, … 1: sorted by the summary, not by us. */
	for (uint64_t ns = 200; ns > 0; ns--)
		agent_samples_add(samples, ns);
	delays = agent_samples_delays(samples);
	assert_int_equal(delays.n, 200);
	assert_int_equal(delays.mean_ns, 100);
	assert_int_equal(delays.p50_ns, 101);
	assert_int_equal(delays.p99_ns, 199);
	assert_int_equal(delays.max_ns, 200);
	/* The samples are not touched. */
	assert_int_equal(samples->ns[0], 200);
}

static void no_sample_is_all_zero(void **state UNUSED)
{
	_cleanup_free_ struct agent_samples *samples = xnew(struct agent_samples);
	struct agent_delays delays = agent_samples_delays(samples);

	assert_int_equal(delays.n, 0);
	assert_int_equal(delays.max_ns, 0);
}

static void samples_past_the_limit_count_for_number_mean_and_maximum(void **state UNUSED)
{
	_cleanup_free_ struct agent_samples *samples = xnew(struct agent_samples);
	struct agent_delays delays;

	for (unsigned int i = 0; i < AGENT_LIMIT_SAMPLES; i++)
		agent_samples_add(samples, 10);
	for (unsigned int i = 0; i < AGENT_LIMIT_SAMPLES; i++)
		agent_samples_add(samples, 30);
	delays = agent_samples_delays(samples);
	assert_int_equal(delays.n, 2 * AGENT_LIMIT_SAMPLES);
	assert_int_equal(delays.mean_ns, 20);
	assert_int_equal(delays.p99_ns, 10);
	assert_int_equal(delays.max_ns, 30);
}

static void note_the_window(struct agent_worker *worker, uint64_t begin_ns, uint64_t ns)
{
	worker->wall_ns = ns;
	worker->cpu_ns = begin_ns;
	worker->migrations = (uint64_t)sched_getcpu();
	agent_samples_add(&worker->steps, 7);
}

/* More than once: an unpinned process may be on the right CPU by chance. */
static void workers_share_one_window_and_stay_on_their_cpus(void **state UNUSED)
{
	struct agent_cpus cpus;

	assert_success(agent_cpus_read(&cpus));
	assert_true(cpus.n > 0);
	for (unsigned int round = 0; round < 6; round++) {
		_cleanup_agent_crew_ struct agent_crew *crew = NULL;

		assert_success(agent_crew_new(cpus.n, &crew));
		assert_success(agent_crew_work(crew, note_the_window, cpus.at, 3 * NS_PER_MS));
		for (size_t i = 0; i < cpus.n; i++) {
			const struct agent_worker *worker = agent_crew_worker(crew, i);

			assert_int_equal(worker->wall_ns, 3 * NS_PER_MS);
			assert_int_equal(worker->cpu_ns, agent_crew_worker(crew, 0)->cpu_ns);
			assert_int_equal(worker->migrations, cpus.at[i]);
		}
		assert_int_equal(agent_crew_steps(crew).n, cpus.n);
		assert_int_equal(agent_crew_steps(crew).max_ns, 7);
	}
}

static void die(struct agent_worker *worker UNUSED, uint64_t begin_ns UNUSED, uint64_t ns UNUSED)
{
	raise(SIGKILL);
}

static void a_worker_that_dies_fails_the_crew(void **state UNUSED)
{
	_cleanup_agent_crew_ struct agent_crew *crew = NULL;

	assert_success(agent_crew_new(2, &crew));
	assert_error_tag(agent_crew_work(crew, die, NULL, NS_PER_MS), "agent-system");
}

static void a_cpu_that_is_not_there_fails_the_crew(void **state UNUSED)
{
	_cleanup_agent_crew_ struct agent_crew *crew = NULL;
	const unsigned short nowhere = CPU_SETSIZE - 1;

	assert_success(agent_crew_new(1, &crew));
	assert_error_tag(agent_crew_spin(crew, &nowhere), "agent-system");
}

static void nothing_of_a_crew_is_left(void **state UNUSED)
{
	struct agent_crew *crew = NULL;
	struct agent_cpus cpus;

	assert_success(agent_cpus_read(&cpus));
	assert_success(agent_crew_new(1, &crew));
	assert_success(agent_crew_spin(crew, cpus.at));
	agent_crew_free(crew);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	agent_crew_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(delays_are_the_usual_statistics),
		cmocka_unit_test(no_sample_is_all_zero),
		cmocka_unit_test(samples_past_the_limit_count_for_number_mean_and_maximum),
		cmocka_unit_test(workers_share_one_window_and_stay_on_their_cpus),
		cmocka_unit_test(a_worker_that_dies_fails_the_crew),
		cmocka_unit_test(a_cpu_that_is_not_there_fails_the_crew),
		cmocka_unit_test(nothing_of_a_crew_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
