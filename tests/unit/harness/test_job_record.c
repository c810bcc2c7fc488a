// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/job.h"

#include <string.h>

#include "unit.h"

static bool lists_with(enum vm_clock_kind clock, uint64_t memory_bytes,
		       const struct host_facts *host, const char *member)
{
	struct result_absent absent[HARNESS_LIMIT_RECORD_ABSENT];
	size_t n = harness_job_record_absent(memory_bytes, host, clock, absent);

	for (size_t i = 0; i < n; i++) {
		assert_true(*absent[i].why);
		if (strcmp(absent[i].member, member) == 0)
			return true;
	}
	return false;
}

static bool lists(uint64_t memory_bytes, const struct host_facts *host, const char *member)
{
	return lists_with(VM_CLOCK_REAL, memory_bytes, host, member);
}

static void the_digest_is_absent_with_a_real_clock(void **state UNUSED)
{
	assert_true(lists_with(VM_CLOCK_REAL, 1, NULL, "digest"));
	assert_false(lists_with(VM_CLOCK_VIRTUAL, 1, NULL, "digest"));
}

static void the_duration_of_the_cleanup_is_absent(void **state UNUSED)
{
	assert_true(lists(0, NULL, "cleanup_duration_ms"));
	assert_true(lists(1, NULL, "cleanup_duration_ms"));
}

static void memory_is_absent_when_the_test_asks_for_none(void **state UNUSED)
{
	assert_true(lists(0, NULL, "memory_bytes"));
	assert_false(lists(1, NULL, "memory_bytes"));
}

static void governors_are_absent_when_the_host_has_none(void **state UNUSED)
{
	struct host_pair governor = { .name = NULL };
	struct host_facts host = { 0 };

	assert_true(lists(1, &host, "host.cpufreq_governor"));
	host.cpufreq_governor.rows.at = &governor;
	host.cpufreq_governor.rows.n = 1;
	assert_false(lists(1, &host, "host.cpufreq_governor"));
	/* The whole host is absent. */
	assert_false(lists(1, NULL, "host.cpufreq_governor"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_digest_is_absent_with_a_real_clock),
		cmocka_unit_test(the_duration_of_the_cleanup_is_absent),
		cmocka_unit_test(memory_is_absent_when_the_test_asks_for_none),
		cmocka_unit_test(governors_are_absent_when_the_host_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
