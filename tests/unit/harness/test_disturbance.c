// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/judge.h"

#include <unistd.h>

#include "staged_root.h"

enum { QEMU = 700 };

/* "RUN DELAY SLICES" of a thread of a made-up QEMU. */
static void thread_has(const char *root, int tid, uint64_t delay_ns, unsigned int slices)
{
	_cleanup_free_ char *path = xasprintf("/%d/task/%d/schedstat", QEMU, tid);
	_cleanup_free_ char *text = xasprintf("123456 %llu %u\n", (unsigned long long)delay_ns,
					      slices);

	staged_file(root, path, text, strlen(text));
}

static void leader_is(const char *root, char state)
{
	_cleanup_free_ char *path = xasprintf("/%d/task/%d/stat", QEMU, QEMU);
	_cleanup_free_ char *text = xasprintf(
		"%d (qemu) %c 1 1 1 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 "
		"1 0 99 0 0\n",
		QEMU, state);

	staged_file(root, path, text, strlen(text));
}

static void thread_ends(const char *root, int tid)
{
	_cleanup_free_ char *path = xasprintf("%s/%d/task/%d", root, QEMU, tid);

	assert_success(paths_remove(path));
}

static char *root_with_two_threads(void)
{
	char *root = staged_root_new();

	leader_is(root, 'S');
	thread_has(root, QEMU, 1000, 5);
	thread_has(root, 702, 50000, 5);
	return root;
}

static void the_thread_that_waited_most_counts(void **state UNUSED)
{
	char *root = root_with_two_threads();
	struct harness_disturbance_watch watch;
	struct checks_disturbance found;

	harness_disturbance_begin(root, QEMU, &watch);
	thread_has(root, QEMU, 1300, 6);
	thread_has(root, 702, 50900, 6);
	harness_disturbance_end(&watch, true, 4, &found);
	assert_true(found.has);
	assert_string_equal(found.why, "");
	assert_int_equal(found.run_delay_ns, 900);
	assert_int_equal(found.longest_delay_ns, 900);
	assert_true(found.tcg);
	assert_int_equal(found.vcpus, 4);
	assert_true(found.wall_ns > 0);
	staged_root_free(root);
}

static void samples_bound_the_longest_wait(void **state UNUSED)
{
	char *root = root_with_two_threads();
	struct harness_disturbance_watch watch;
	struct checks_disturbance found;

	harness_disturbance_begin(root, QEMU, &watch);
	for (uint64_t delay = 50100; delay <= 50400; delay += 100) {
		thread_has(root, 702, delay, 6);
		harness_disturbance_sample(&watch);
	}
	harness_disturbance_end(&watch, false, 2, &found);
	assert_int_equal(found.run_delay_ns, 400);
	assert_int_equal(found.longest_delay_ns, 100);
	assert_false(found.tcg);
	staged_root_free(root);
}

static void a_new_thread_waited_since_it_was_made(void **state UNUSED)
{
	char *root = root_with_two_threads();
	struct harness_disturbance_watch watch;
	struct checks_disturbance found;

	harness_disturbance_begin(root, QEMU, &watch);
	/* Between the two that are known, and behind them. */
	thread_has(root, 701, 777, 1);
	harness_disturbance_sample(&watch);
	thread_has(root, 701, 800, 2);
	thread_has(root, 703, 5, 1);
	thread_has(root, 702, 50100, 2);
	harness_disturbance_end(&watch, false, 2, &found);
	assert_true(found.has);
	assert_int_equal(found.run_delay_ns, 800);
	assert_int_equal(found.longest_delay_ns, 777);
	staged_root_free(root);
}

static void a_thread_that_ended_keeps_what_it_waited(void **state UNUSED)
{
	char *root = root_with_two_threads();
	struct harness_disturbance_watch watch;
	struct checks_disturbance found;

	harness_disturbance_begin(root, QEMU, &watch);
	thread_has(root, 702, 50700, 6);
	harness_disturbance_sample(&watch);
	thread_ends(root, 702);
	harness_disturbance_end(&watch, false, 2, &found);
	assert_true(found.has);
	assert_int_equal(found.run_delay_ns, 700);
	staged_root_free(root);
}

static void a_reused_thread_id_does_not_give_a_negative_delay(void **state UNUSED)
{
	char *root = root_with_two_threads();
	struct harness_disturbance_watch watch;
	struct checks_disturbance found;

	harness_disturbance_begin(root, QEMU, &watch);
	thread_has(root, 702, 40, 1);
	harness_disturbance_end(&watch, false, 2, &found);
	assert_true(found.has);
	assert_int_equal(found.run_delay_ns, 40);
	staged_root_free(root);
}

