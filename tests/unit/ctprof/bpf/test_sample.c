// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/bpf/sample.h"

#include "unit.h"

enum {
	EVERY_DELAY = ((1 << CTPROF_BPF_N_DELAYS) - 1) << CTPROF_BPF_HAS_DELAY_KINDS_SHIFT,
	EVERYTHING = 0x3fff | EVERY_DELAY,
	KTHREAD = 0x200000,
	WQ_WORKER = 0x20,
	MS = 1000000,
};

static const struct ctprof_bpf_rules all_rules = {
	.user_hz = 100,
	.page_size = 4096,
	.shows_sched = true,
	.shows_slice = true,
	.shows_stats = true,
	.shows_core_forceidle = true,
	.shows_ext = true,
	.counts_cpu_delays = true,
	.counts_delays = true,
	.has_cpus = true,
};

static struct metric_thread_sample sample_of(const struct ctprof_bpf_record *record,
					     const struct ctprof_bpf_rules *rules)
{
	struct metric_thread_sample sample = { 0 };

	ctprof_bpf_sample_set(record, rules, METRIC_ALL_SOURCES, &sample);
	return sample;
}

static bool has(const struct metric_thread_sample *sample, enum metric_source source)
{
	return sample->sources >> source & 1;
}

static void expect_split(uint64_t ran, uint64_t utime, uint64_t stime, uint64_t prev_utime,
			 uint64_t prev_stime, uint64_t wanted_utime, uint64_t wanted_stime)
{
	struct ctprof_bpf_record record = {
		.sum_exec_runtime_ns = ran,
		.utime_ns = utime,
		.stime_ns = stime,
		.prev_utime_ns = prev_utime,
		.prev_stime_ns = prev_stime,
	};
	uint64_t u, s;

	ctprof_bpf_split_time(&record, &u, &s);
	assert_int_equal(u, wanted_utime);
	assert_int_equal(s, wanted_stime);
}

static void run_time_is_split_by_the_ratio_of_user_and_system_ticks(void **state)
{
	(void)state;
	/* No system tick: all of it is user time; no user tick: all system. */
	expect_split(1000, 7, 0, 0, 0, 1000, 0);
	expect_split(1000, 0, 0, 0, 0, 1000, 0);
	expect_split(1000, 0, 7, 0, 0, 0, 1000);
	expect_split(1000, 3, 1, 0, 0, 750, 250);
	/* Rounded down for the system, the rest is the user's. */
	expect_split(1000, 2, 1, 0, 0, 667, 333);
	/* 100 years against 50: the product needs more than 64 bits. */
	expect_split(3000000000000000000, 1000000000000000000, 500000000000000000, 0, 0,
		     2000000000000000000, 1000000000000000000);
}

static void user_and_system_time_never_decrease(void **state)
{
	(void)state;
	/* Already told as much as ran: the same again. */
	expect_split(1000, 1, 1, 600, 400, 600, 400);
	expect_split(1000, 1, 1, 700, 400, 700, 400);
	/* The ratio says 500 and 500, but 600 of the system were told. */
	expect_split(1000, 1, 1, 100, 600, 400, 600);
	/* The ratio says 500 and 500, but 800 of the user were told. */
	expect_split(1000, 1, 1, 800, 100, 800, 200);
}

static void stat_is_in_ticks_and_moved_priorities(void **state)
{
	struct ctprof_bpf_record record = {
		.has = EVERYTHING,
		.start_boottime_ns = 12345ULL * 10 * MS + 9999999,
		.boottime_offset_ns = -45LL * 10 * MS,
		.sum_exec_runtime_ns = 39 * MS,
		.utime_ns = 3,
		.stime_ns = 1,
		.prio = 120,
		.static_prio = 127,
		.policy = 3,
		.rt_priority = 0,
		.cpu = 5,
		.min_flt = 11,
		.maj_flt = 12,
	};
	struct metric_thread_sample sample = sample_of(&record, &all_rules);

	(void)state;
	assert_true(has(&sample, METRIC_SOURCE_STAT));
	assert_int_equal(sample.start_ticks, 12300);
	/* 29.25 and 9.75 ms. */
	assert_int_equal(sample.values[METRIC_UTIME_CLOCK_TICKS], 2);
	assert_int_equal(sample.values[METRIC_STIME_CLOCK_TICKS], 0);
	assert_int_equal((int64_t)sample.values[METRIC_PRIORITY], 20);
	assert_int_equal((int64_t)sample.values[METRIC_NICE], 7);
	assert_int_equal(sample.values[METRIC_POLICY], 3);
	assert_int_equal(sample.values[METRIC_PROCESSOR], 5);
	assert_int_equal(sample.values[METRIC_MINFLT], 11);
	assert_int_equal(sample.values[METRIC_MAJFLT], 12);
	record.prio = -1;
	record.static_prio = 100;
	sample = sample_of(&record, &all_rules);
	assert_int_equal((int64_t)sample.values[METRIC_PRIORITY], -101);
	assert_int_equal((int64_t)sample.values[METRIC_NICE], -20);
}

