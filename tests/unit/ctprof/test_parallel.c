// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/stages.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "fake_proc.h"

enum { ITEMS = 1000 };

struct work {
	atomic_int done[ITEMS];
	atomic_uint workers; /* bits */
	size_t largest;	     /* with one worker */
	struct cancel *cancel;
};

static void do_items(void *arg, unsigned int worker, size_t begin, size_t end)
{
	struct work *work = arg;

	for (size_t i = begin; i < end; i++)
		atomic_fetch_add(&work->done[i], 1);
	atomic_fetch_or(&work->workers, 1U << worker);
	if (end - begin > work->largest && !worker)
		work->largest = end - begin;
	if (work->cancel && begin >= 100)
		cancel_request(work->cancel);
}

static void every_item_is_done_once(void **state UNUSED)
{
	static const struct {
		unsigned int jobs;
		size_t n, chunk;
	} rows[] = { { 1, ITEMS, 1 }, { 4, ITEMS, 7 }, { 8, ITEMS, ITEMS },
		     { 8, 3, 1 },     { 2, 0, 4 },     { 3, ITEMS, 2000 } };

	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		struct work work = { .largest = 0 };

		ctprof_parallel_run(rows[r].jobs, rows[r].n, rows[r].chunk, NULL, do_items, &work);
		for (size_t i = 0; i < ITEMS; i++)
			assert_int_equal(atomic_load(&work.done[i]), i < rows[r].n);
		assert_true(work.largest <= rows[r].chunk);
		assert_true(atomic_load(&work.workers) >> rows[r].jobs == 0);
	}
}

static void a_cancel_ends_the_work(void **state UNUSED)
{
	struct cancel cancel = { 0 };
	struct work work = { .cancel = &cancel };

	ctprof_parallel_run(1, ITEMS, 10, &cancel, do_items, &work);
	assert_int_equal(atomic_load(&work.done[109]), 1);
	assert_int_equal(atomic_load(&work.done[110]), 0);
}

static void jobs_are_limited_by_the_number_of_items(void **state UNUSED)
{
	struct ctprof_options options = { .root = "", .jobs = 4 };

	assert_int_equal(ctprof_parallel_jobs(&options, 100), 4);
	assert_int_equal(ctprof_parallel_jobs(&options, 3), 3);
	assert_int_equal(ctprof_parallel_jobs(&options, 0), 1);
	options.jobs = 1000000;
	assert_int_equal(ctprof_parallel_jobs(&options, 1000000), 256);
	options.jobs = 0;
	assert_true(ctprof_parallel_jobs(&options, 1000) >= 1);
}

static unsigned int spare(unsigned int cpus, const char *loadavg)
{
	return ctprof_spare_cpus(cpus, loadavg, strlen(loadavg));
}

static void default_jobs_leave_room_for_the_load(void **state UNUSED)
{
	assert_int_equal(spare(16, "9.50 1.00 1.00 1/100 7\n"), 6);
	assert_int_equal(spare(16, "10.00 0 0"), 6);
	assert_int_equal(spare(16, "9.99 0 0"), 6);
	assert_int_equal(spare(16, "10.01 0 0"), 5);
}

static void default_jobs_are_between_1_and_half_the_cpus_plus_1(void **state UNUSED)
{
	assert_int_equal(spare(16, "0.00 0 0"), 9);
	assert_int_equal(spare(16, "400.00 0 0"), 1);
	assert_int_equal(spare(16, "15.50 0 0"), 1);
	assert_int_equal(spare(1, "0.00 0 0"), 1);
	assert_int_equal(spare(2, "0.00 0 0"), 2);
}

