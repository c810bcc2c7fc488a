/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <ktstr/short.h>
#include <sched.h>

static void every_cpu_can_be_used(struct ktstr_ctx *ctx)
{
	NEED(ctx, ktstr_online_cpus(ctx) > 1, "only %u CPU", ktstr_online_cpus(ctx));
	for (int cpu = 0; cpu < (int)ktstr_online_cpus(ctx); cpu++) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		REQUIRE(ctx, sched_setaffinity(0, sizeof(set), &set) == 0, "CPU %d: %m", cpu);
		EXPECT(ctx, sched_getcpu() == cpu, "asked for CPU %d, got %d", cpu, sched_getcpu());
	}
	ktstr_note(ctx, "visited %u CPUs", ktstr_online_cpus(ctx));
}
KTSTR_TEST(hello) = {
	.topology = { .nodes = 1, .llcs = 1, .cores = 2, .threads = 2 },
	.run = every_cpu_can_be_used,
};