static void stat_times_that_bpf_cannot_compute_are_left_to_proc(void **state)
{
	struct ctprof_bpf_record record = { .has = EVERYTHING };
	struct ctprof_bpf_rules rules = all_rules;
	struct metric_thread_sample sample;

	(void)state;
	rules.is_vtime_used = true;
	sample = sample_of(&record, &rules);
	assert_false(has(&sample, METRIC_SOURCE_STAT));
	assert_false(metric_sample_knows(&sample, METRIC_MINFLT));
	record.has &= ~CTPROF_BPF_HAS_PREV_CPUTIME;
	sample = sample_of(&record, &all_rules);
	assert_false(has(&sample, METRIC_SOURCE_STAT));
}

static void expect_state(unsigned int state, unsigned int exit_state, char wanted)
{
	struct ctprof_bpf_record record = { .has = EVERYTHING,
					    .state = state,
					    .exit_state = exit_state };
	struct metric_thread_sample sample = sample_of(&record, &all_rules);

	assert_true(has(&sample, METRIC_SOURCE_STATUS));
	assert_int_equal(sample.values[METRIC_STATE], (uint8_t)wanted);
}

static void states_have_their_letters(void **state)
{
	struct ctprof_bpf_record frozen = { .has = EVERYTHING, .state = 0x8000 };
	struct metric_thread_sample sample;

	(void)state;
	expect_state(0, 0, 'R');
	expect_state(0x1, 0, 'S');
	expect_state(0x2001, 0, 'S'); /* may be frozen */
	expect_state(0x2, 0, 'D');
	expect_state(0x102, 0, 'D'); /* killable */
	expect_state(0x402, 0, 'I');
	expect_state(0x4 | 0x100, 0, 'T');
	expect_state(0x8, 0, 't');
	expect_state(0x40, 0, 'P');
	expect_state(0x80, 0x20, 'Z'); /* dead, not yet waited for */
	expect_state(0x80, 0x10, 'X');
	expect_state(0x200, 0, 'R'); /* waking */
	sample = sample_of(&frozen, &all_rules);
	assert_false(has(&sample, METRIC_SOURCE_STATUS));
}

static void only_a_group_leader_has_a_thread_count(void **state)
{
	struct ctprof_bpf_record record = {
		.has = EVERYTHING, .tid = 5, .tgid = 5, .nr_threads = 9, .nvcsw = 3, .nivcsw = 4
	};
	struct metric_thread_sample sample = sample_of(&record, &all_rules);

	(void)state;
	assert_true(metric_sample_knows(&sample, METRIC_NR_THREADS));
	assert_int_equal(sample.values[METRIC_NR_THREADS], 9);
	assert_int_equal(sample.values[METRIC_VOLUNTARY_CSW], 3);
	assert_int_equal(sample.values[METRIC_NONVOLUNTARY_CSW], 4);
	record.tid = 6;
	sample = sample_of(&record, &all_rules);
	assert_false(metric_sample_knows(&sample, METRIC_NR_THREADS));
	assert_int_equal(sample.tid, 6);
	assert_int_equal(sample.tgid, 5);
}

static void the_slice_has_a_line_for_fair_policies_only(void **state)
{
	struct ctprof_bpf_record record = { .has = EVERYTHING,
					    .slice_ns = 2800000,
					    .nr_migrations = 8 };
	struct ctprof_bpf_rules rules = all_rules;
	struct metric_thread_sample sample;

	(void)state;
	for (unsigned int policy = 0; policy < 8; policy++) {
		record.policy = policy;
		sample = sample_of(&record, &all_rules);
		assert_int_equal(metric_sample_knows(&sample, METRIC_FAIR_SLICE_NS),
				 policy == 0 || policy == 3 || policy == 7);
		assert_int_equal(sample.values[METRIC_NR_MIGRATIONS], 8);
	}
	assert_int_equal(sample.values[METRIC_FAIR_SLICE_NS], 2800000);
	/* Kernels before do not print it although they have it. */
	rules.shows_slice = false;
	sample = sample_of(&record, &rules);
	assert_false(metric_sample_knows(&sample, METRIC_FAIR_SLICE_NS));
	assert_true(has(&sample, METRIC_SOURCE_SCHED));
}