static void assert_unknown(const struct checks_disturbance *found, const char *why)
{
	assert_false(found->has);
	assert_contains(found->why, why);
}

static void a_process_that_is_not_there_is_unknown(void **state UNUSED)
{
	char *root = staged_root_new();
	struct harness_disturbance_watch watch;
	struct checks_disturbance found;

	harness_disturbance_begin(root, QEMU, &watch);
	harness_disturbance_sample(&watch);
	harness_disturbance_end(&watch, true, 2, &found);
	assert_unknown(&found, "No such file");
	assert_true(found.tcg);
	staged_root_free(root);
}

static void a_process_that_dies_meanwhile_is_unknown(void **state UNUSED)
{
	char *root = root_with_two_threads();
	struct harness_disturbance_watch watch;
	struct checks_disturbance found;

	harness_disturbance_begin(root, QEMU, &watch);
	leader_is(root, 'Z');
	thread_has(root, QEMU, 1000000, 9);
	harness_disturbance_sample(&watch);
	/* Nothing that comes later makes it known again. */
	leader_is(root, 'S');
	harness_disturbance_end(&watch, true, 2, &found);
	assert_unknown(&found, "has ended");
	staged_root_free(root);
}

static void a_process_that_is_reaped_meanwhile_is_unknown(void **state UNUSED)
{
	char *root = root_with_two_threads();
	struct harness_disturbance_watch watch;
	struct checks_disturbance found;

	harness_disturbance_begin(root, QEMU, &watch);
	thread_ends(root, QEMU);
	thread_ends(root, 702);
	harness_disturbance_end(&watch, true, 2, &found);
	assert_unknown(&found, "");
	staged_root_free(root);
}

static void schedstat_that_is_always_zero_means_unknown_delay(void **state UNUSED)
{
	char *root = staged_root_new();
	struct harness_disturbance_watch watch;
	struct checks_disturbance found;

	leader_is(root, 'S');
	thread_has(root, QEMU, 0, 0);
	thread_has(root, 702, 0, 0);
	harness_disturbance_begin(root, QEMU, &watch);
	harness_disturbance_end(&watch, true, 2, &found);
	assert_unknown(&found, "does not count");
	staged_root_free(root);
}

static void malformed_schedstat_means_unknown_delay(void **state UNUSED)
{
	char *root = root_with_two_threads();
	struct harness_disturbance_watch watch;
	struct checks_disturbance found;

	harness_disturbance_begin(root, QEMU, &watch);
	staged_file(root, "/700/task/702/schedstat", "1 2", 3);
	harness_disturbance_end(&watch, true, 2, &found);
	assert_unknown(&found, "three numbers");
	staged_root_free(root);
}

static void a_disturbance_watch_can_be_freed_twice(void **state UNUSED)
{
	char *root = root_with_two_threads();
	struct harness_disturbance_watch watch, empty = { 0 };
	struct checks_disturbance found;

	harness_disturbance_begin(root, QEMU, &watch);
	harness_disturbance_watch_deinit(&watch);
	harness_disturbance_watch_deinit(&watch);
	harness_disturbance_watch_deinit(&empty);
	harness_disturbance_end(&watch, true, 2, &found);
	assert_unknown(&found, "nothing was watched");
	staged_root_free(root);
}

static void this_very_process_can_be_watched(void **state UNUSED)
{
	struct harness_disturbance_watch watch;
	struct checks_disturbance found;

	skip_unless(access("/proc/self/schedstat", R_OK) == 0, "this kernel has no schedstat");
	harness_disturbance_begin("/proc", getpid(), &watch);
	harness_disturbance_sample(&watch);
	harness_disturbance_end(&watch, false, 1, &found);
	skip_unless(found.has, "unknown here: %s", found.why);
	assert_true(found.longest_delay_ns <= found.run_delay_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_thread_that_waited_most_counts),
		cmocka_unit_test(samples_bound_the_longest_wait),
		cmocka_unit_test(a_new_thread_waited_since_it_was_made),
		cmocka_unit_test(a_thread_that_ended_keeps_what_it_waited),
		cmocka_unit_test(a_reused_thread_id_does_not_give_a_negative_delay),
		cmocka_unit_test(a_process_that_is_not_there_is_unknown),
		cmocka_unit_test(a_process_that_dies_meanwhile_is_unknown),
		cmocka_unit_test(a_process_that_is_reaped_meanwhile_is_unknown),
		cmocka_unit_test(schedstat_that_is_always_zero_means_unknown_delay),
		cmocka_unit_test(malformed_schedstat_means_unknown_delay),
		cmocka_unit_test(a_disturbance_watch_can_be_freed_twice),
		cmocka_unit_test(this_very_process_can_be_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
