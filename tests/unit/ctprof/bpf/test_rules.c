// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/bpf/sample.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "fake_proc.h"

#define OWN_SCHED "/proc/thread-self/sched"

static const char plain_sched[] = "self (7, #threads: 1)\n"
				  "-------------------------\n"
				  "se.exec_start                                :      30.123456\n"
				  "se.nr_migrations                             :              4\n"
				  "policy                                       :              0\n";
static const char full_sched[] = "self (7, #threads: 1)\n"
				 "-------------------------\n"
				 "se.nr_migrations                             :              4\n"
				 "wait_sum                                     :       0.000001\n"
				 "nr_wakeups                                   :              1\n"
				 "core_forceidle_sum                           :       0.000000\n"
				 "se.slice                                     :        2800000\n"
				 "ext.enabled                                  :              0\n";

static void own_proc_sched_file_tells_which_lines_the_kernel_shows(void **state)
{
	char *root = staged_root_new();
	struct ctprof_bpf_rules rules;

	(void)state;
	skip_unless(sched_getscheduler(0) == SCHED_OTHER, "the tests run with another policy");
	ctprof_bpf_rules_read(root, &rules);
	assert_false(rules.shows_sched);
	fake_text(root, OWN_SCHED, plain_sched);
	ctprof_bpf_rules_read(root, &rules);
	assert_true(rules.shows_sched);
	assert_false(rules.shows_slice || rules.shows_stats || rules.shows_core_forceidle ||
		     rules.shows_ext);
	fake_text(root, OWN_SCHED, full_sched);
	ctprof_bpf_rules_read(root, &rules);
	assert_true(rules.shows_slice && rules.shows_stats && rules.shows_core_forceidle &&
		    rules.shows_ext);
	staged_root_free(root);
}

static void the_slice_line_is_looked_up_in_process_1_if_missing(void **state)
{
	char *root = staged_root_new();
	struct ctprof_bpf_rules rules;

	(void)state;
	skip_unless(sched_getscheduler(1) == SCHED_OTHER, "process 1 has another policy");
	assert_int_equal(sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 }), 0);
	fake_text(root, OWN_SCHED, plain_sched);
	fake_text(root, "/proc/1/sched", full_sched);
	ctprof_bpf_rules_read(root, &rules);
	sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){ 0 });
	assert_true(rules.shows_slice);
	staged_root_free(root);
}

static void delay_accounting_depends_on_the_task_delayacct_sysctl(void **state)
{
	char *root = staged_root_new();
	struct ctprof_bpf_rules rules;

	(void)state;
	ctprof_bpf_rules_read(root, &rules);
	assert_false(rules.counts_cpu_delays || rules.counts_delays);
	fake_text(root, "/proc/sys/kernel/task_delayacct", "0\n");
	ctprof_bpf_rules_read(root, &rules);
	assert_true(rules.counts_cpu_delays && !rules.counts_delays);
	fake_text(root, "/proc/sys/kernel/task_delayacct", "1\n");
	ctprof_bpf_rules_read(root, &rules);
	assert_true(rules.counts_cpu_delays && rules.counts_delays);
	staged_root_free(root);
}

static void nohz_full_cpus_mean_vtime_accounting(void **state)
{
	char *root = staged_root_new();
	struct ctprof_bpf_rules rules;

	(void)state;
	ctprof_bpf_rules_read(root, &rules);
	assert_false(rules.is_vtime_used);
	fake_text(root, "/sys/devices/system/cpu/nohz_full", "(null)\n");
	ctprof_bpf_rules_read(root, &rules);
	assert_false(rules.is_vtime_used);
	fake_text(root, "/sys/devices/system/cpu/nohz_full", "\n");
	ctprof_bpf_rules_read(root, &rules);
	assert_false(rules.is_vtime_used);
	fake_text(root, "/sys/devices/system/cpu/nohz_full", "2-3\n");
	ctprof_bpf_rules_read(root, &rules);
	assert_true(rules.is_vtime_used);
	assert_int_equal(rules.user_hz, sysconf(_SC_CLK_TCK));
	assert_int_equal(rules.page_size, sysconf(_SC_PAGESIZE));
	staged_root_free(root);
}

static void online_cpus_are_a_mask(void **state)
{
	uint64_t cpus[CTPROF_BPF_RECORD_CPU_WORDS] = { 0 };
	char *root = staged_root_new();
	struct ctprof_bpf_rules rules;

	(void)state;
	assert_true(ctprof_bpf_rules_parse_cpus("0-3,5,64,1023\n", 14, cpus));
	assert_int_equal(cpus[0], 0x2f);
	assert_int_equal(cpus[1], 1);
	assert_int_equal(cpus[15], UINT64_C(1) << 63);
	assert_false(ctprof_bpf_rules_parse_cpus("0-1024", 6, cpus));
	assert_false(ctprof_bpf_rules_parse_cpus("", 0, cpus));
	ctprof_bpf_rules_read(root, &rules);
	assert_false(rules.has_cpus);
	fake_text(root, "/sys/devices/system/cpu/online", "0-7\n");
	ctprof_bpf_rules_read(root, &rules);
	assert_true(rules.has_cpus);
	assert_int_equal(rules.cpus[0], 0xff);
	staged_root_free(root);
}

static uint64_t parse(const char *loadavg)
{
	uint64_t n = UINT64_MAX;

	return ctprof_thread_count_parse(loadavg, strlen(loadavg), &n) ? n : UINT64_MAX;
}

static void thread_count_is_the_number_after_the_slash_of_loadavg(void **state UNUSED)
{
	assert_true(parse("6.88 21.98 34.38 3/1174 40211\n") == 1174);
	assert_true(parse("0.00 0.00 0.00 0/1 1\n") == 1);
	assert_true(parse("0.00 0.00 0.00 12/4194304") == 4194304);
}

static void malformed_loadavg_gives_no_thread_count(void **state UNUSED)
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

static void missing_loadavg_gives_no_thread_count(void **state UNUSED)
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
static void threads_of_chosen_processes_are_counted_in_their_task_directories(void **state UNUSED)
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
		cmocka_unit_test(own_proc_sched_file_tells_which_lines_the_kernel_shows),
		cmocka_unit_test(the_slice_line_is_looked_up_in_process_1_if_missing),
		cmocka_unit_test(delay_accounting_depends_on_the_task_delayacct_sysctl),
		cmocka_unit_test(nohz_full_cpus_mean_vtime_accounting),
		cmocka_unit_test(online_cpus_are_a_mask),
		cmocka_unit_test(thread_count_is_the_number_after_the_slash_of_loadavg),
		cmocka_unit_test(malformed_loadavg_gives_no_thread_count),
		cmocka_unit_test(missing_loadavg_gives_no_thread_count),
		cmocka_unit_test(threads_of_chosen_processes_are_counted_in_their_task_directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