static void statistics_are_known_while_the_kernel_keeps_them(void **state)
{
	struct ctprof_bpf_record record = { .has = EVERYTHING };
	struct ctprof_bpf_rules rules = all_rules;
	struct metric_thread_sample sample;

	(void)state;
	for (unsigned int i = 0; i < CTPROF_BPF_N_STATS; i++)
		record.stats[i] = i + 1;
	record.stats[CTPROF_BPF_STAT_sum_sleep_runtime] = 1000;
	record.stats[CTPROF_BPF_STAT_sum_block_runtime] = 300;
	sample = sample_of(&record, &all_rules);
	assert_int_equal(sample.values[METRIC_WAIT_SUM], CTPROF_BPF_STAT_wait_sum + 1);
	assert_int_equal(sample.values[METRIC_NR_WAKEUPS_AFFINE_ATTEMPTS],
			 CTPROF_BPF_STAT_nr_wakeups_affine_attempts + 1);
	assert_int_equal(sample.values[METRIC_VOLUNTARY_SLEEP_NS], 700);
	assert_int_equal(sample.values[METRIC_BLOCK_SUM], 300);
	record.stats[CTPROF_BPF_STAT_sum_block_runtime] = 1001;
	sample = sample_of(&record, &all_rules);
	assert_true(metric_sample_knows(&sample, METRIC_VOLUNTARY_SLEEP_NS));
	assert_int_equal(sample.values[METRIC_VOLUNTARY_SLEEP_NS], 0);
	rules.shows_stats = false;
	sample = sample_of(&record, &rules);
	assert_true(has(&sample, METRIC_SOURCE_SCHED));
	assert_false(metric_sample_knows(&sample, METRIC_WAIT_SUM));
	assert_false(metric_sample_knows(&sample, METRIC_VOLUNTARY_SLEEP_NS));
	assert_true(metric_sample_knows(&sample, METRIC_NR_MIGRATIONS));
}

static void times_below_0_are_counted_as_the_file_shows_them(void **state)
{
	struct ctprof_bpf_record record = { .has = EVERYTHING };
	struct metric_thread_sample sample = { 0 };

	(void)state;
	/* "-5.000001", and "0.999999" of which the kernel has lost the sign. */
	record.stats[CTPROF_BPF_STAT_wait_max] = (uint64_t)-5000001;
	record.stats[CTPROF_BPF_STAT_sleep_max] = (uint64_t)-999999;
	record.stats[CTPROF_BPF_STAT_sum_sleep_runtime] = (uint64_t)-1000000;
	assert_int_equal(ctprof_bpf_sample_set(&record, &all_rules, METRIC_ALL_SOURCES, &sample),
			 2);
	assert_false(metric_sample_knows(&sample, METRIC_WAIT_MAX));
	assert_true(metric_sample_knows(&sample, METRIC_SLEEP_MAX));
	assert_int_equal(sample.values[METRIC_SLEEP_MAX], 999999);
	assert_false(metric_sample_knows(&sample, METRIC_VOLUNTARY_SLEEP_NS));
	assert_true(metric_sample_knows(&sample, METRIC_BLOCK_SUM));
}

static void a_line_that_a_record_cannot_give_leaves_the_file_to_proc(void **state)
{
	static const unsigned int needed[] = { CTPROF_BPF_HAS_STATS, CTPROF_BPF_HAS_EXT,
					       CTPROF_BPF_HAS_SLICE,
					       CTPROF_BPF_HAS_CORE_FORCEIDLE };
	struct ctprof_bpf_rules rules = all_rules;
	struct metric_thread_sample sample;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		struct ctprof_bpf_record record = { .has = EVERYTHING & ~needed[i] };

		sample = sample_of(&record, &all_rules);
		assert_false(has(&sample, METRIC_SOURCE_SCHED));
		assert_false(metric_sample_knows(&sample, METRIC_NR_MIGRATIONS));
	}
	rules.shows_sched = false;
	sample = sample_of(&(struct ctprof_bpf_record){ .has = EVERYTHING }, &rules);
	assert_false(has(&sample, METRIC_SOURCE_SCHED));
}

