// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/time_limit.h"

#include "base/clock.h"

enum {
	BASE_S = 20,
	ATTACH_S = 30,
	TCG_SLOWNESS = 4,
	TCG_VCPUS_PER_STEP = 8,
	VCPUS_PER_DURATION = 64,
};

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

unsigned int time_limit_slowness(bool emulated, unsigned int vcpus)
{
	if (!emulated)
		return 1;
	return TCG_SLOWNESS + (unsigned int)divide_up(vcpus, TCG_VCPUS_PER_STEP);
}

/* No overflow: seconds have HARNESS_LIMIT_SECONDS, vCPUs TOPOLOGY_LIMIT_CPUS. */
uint64_t time_limit_ns(const struct declared_test *test, bool emulated, unsigned int vcpus)
{
	uint64_t slowness = time_limit_slowness(emulated, vcpus);
	uint64_t around_s = BASE_S +
			    divide_up((uint64_t)test->duration_s * vcpus, VCPUS_PER_DURATION);
	unsigned int attach_s = test->scheduler.attach_timeout_s;

	if (test->timeout_s)
		return slowness * test->timeout_s * NS_PER_SEC;
	if (test->scheduler.argv.n)
		around_s += attach_s ? attach_s : ATTACH_S;
	return (test->duration_s + slowness * around_s) * NS_PER_SEC;
}
