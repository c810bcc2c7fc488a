// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/attach_threads.h"

#include "jemalloc_target.h"

static bool has(const struct attach_threads *threads, pid_t tid)
{
	for (size_t i = 0; i < threads->rows.n; i++)
		if (threads->rows.at[i].tid == tid)
			return true;
	return false;
}

static void the_list_of_the_c_library_is_taken_whole(void **state UNUSED)
{
	struct target target;
	struct target_thread one;
	struct attach_threads threads;
	struct probe *probe;

	skip_without_jemalloc();
	target = target_start("KTSTR_JEMALLOC_TARGET");
	one = target_new_thread(&target);
	probe = attach_to(&target, PROBE_STOP_NEVER);
	attach_threads_collect(probe, &threads);
	assert_int_equal(threads.rows.n, 2);
	assert_true(has(&threads, target.pid) && has(&threads, one.tid));
	vec_deinit(&threads.rows);
	probe_free(probe);
	target_end(&target);
}

static void without_a_list_the_main_thread_is_stopped_if_that_is_allowed(void **state UNUSED)
{
	struct target target;
	struct attach_threads threads;
	struct probe *probe;

	skip_without_jemalloc();
	target = target_start("KTSTR_JEMALLOC_TARGET");
	target_new_thread(&target);
	probe = attach_to(&target, PROBE_STOP_NEVER);
	probe->has_glibc = false;
	attach_threads_collect(probe, &threads);
	assert_int_equal(threads.rows.n, 0);
	vec_deinit(&threads.rows);
	probe->stop = PROBE_STOP_IF_NEEDED;
	attach_threads_collect(probe, &threads);
	assert_int_equal(threads.rows.n, 1);
	assert_true(has(&threads, target.pid));
	assert_int_equal(probe_stopped_threads(probe), 1);
	vec_deinit(&threads.rows);
	probe_free(probe);
	target_end(&target);
}

static void the_bytes_of_all_threads_are_summed(void **state UNUSED)
{
	struct target target;
	struct target_counters one, main_thread;
	struct probe *probe;
	uint64_t total = 0;

	skip_without_jemalloc();
	target = target_start("KTSTR_JEMALLOC_TARGET");
	target_new_thread(&target);
	probe = attach_to(&target, PROBE_STOP_NEVER);
	one = target_counters_of(target_ask(&target, "on 1 alloc 5000"));
	main_thread = target_counters_of(target_ask(&target, "on 0 count"));
	assert_true(attach_threads_allocated(probe, &total));
	assert_int_equal(total, one.allocated + main_thread.allocated);
	/* Nobody to ask is not the same as nothing allocated. */
	probe->has_glibc = false;
	assert_false(attach_threads_allocated(probe, &total));
	probe_free(probe);
	target_end(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_list_of_the_c_library_is_taken_whole),
		cmocka_unit_test(without_a_list_the_main_thread_is_stopped_if_that_is_allowed),
		cmocka_unit_test(the_bytes_of_all_threads_are_summed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
