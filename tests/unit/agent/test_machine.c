// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/machine.h"

#include <sched.h>

#include <sys/sysinfo.h>

#include "base/clock.h"
#include "unit.h"

static void available_memory_is_read_from_the_mem_available_line(void **state UNUSED)
{
	assert_int_equal(
		agent_machine_parse_available_kb("MemTotal:  9 kB\nMemAvailable:    1234 kB\n"),
		1234);
	assert_int_equal(agent_machine_parse_available_kb("MemAvailable:7 kB"), 7);
}

static void missing_mem_available_line_reads_as_zero(void **state UNUSED)
{
	assert_int_equal(agent_machine_parse_available_kb(""), 0);
	assert_int_equal(agent_machine_parse_available_kb("NotMemAvailable: 3 kB\n"), 0);
	assert_int_equal(agent_machine_parse_available_kb("MemAvailable:"), 0);
}

static void this_machine_has_memory_and_an_uptime(void **state UNUSED)
{
	struct sysinfo info;

	assert_int_equal(sysinfo(&info), 0);
	assert_true(agent_machine_available_kb() > 0);
	assert_true(agent_machine_available_kb() <= info.totalram * info.mem_unit / 1024);
	/* sysinfo() rounds up. */
	assert_true(agent_machine_uptime_ns() + NS_PER_SEC >= (uint64_t)info.uptime * NS_PER_SEC);
}

static void cpus_are_those_this_process_may_use(void **state UNUSED)
{
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	assert_int_equal(agent_machine_online_cpus(), CPU_COUNT(&set));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_are_those_this_process_may_use),
		cmocka_unit_test(available_memory_is_read_from_the_mem_available_line),
		cmocka_unit_test(missing_mem_available_line_reads_as_zero),
		cmocka_unit_test(this_machine_has_memory_and_an_uptime),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
