// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/quiet.h"

#include <unistd.h>

#include "base/clock.h"
#include "unit.h"

enum { TICK_NS = 10000000 };

/* Of Linux 6.18, two CPUs; the lines are shortened. */
#define SCHEDSTAT                                     \
	"version 17\n"                                \
	"timestamp 4294893439\n"                      \
	"cpu0 0 0 0 0 0 0 1426551508 376569699 516\n" \
	"domain0 MC f 0 0 0 0 0 0 9 0 0\n"            \
	"cpu1 1 0 2 3 4 5 3206416026 294399910 368\n" \
	"domain0 MC f 0 0 0 0 0 0 9 0 0\n"
#define STAT                               \
	"cpu  18 0 342 716 0 0 13 0 0 0\n" \
	"cpu0 0 0 121 148 2 0 2 0 0 0\n"   \
	"cpu1 5 0 82 163 0 0 5 0 0 0\n"    \
	"intr 12 0 0\n"                    \
	"ctxt 2455\n"                      \
	"procs_running 3\n"                \
	"procs_blocked 0\n"

static void schedstat_gives_the_time_in_tasks_of_each_cpu(void **state UNUSED)
{
	struct agent_quiet_sample s = { .by_idle = true };

	assert_true(agent_quiet_schedstat_parse(slice_of(SCHEDSTAT), &s));
	assert_int_equal(s.cpus.n, 2);
	assert_int_equal(s.cpus.at[0].cpu, 0);
	assert_int_equal(s.cpus.at[0].ns, 1426551508);
	assert_int_equal(s.cpus.at[1].cpu, 1);
	assert_int_equal(s.cpus.at[1].ns, 3206416026);
	assert_false(s.by_idle);
	agent_quiet_sample_deinit(&s);
}

static void schedstat_that_makes_no_sense_gives_nothing(void **state UNUSED)
{
	static const char *const texts[] = {
		"",
		"version 14\ncpu0 0 0 0 0 0 0 1 2 3\n",
		"cpu0 0 0 0 0 0 0 1 2 3\n",
		"version 17\n",
		"version x\ncpu0 0 0 0 0 0 0 1 2 3\n",
		"version 17\ncpu0 0 0 0 0 0 0\n",
		"version 17\ncpu0 0 0 0 0 0 0 -1 2 3\n",
		"version 17\ncpu0 0 0 0 0 0 0 99999999999999999999 2 3\n",
		"version 17\ncpu1 0 0 0 0 0 0 1 2 3\ncpu0 0 0 0 0 0 0 1 2 3\n",
		"version 17\ncpu0 0 0 0 0 0 0 1 2 3\ncpu0 0 0 0 0 0 0 1 2 3\n",
		"version 17\ncpu8192 0 0 0 0 0 0 1 2 3\n",
	};
	struct agent_quiet_sample s = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_false(agent_quiet_schedstat_parse(slice_of(texts[i]), &s));
		assert_int_equal(s.cpus.n, 0);
	}
	agent_quiet_sample_deinit(&s);
}

static void loadavg_gives_the_number_of_running_tasks(void **state UNUSED)
{
	static const char *const wrong[] = { "",
					     "0.00 0.01 0.05",
					     "0.00 0.01 0.05 1 80 7",
					     "0.00 0.01 0.05 /80 7",
					     "0.00 0.01 0.05 x/80 7",
					     "0.00 0.01 0.05 -1/80 7" };
	uint64_t running = 99;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(agent_quiet_loadavg_parse(slice_of(wrong[i]), &running));
	assert_int_equal(running, 99);
	assert_true(agent_quiet_loadavg_parse(slice_of("0.00 0.01 0.05 12/80 123\n"), &running));
	assert_int_equal(running, 12);
}

static void stat_gives_idle_times_and_running_tasks(void **state UNUSED)
{
	struct agent_quiet_sample s = { 0 };
	uint64_t running = 99;

	assert_true(agent_quiet_idle_parse(slice_of(STAT), TICK_NS, &s));
	assert_true(s.by_idle);
	assert_int_equal(s.cpus.n, 2);
	/* Waiting for a disk is idle as well. */
	assert_int_equal(s.cpus.at[0].ns, UINT64_C(150) * TICK_NS);
	assert_int_equal(s.cpus.at[1].ns, UINT64_C(163) * TICK_NS);
	assert_true(agent_quiet_running_parse(slice_of(STAT), &running));
	assert_int_equal(running, 3);
	assert_false(agent_quiet_running_parse(slice_of("procs_running \n"), &running));
	assert_false(agent_quiet_running_parse(slice_of("cpu 1 2\n"), &running));
	assert_int_equal(running, 3);
	assert_false(agent_quiet_idle_parse(slice_of("cpu  1 2 3 4 5\n"), TICK_NS, &s));
	assert_false(agent_quiet_idle_parse(slice_of("cpu0 1 2 3 4\n"), TICK_NS, &s));
	assert_false(agent_quiet_idle_parse(slice_of("cpu0 1 2 3 18446744073709551615 1\n"),
					    TICK_NS, &s));
	assert_false(agent_quiet_idle_parse(slice_of("cpu0 1 2 3 1844674407370955161 1\n"), TICK_NS,
					    &s));
	agent_quiet_sample_deinit(&s);
}

