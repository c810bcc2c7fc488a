// SPDX-License-Identifier: GPL-2.0-or-later
#include "work/group.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "base/clock.h"
#include "fixture.h"

static uint64_t burn_ns;

static void burn(void)
{
	struct timespec ts = { 0 };

	while (burn_ns && (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec < burn_ns)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
}

/* Every child uses 200 ms of CPU time before it is a worker, and has no 200 ms afterwards. */
static void cpu_time_counts_from_the_gate(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SLEEP, .workers = 1 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	_cleanup_work_group_ struct work_group *group = NULL;
	uint64_t run_ns, slices;
	struct work_report r;

	assert_success(work_gate_new(&gate));
	burn_ns = 200 * NS_PER_MS;
	group = started(gate, &spec, true);
	burn_ns = 0;
	sleep_ms(50);
	work_stop(group, PATIENCE_NS);
	work_sample(group, 0, &r);
	assert_int_equal(r.end, WORK_END_FINISHED);
	assert_true(kernel_says(r.pid, &run_ns, &slices));
	assert_true(run_ns >= 200 * NS_PER_MS);
	assert_true(r.cpu_ns > 0 && r.cpu_ns <= run_ns - 200 * NS_PER_MS + NS_PER_MS);
}

static void only_the_cpu_it_may_use_is_in_the_report(void **state UNUSED)
{
	cpu_set_t cpus;

	need_cpus(&cpus, 1);
	for (int n = 0; n < CPU_COUNT(&cpus) && n < 2; n++) {
		struct ktstr_work spec = { .kind = KTSTR_WORK_YIELD, .workers = 2 };
		_cleanup_work_gate_ struct work_gate *gate = NULL;
		_cleanup_work_group_ struct work_group *group = NULL;
		int cpu = nth_cpu(&cpus, n);

		assert_success(work_gate_new(&gate));
		pin(0, cpu);
		group = started(gate, &spec, true);
		sched_setaffinity(0, sizeof(cpus), &cpus);
		sleep_ms(50);
		work_stop(group, PATIENCE_NS);
		for (unsigned int i = 0; i < 2; i++) {
			struct work_report r;

			work_sample(group, i, &r);
			assert_int_equal(topo_cpuset_count(&r.cpus_used), 1);
			assert_true(topo_cpuset_has(&r.cpus_used, (unsigned int)cpu));
			assert_true(r.migrations == 0);
			assert_int_equal(r.gap_cpu, cpu);
		}
	}
}

/* A few milliseconds on another CPU, a few hundred at home: the visit must show. */
static void a_short_visit_to_another_cpu_is_in_the_report(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SPIN, .workers = 1 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	_cleanup_work_group_ struct work_group *group = NULL;
	struct work_report r;
	int home, abroad;
	cpu_set_t cpus;

	need_cpus(&cpus, 2);
	home = nth_cpu(&cpus, 0);
	abroad = nth_cpu(&cpus, 1);
	assert_success(work_gate_new(&gate));
	pin(0, home);
	group = started(gate, &spec, true);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	work_sample(group, 0, &r);
	wait_for_cpu_time(r.pid, 60 * NS_PER_MS);
	work_sample(group, 0, &r);
	assert_int_equal(topo_cpuset_count(&r.cpus_used), 1);
	pin(r.pid, abroad);
	wait_for_cpu_time(r.pid, 3 * NS_PER_MS);
	pin(r.pid, home);
	wait_for_cpu_time(r.pid, 60 * NS_PER_MS);
	work_stop(group, PATIENCE_NS);
	work_sample(group, 0, &r);
	assert_int_equal(topo_cpuset_count(&r.cpus_used), 2);
	assert_true(topo_cpuset_has(&r.cpus_used, (unsigned int)home));
	assert_true(topo_cpuset_has(&r.cpus_used, (unsigned int)abroad));
	assert_true(r.migrations == 2);
}

/* Two on one CPU: each waits while the other runs, and neither asked for sleep. */
static void run_delay_and_sleep_are_counted_separately(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SPIN, .workers = 2 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	_cleanup_work_group_ struct work_group *group = NULL;
	struct work_report r[2];
	uint64_t run_ns, slices;
	cpu_set_t cpus;

	need_cpus(&cpus, 1);
	assert_success(work_gate_new(&gate));
	pin(0, nth_cpu(&cpus, 0));
	group = started(gate, &spec, true);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	sleep_ms(150);
	work_stop(group, PATIENCE_NS);
	for (unsigned int i = 0; i < 2; i++) {
		work_sample(group, i, &r[i]);
		assert_true(r[i].sleep_ns == 0);
		assert_true(kernel_says(r[i].pid, &run_ns, &slices));
		assert_int_equal(r[i].has_run_delay, slices > 0);
	}
	assert_true(r[0].cpu_ns + r[1].cpu_ns <= 2 * (r[0].wall_ns + r[1].wall_ns) / 3);
	if (r[0].has_run_delay)
		assert_true(r[0].run_delay_ns + r[1].run_delay_ns >= 30 * NS_PER_MS);
}

static void a_worker_keeps_no_descriptor_and_no_handler_of_its_parent(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SLEEP, .workers = 1 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	_cleanup_work_group_ struct work_group *group = NULL;
	struct sigaction before, ours = { .sa_handler = SIG_IGN };
	unsigned long long caught = 1, ignored = 1;
	int fds[2], open_fds = 0;
	struct work_report r;
	char path[64], line[256];
	DIR *dir;
	FILE *f;

	assert_int_equal(pipe(fds), 0); /* not even close-on-exec */
	sigaction(SIGTERM, &ours, &before);
	assert_success(work_gate_new(&gate));
	group = started(gate, &spec, true);
	sigaction(SIGTERM, &before, NULL);
	work_sample(group, 0, &r);

	snprintf(path, sizeof(path), "/proc/%d/fd", r.pid);
	dir = opendir(path);
	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));)
		open_fds += entry->d_name[0] != '.' && atoi(entry->d_name) > 2;
	closedir(dir);
	assert_true(open_fds <= 2); /* schedstat, and the pipe until it is closed */

	snprintf(path, sizeof(path), "/proc/%d/status", r.pid);
	f = fopen(path, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "SigCgt: %llx", &caught);
		sscanf(line, "SigIgn: %llx", &ignored);
	}
	fclose(f);
	/* The two that belong to libc's threads are below no kind's reach. */
	assert_true((caught & 0x7fffffff) == 0 && (ignored & 0x7fffffff) == 0);

	/* The reader of the parent's pipe sees its end while the worker lives. */
	close(fds[1]);
	assert_int_equal(read(fds[0], line, 1), 0);
	close(fds[0]);
	kill(r.pid, SIGTERM);
	wait_for_end(group, 0, &r);
	assert_int_equal(r.end, WORK_END_SIGNALLED);
	assert_int_equal(r.code, SIGTERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_time_counts_from_the_gate),
		cmocka_unit_test(only_the_cpu_it_may_use_is_in_the_report),
		cmocka_unit_test(a_short_visit_to_another_cpu_is_in_the_report),
		cmocka_unit_test(run_delay_and_sleep_are_counted_separately),
		cmocka_unit_test(a_worker_keeps_no_descriptor_and_no_handler_of_its_parent),
	};
	pthread_atfork(NULL, NULL, burn);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