static void delays_are_known_as_far_as_the_kernel_has_them(void **state)
{
	struct ctprof_bpf_record record = {
		.has = EVERYTHING &
		       ~(1 << (CTPROF_BPF_HAS_DELAY_KINDS_SHIFT + CTPROF_BPF_DELAY_irq)),
		.pcount = 7,
		.run_delay_ns = 8,
		.max_run_delay_ns = 5,
		.min_run_delay_ns = 1,
		.delays = { [CTPROF_BPF_DELAY_swapin] = { 1, 2, 3, 4 } },
	};
	struct ctprof_bpf_rules rules = all_rules;
	struct metric_thread_sample sample = sample_of(&record, &all_rules);

	(void)state;
	assert_true(sample.taskstats_ok);
	assert_int_equal(sample.values[METRIC_CPU_DELAY_COUNT], 7);
	assert_int_equal(sample.values[METRIC_CPU_DELAY_TOTAL_NS], 8);
	assert_int_equal(sample.values[METRIC_CPU_DELAY_MAX_NS], 5);
	assert_int_equal(sample.values[METRIC_CPU_DELAY_MIN_NS], 1);
	assert_int_equal(sample.values[METRIC_SWAPIN_DELAY_COUNT], 1);
	assert_int_equal(sample.values[METRIC_SWAPIN_DELAY_TOTAL_NS], 2);
	assert_int_equal(sample.values[METRIC_SWAPIN_DELAY_MAX_NS], 3);
	assert_int_equal(sample.values[METRIC_SWAPIN_DELAY_MIN_NS], 4);
	assert_true(metric_sample_knows(&sample, METRIC_WPCOPY_DELAY_COUNT));
	assert_false(metric_sample_knows(&sample, METRIC_IRQ_DELAY_COUNT));
	record.has &= ~(CTPROF_BPF_HAS_DELAY_EXTREMES | CTPROF_BPF_HAS_RUN_DELAY_EXTREMES);
	sample = sample_of(&record, &all_rules);
	assert_true(metric_sample_knows(&sample, METRIC_SWAPIN_DELAY_TOTAL_NS));
	assert_false(metric_sample_knows(&sample, METRIC_SWAPIN_DELAY_MAX_NS));
	assert_false(metric_sample_knows(&sample, METRIC_CPU_DELAY_MIN_NS));
	/* Born while it was switched off: not 0, not known. */
	record.has |= CTPROF_BPF_LACKS_DELAYS;
	sample = sample_of(&record, &all_rules);
	assert_true(has(&sample, METRIC_SOURCE_DELAY_CPU));
	assert_false(has(&sample, METRIC_SOURCE_DELAY_BLOCK));
	assert_false(metric_sample_knows(&sample, METRIC_SWAPIN_DELAY_COUNT));
	assert_int_equal(sample.uncounted, METRIC_SOURCE_BIT(DELAY_BLOCK));
	record.has &= ~CTPROF_BPF_LACKS_DELAYS;
	/* Switched off: the CPU's are counted all the same. */
	rules.counts_delays = false;
	sample = sample_of(&record, &rules);
	assert_true(has(&sample, METRIC_SOURCE_DELAY_CPU));
	assert_false(has(&sample, METRIC_SOURCE_DELAY_BLOCK));
}

static void schedstat_io_and_watermarks_are_copied_from_the_record(void **state)
{
	struct ctprof_bpf_record record = {
		.has = EVERYTHING,
		.sum_exec_runtime_ns = 1,
		.run_delay_ns = 2,
		.pcount = 3,
		.hiwater_rss_pages = 4,
		.hiwater_vm_pages = 5,
		.io = { 1, 2, 3, 4, 5, 6, 7 },
	};
	struct metric_thread_sample sample = sample_of(&record, &all_rules);

	(void)state;
	assert_int_equal(sample.values[METRIC_RUN_TIME_NS], 1);
	assert_int_equal(sample.values[METRIC_WAIT_TIME_NS], 2);
	assert_int_equal(sample.values[METRIC_TIMESLICES], 3);
	assert_int_equal(sample.values[METRIC_HIWATER_RSS_BYTES], 16384);
	assert_int_equal(sample.values[METRIC_HIWATER_VM_BYTES], 20480);
	assert_int_equal(sample.values[METRIC_RCHAR], 1);
	assert_int_equal(sample.values[METRIC_SYSCW], 4);
	assert_int_equal(sample.values[METRIC_CANCELLED_WRITE_BYTES], 7);
	record.has = 0;
	sample = sample_of(&record, &all_rules);
	assert_int_equal(sample.sources, METRIC_SOURCE_BIT(STATUS));
}

