// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/bpf/sample.h"

#include <pthread.h>
#include <unistd.h>

#include "fake_proc.h"

static uint64_t parse(const char *loadavg)
{
	uint64_t n = UINT64_MAX;

	return ctprof_thread_count_parse(loadavg, strlen(loadavg), &n) ? n : UINT64_MAX;
}

static void the_number_behind_the_slash_counts(void **state UNUSED)
{
	assert_true(parse("6.88 21.98 34.38 3/1174 40211\n") == 1174);
	assert_true(parse("0.00 0.00 0.00 0/1 1\n") == 1);
	assert_true(parse("0.00 0.00 0.00 12/4194304") == 4194304);
}

static void what_is_no_number_is_not_known(void **state UNUSED)
{
	static const char *const bad[] = { "",
					   "1.00 2.00 3.00",
					   "1.00 2.00 3.00 7 9",
					   "1.00 2.00 3.00 7/ 9",
					   "1.00 2.00 3.00 7/x 9",
					   "1.00 2.00 3.00 7/-1 9",
					   "1.00 2.00 3.00 7/99999999999999999999 9",
					   "1/2 3 4" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (parse(bad[i]) != UINT64_MAX)
			fail_msg("'%s'", bad[i]);
}

static void a_machine_without_the_file_is_not_known(void **state UNUSED)
{
	char *root = staged_root_new();
	const struct ctprof_options options = { .root = root };
	uint64_t n = 7;

	assert_false(ctprof_thread_count_read(&options, &n));
	assert_true(n == 7);
	staged_root_free(root);
}

static void *wait_for_end(void *fds)
{
	char byte;

	if (read(((int *)fds)[0], &byte, 1) < 0)
		return fds;
	return NULL;
}

/* Ours are counted by ourselves; those of the machine are at least as many. */
static void threads_of_processes_are_those_of_their_folders(void **state UNUSED)
{
	const pid_t pids[] = { getpid(), INT32_MAX };
	struct ctprof_options options = { .root = "", .pids = pids, .n_pids = 2 };
	uint64_t before, after, all;
	pthread_t threads[3];
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	/* The first one brings the thread sanitizer's own with it. */
	assert_int_equal(pthread_create(&threads[0], NULL, wait_for_end, fds), 0);
	assert_true(ctprof_thread_count_read(&options, &before));
	assert_true(before >= 2);
	for (size_t i = 1; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, wait_for_end, fds), 0);
	assert_true(ctprof_thread_count_read(&options, &after));
	assert_true(after == before + ARRAY_SIZE(threads) - 1);
	options.n_pids = 0;
	assert_true(ctprof_thread_count_read(&options, &all));
	assert_true(all >= after);
	close(fds[1]);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	close(fds[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_number_behind_the_slash_counts),
		cmocka_unit_test(what_is_no_number_is_not_known),
		cmocka_unit_test(a_machine_without_the_file_is_not_known),
		cmocka_unit_test(threads_of_processes_are_those_of_their_folders),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
