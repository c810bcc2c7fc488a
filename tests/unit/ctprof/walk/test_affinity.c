// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/walk/thread.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "unit.h"

static void our_own_mask_is_that_of_the_c_library(void **state UNUSED)
{
	_cleanup_procfs_cpu_ids_ struct procfs_cpu_ids ids = { VEC_INIT };
	struct ctprof_affinity affinity;
	cpu_set_t set;
	size_t n = 0;
	bool same;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	ctprof_affinity_init(&affinity);
	assert_int_equal(ctprof_affinity_read(&affinity, getpid(), &same), 0);
	assert_false(same);
	ctprof_affinity_ids(&affinity, &ids);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			assert_int_equal(ids.ids.at[n++], cpu);
	assert_int_equal(ids.ids.n, n);
	ctprof_affinity_deinit(&affinity);
}

static void a_mask_is_told_from_the_one_before(void **state UNUSED)
{
	_cleanup_procfs_cpu_ids_ struct procfs_cpu_ids ids = { VEC_INIT };
	struct ctprof_affinity affinity;
	cpu_set_t all, one;
	bool same;

	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	skip_unless(CPU_COUNT(&all) > 1, "one CPU has one mask");
	ctprof_affinity_init(&affinity);
	assert_int_equal(ctprof_affinity_read(&affinity, getpid(), &same), 0);
	assert_int_equal(ctprof_affinity_read(&affinity, getpid(), &same), 0);
	assert_true(same);
	ctprof_affinity_ids(&affinity, &ids);
	CPU_ZERO(&one);
	CPU_SET(ids.ids.at[1], &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(ctprof_affinity_read(&affinity, getpid(), &same), 0);
	assert_false(same);
	ctprof_affinity_ids(&affinity, &ids);
	assert_int_equal(ids.ids.n, 1);
	assert_true(CPU_ISSET(ids.ids.at[0], &one));
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	ctprof_affinity_deinit(&affinity);
}

static void a_thread_that_is_not_there_has_none(void **state UNUSED)
{
	struct ctprof_affinity affinity;
	bool same;

	ctprof_affinity_init(&affinity);
	assert_int_equal(ctprof_affinity_read(&affinity, INT32_MAX, &same), ESRCH);
	assert_int_equal(affinity.used_words, 0);
	ctprof_affinity_deinit(&affinity);
}

static void a_kernel_with_more_cpus_gets_more_room(void **state UNUSED)
{
	struct ctprof_affinity affinity;
	bool same;

	ctprof_affinity_init(&affinity);
	/* No kernel takes a mask of no words. */
	affinity.n_words = 0;
	assert_int_equal(ctprof_affinity_read(&affinity, getpid(), &same), 0);
	assert_true(affinity.n_words > 0 && affinity.used_words > 0);
	ctprof_affinity_deinit(&affinity);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_own_mask_is_that_of_the_c_library),
		cmocka_unit_test(a_mask_is_told_from_the_one_before),
		cmocka_unit_test(a_thread_that_is_not_there_has_none),
		cmocka_unit_test(a_kernel_with_more_cpus_gets_more_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