struct pair {
	struct agent_quiet_sample before, after;
};

/* Two CPUs, 20 ms apart; the agent is on CPU 1. */
static void pair_make(struct pair *p, bool by_idle, uint64_t first_ns, uint64_t second_ns)
{
	*p = (struct pair){
		.before = { .at_ns = NS_PER_SEC, .own_ns = 7, .own_cpu = 1, .by_idle = by_idle },
		.after = { .at_ns = NS_PER_SEC + 20 * NS_PER_MS,
			   .own_ns = 7,
			   .own_cpu = 0,
			   .by_idle = by_idle },
	};
	vec_push(&p->before.cpus, (struct agent_quiet_cpu){ 0, NS_PER_SEC });
	vec_push(&p->before.cpus, (struct agent_quiet_cpu){ 1, 5 * NS_PER_SEC });
	vec_push(&p->after.cpus, (struct agent_quiet_cpu){ 0, NS_PER_SEC + first_ns });
	vec_push(&p->after.cpus, (struct agent_quiet_cpu){ 1, 5 * NS_PER_SEC + second_ns });
}

static void pair_free(struct pair *p)
{
	agent_quiet_sample_deinit(&p->before);
	agent_quiet_sample_deinit(&p->after);
}

static void the_busiest_cpu_is_found_without_the_agents_own_work(void **state UNUSED)
{
	struct agent_quiet_share share;
	struct pair p;

	pair_make(&p, false, 3 * NS_PER_MS, 5 * NS_PER_MS);
	assert_true(agent_quiet_sample_compare(&p.before, &p.after, &share));
	assert_int_equal(share.cpu, 1);
	assert_int_equal(share.permille, 250);
	/* What the agent did was done where it was when the window began. */
	p.after.own_ns = 7 + 4 * NS_PER_MS;
	assert_true(agent_quiet_sample_compare(&p.before, &p.after, &share));
	assert_int_equal(share.cpu, 0);
	assert_int_equal(share.permille, 150);
	/* More than there was is not less than nothing. */
	p.after.own_ns = 7 + 9 * NS_PER_MS;
	p.after.cpus.at[0].ns = NS_PER_SEC;
	assert_true(agent_quiet_sample_compare(&p.before, &p.after, &share));
	assert_int_equal(share.permille, 0);
	/* A task that leaves its CPU adds all of its time at once. */
	p.after.cpus.at[0].ns = 3 * NS_PER_SEC;
	assert_true(agent_quiet_sample_compare(&p.before, &p.after, &share));
	assert_int_equal(share.permille, 1000);
	pair_free(&p);
}

static void idle_times_are_taken_with_the_error_of_a_tick(void **state UNUSED)
{
	uint64_t tick_ns = NS_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	struct agent_quiet_share share;
	struct pair p;

	pair_make(&p, true, 100 * NS_PER_MS - tick_ns, 100 * NS_PER_MS - 3 * tick_ns);
	p.after.at_ns = NS_PER_SEC + 100 * NS_PER_MS;
	assert_true(agent_quiet_sample_compare(&p.before, &p.after, &share));
	assert_int_equal(share.cpu, 1);
	assert_int_equal(share.permille, 2 * tick_ns * 10 / NS_PER_MS);
	pair_free(&p);
}

static void samples_of_other_cpus_are_not_compared(void **state UNUSED)
{
	struct agent_quiet_share share = { 77, 78 };
	struct pair p;

	pair_make(&p, false, 0, 0);
	p.after.cpus.n = 1;
	assert_false(agent_quiet_sample_compare(&p.before, &p.after, &share));
	p.after.cpus.n = 2;
	p.after.cpus.at[1].cpu = 2;
	assert_false(agent_quiet_sample_compare(&p.before, &p.after, &share));
	p.after.cpus.at[1].cpu = 1;
	p.after.by_idle = true;
	assert_false(agent_quiet_sample_compare(&p.before, &p.after, &share));
	p.after.by_idle = false;
	p.after.at_ns = p.before.at_ns;
	assert_false(agent_quiet_sample_compare(&p.before, &p.after, &share));
	assert_int_equal(share.cpu, 77);
	pair_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schedstat_gives_the_time_in_tasks_of_each_cpu),
		cmocka_unit_test(schedstat_that_makes_no_sense_gives_nothing),
		cmocka_unit_test(loadavg_gives_the_number_of_running_tasks),
		cmocka_unit_test(stat_gives_idle_times_and_running_tasks),
		cmocka_unit_test(the_busiest_cpu_is_found_without_the_agents_own_work),
		cmocka_unit_test(idle_times_are_taken_with_the_error_of_a_tick),
		cmocka_unit_test(samples_of_other_cpus_are_not_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