static void only_the_wanted_sources_are_set(void **state)
{
	struct ctprof_bpf_record record = { .has = EVERYTHING };
	struct metric_thread_sample sample = { 0 };

	(void)state;
	ctprof_bpf_sample_set(&record, &all_rules, METRIC_SOURCE_BIT(IO), &sample);
	assert_int_equal(sample.sources, METRIC_SOURCE_BIT(IO));
	assert_false(metric_sample_knows(&sample, METRIC_MINFLT));
	assert_true(metric_sample_knows(&sample, METRIC_RCHAR));
}

static void expect_name(unsigned int flags, unsigned int bits, const char *name, const char *leader,
			const char *wanted, const char *wanted_leader)
{
	struct ctprof_bpf_record record = { .has = bits, .flags = flags };
	struct slice got;

	memcpy(record.name, name, strlen(name));
	memcpy(record.leader_comm, leader, strlen(leader));
	assert_int_equal(ctprof_bpf_sample_name(&record, &got), wanted != NULL);
	if (wanted)
		assert_true(slice_equal(got, wanted));
	assert_int_equal(ctprof_bpf_sample_leader_name(&record, &got), wanted_leader != NULL);
	if (wanted_leader)
		assert_true(slice_equal(got, wanted_leader));
}

static void record_without_tid_or_tgid_is_not_listed(void **state)
{
	struct ctprof_bpf_record record = { .tid = 7, .tgid = 7 };

	(void)state;
	assert_true(ctprof_bpf_sample_is_listed(&record));
	record.tid = 0;
	assert_false(ctprof_bpf_sample_is_listed(&record));
	record = (struct ctprof_bpf_record){ .tid = 7 };
	assert_false(ctprof_bpf_sample_is_listed(&record));
}

static void names_are_those_of_the_files(void **state)
{
	(void)state;
	expect_name(0, 0, "a (b) c", "leader", "a (b) c", "leader");
	expect_name(0, 0, "  both ends \t", " l", "both ends", "l");
	expect_name(0, 0, "   ", "leader", NULL, "leader");
	/* 16 bytes of a process's name have room for 15. */
	expect_name(0, 0, "123456789012345", "123456789012345", "123456789012345",
		    "123456789012345");
	/* Kernel threads: a longer name of their own, workers only in the file. */
	expect_name(KTHREAD, CTPROF_BPF_HAS_FULL_NAME, "a_name_of_a_kernel_thread",
		    "a_name_of_a_ker", "a_name_of_a_kernel_thread", "a_name_of_a_kernel_thread");
	expect_name(KTHREAD, 0, "short", "short", NULL, NULL);
	expect_name(KTHREAD | WQ_WORKER, CTPROF_BPF_HAS_FULL_NAME, "kworker/0:1", "kworker/0:1",
		    NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_time_is_split_by_the_ratio_of_user_and_system_ticks),
		cmocka_unit_test(user_and_system_time_never_decrease),
		cmocka_unit_test(stat_is_in_ticks_and_moved_priorities),
		cmocka_unit_test(stat_times_that_bpf_cannot_compute_are_left_to_proc),
		cmocka_unit_test(states_have_their_letters),
		cmocka_unit_test(only_a_group_leader_has_a_thread_count),
		cmocka_unit_test(the_slice_has_a_line_for_fair_policies_only),
		cmocka_unit_test(statistics_are_known_while_the_kernel_keeps_them),
		cmocka_unit_test(times_below_0_are_counted_as_the_file_shows_them),
		cmocka_unit_test(a_line_that_a_record_cannot_give_leaves_the_file_to_proc),
		cmocka_unit_test(delays_are_known_as_far_as_the_kernel_has_them),
		cmocka_unit_test(schedstat_io_and_watermarks_are_copied_from_the_record),
		cmocka_unit_test(only_the_wanted_sources_are_set),
		cmocka_unit_test(record_without_tid_or_tgid_is_not_listed),
		cmocka_unit_test(names_are_those_of_the_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