static void an_unreadable_load_counts_as_0(void **state UNUSED)
{
	static const char *const bad[] = { "", "x", "1.xx", "99999999999.00", "-1.00" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(spare(8, bad[i]), 5);
}

static void the_load_is_read_below_a_root(void **state UNUSED)
{
	char *root = staged_root_new();
	cpu_set_t ours;
	int cpus;

	assert_int_equal(sched_getaffinity(0, sizeof(ours), &ours), 0);
	cpus = CPU_COUNT(&ours);
	fake_text(root, "/proc/loadavg", "100000.00 0 0 1/1 1\n");
	assert_int_equal(ctprof_parallel_jobs(&(struct ctprof_options){ .root = root }, SIZE_MAX),
			 1);
	fake_text(root, "/proc/loadavg", "0.00 0 0 1/1 1\n");
	assert_int_equal(ctprof_parallel_jobs(&(struct ctprof_options){ .root = root }, SIZE_MAX),
			 cpus > 1 ? cpus / 2 + 1 : 1);
	staged_root_free(root);
}

#define MOUNTS "25 1 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"

static unsigned int available(const char *cgroup, const char *of_a, const char *of_b)
{
	char *root = staged_root_new();
	unsigned int cpus;

	fake_text(root, "/proc/self/mountinfo", MOUNTS);
	fake_text(root, "/proc/self/cgroup", cgroup);
	if (of_a)
		fake_text(root, "/sys/fs/cgroup/a/cpu.max", of_a);
	if (of_b)
		fake_text(root, "/sys/fs/cgroup/a/b/cpu.max", of_b);
	cpus = ctprof_spare_cpus_available(root, 64);
	staged_root_free(root);
	return cpus;
}

/* As Rust's available_parallelism(): the tightest quota on the way up, rounded down, at least 1. */
static void the_quota_of_our_cgroup_and_those_above_count(void **state UNUSED)
{
	assert_int_equal(available("0::/a/b\n", "max 100000\n", "max 100000\n"), 64);
	assert_int_equal(available("0::/a/b\n", "max 100000\n", "250000 100000\n"), 2);
	assert_int_equal(available("0::/a/b\n", "300000 50000\n", "max 100000\n"), 6);
	assert_int_equal(available("0::/a/b\n", "300000 50000\n", "900000 100000\n"), 6);
	assert_int_equal(available("0::/a/b\n", NULL, "1000 100000\n"), 1);
	assert_int_equal(available("0::/a/b\n", NULL, "700000 0\n"), 64);
	assert_int_equal(available("0::/a\n", "400000 100000\n", "100000 100000\n"), 4);
	assert_int_equal(available("0::/\n", "400000 100000\n", NULL), 64);
	assert_int_equal(available("7:cpu:/a\n", "400000 100000\n", NULL), 64);
}

static void cpus_that_we_may_not_use_do_not_count(void **state UNUSED)
{
	cpu_set_t ours, one;
	int cpu = 0;
	char *root;

	assert_int_equal(sched_getaffinity(0, sizeof(ours), &ours), 0);
	skip_unless(CPU_COUNT(&ours) > 1, "needs two CPUs");
	root = staged_root_new();
	fake_text(root, "/proc/loadavg", "0.00 0 0 1/1 1\n");
	while (!CPU_ISSET(cpu, &ours))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(ctprof_parallel_jobs(&(struct ctprof_options){ .root = root }, SIZE_MAX),
			 1);
	assert_int_equal(sched_setaffinity(0, sizeof(ours), &ours), 0);
	staged_root_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_item_is_done_once),
		cmocka_unit_test(a_cancel_ends_the_work),
		cmocka_unit_test(jobs_are_limited_by_the_number_of_items),
		cmocka_unit_test(default_jobs_leave_room_for_the_load),
		cmocka_unit_test(default_jobs_are_between_1_and_half_the_cpus_plus_1),
		cmocka_unit_test(an_unreadable_load_counts_as_0),
		cmocka_unit_test(the_load_is_read_below_a_root),
		cmocka_unit_test(the_quota_of_our_cgroup_and_those_above_count),
		cmocka_unit_test(cpus_that_we_may_not_use_do_not_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
