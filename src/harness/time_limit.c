// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/needs.h"

#include "base/clock.h"

enum {
	BASE_S = 20,
	ATTACH_S = 90, /* by the guest's clock: SUITE_ATTACH_TOTAL_MS */
	TCG_SLOWNESS = 4,
	TCG_VCPUS_PER_STEP = 8,
	MIPS_WITHOUT_SLOWNESS = 500,
	VCPUS_PER_DURATION = 64,
	WATCHDOG_S = 30,
	WATCHDOG_LOOKS_S = 15,
	RECOVERY_S = 30,
};

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

unsigned int harness_slowness(bool emulated, unsigned int vcpus)
{
	if (!emulated)
		return 1;
	return TCG_SLOWNESS + (unsigned int)divide_up(vcpus, TCG_VCPUS_PER_STEP);
}

unsigned int harness_slowness_of_speed(double cpu_mips)
{
	unsigned int whole;

	/* Also for NaN. */
	if (!(cpu_mips < MIPS_WITHOUT_SLOWNESS))
		return 1;
	/* More CPUs than there can be. */
	if (cpu_mips < 1)
		return MIPS_WITHOUT_SLOWNESS;
	whole = (unsigned int)(MIPS_WITHOUT_SLOWNESS / cpu_mips);
	return whole + (whole * cpu_mips < MIPS_WITHOUT_SLOWNESS);
}

/* What is waited for beside the work itself, in seconds. */
struct around {
	uint64_t size_s, attach_s;
	uint64_t fixed_s; /* does not grow with slowness */
};

static struct around around_of(const struct exchange_declared_test *test, unsigned int vcpus)
{
	unsigned int attach_s = test->scheduler.attach_timeout_s;
	bool has_scheduler = test->scheduler.argv.n > 0;

	return (struct around){
		.size_s = divide_up((uint64_t)test->duration_s * vcpus, VCPUS_PER_DURATION),
		.attach_s = has_scheduler ? attach_s : 0,
		.fixed_s = has_scheduler && !attach_s ? ATTACH_S : 0,
	};
}

/* No overflow: seconds have EXCHANGE_LIMIT_SECONDS, vCPUs TOPO_LIMIT_ASKED_CPUS. */
uint64_t harness_time_limit_ns(const struct exchange_declared_test *test, unsigned int slowness,
			       unsigned int vcpus)
{
	struct around around = around_of(test, vcpus);

	if (test->timeout_s)
		return (uint64_t)slowness * test->timeout_s * NS_PER_SEC;
	return (test->duration_s + around.fixed_s +
		slowness * (BASE_S + around.size_s + around.attach_s)) *
	       NS_PER_SEC;
}

uint64_t harness_time_limit_silence_ns(const struct exchange_declared_test *test)
{
	return test->scheduler.argv.n ? (WATCHDOG_S + WATCHDOG_LOOKS_S + RECOVERY_S) * NS_PER_SEC
				      : 0;
}

void harness_time_limit_explain(const struct exchange_declared_test *test, unsigned int slowness,
				unsigned int vcpus, struct strbuf *into)
{
	struct around around = around_of(test, vcpus);

	if (test->timeout_s) {
		strbuf_appendf(into, "%u x timeout %u s", slowness, test->timeout_s);
		return;
	}
	strbuf_appendf(into, "duration %u s", test->duration_s);
	if (around.fixed_s)
		strbuf_appendf(into, " + %llu s to attach", (unsigned long long)around.fixed_s);
	strbuf_appendf(into, " + %u x (%d s + %llu s for its size", slowness, BASE_S,
		       (unsigned long long)around.size_s);
	if (around.attach_s)
		strbuf_appendf(into, " + %llu s to attach", (unsigned long long)around.attach_s);
	strbuf_append_char(into, ')');
}
