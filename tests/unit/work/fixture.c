// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"

#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "procfs/task.h"

void sleep_ms(unsigned int ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };

	nanosleep(&ts, NULL);
}

struct work_group *started(struct work_gate *gate, const struct ktstr_work *spec, bool open)
{
	struct work_group *group = NULL;

	assert_success(work_start(spec, gate, -1, false, PATIENCE_NS, &group));
	if (open)
		work_gate_open(gate);
	return group;
}

bool kernel_says(pid_t pid, uint64_t *ret_run_ns, uint64_t *ret_timeslices)
{
	unsigned long long run, delay, slices;
	char path[64];
	FILE *f;
	int n;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fscanf(f, "%llu %llu %llu", &run, &delay, &slices);
	fclose(f);
	if (n != 3)
		return false;
	*ret_run_ns = run;
	*ret_timeslices = slices;
	return true;
}

void wait_for_cpu_time(pid_t pid, uint64_t more_ns)
{
	uint64_t first_ns, now_ns, slices, began_ns = clock_monotonic_ns();

	assert_true(kernel_says(pid, &first_ns, &slices));
	skip_unless(slices > 0, "this kernel does not count time slices");
	do {
		struct timespec ts = { .tv_nsec = 500000 };

		nanosleep(&ts, NULL);
		assert_true(kernel_says(pid, &now_ns, &slices));
		assert_true(clock_monotonic_ns() - began_ns < PATIENCE_NS);
	} while (now_ns - first_ns < more_ns);
}

void wait_for_state(pid_t pid, char state)
{
	uint64_t began_ns = clock_monotonic_ns();
	struct procfs_stat stat;

	do {
		sleep_ms(1);
		assert_success(procfs_stat_read("/proc", pid, &stat));
		assert_true(clock_monotonic_ns() - began_ns < PATIENCE_NS);
	} while (stat.state != state);
}

void wait_for_end(struct work_group *group, size_t i, struct work_report *ret)
{
	uint64_t began_ns = clock_monotonic_ns();

	do {
		sleep_ms(1);
		work_sample(group, i, ret);
		assert_true(clock_monotonic_ns() - began_ns < PATIENCE_NS);
	} while (ret->end == WORK_END_RUNNING);
}

void need_cpus(cpu_set_t *ret, int n)
{
	assert_int_equal(sched_getaffinity(0, sizeof(*ret), ret), 0);
	skip_unless(CPU_COUNT(ret) >= n, "needs %d CPUs", n);
}

int nth_cpu(const cpu_set_t *set, int n)
{
	int cpu = 0;

	while (!CPU_ISSET(cpu, set) || n-- > 0)
		cpu++;
	return cpu;
}

void pin(pid_t pid, int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(pid, sizeof(one), &one), 0);
}

bool no_children_left(void)
{
	return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;
}

void in_process_begin(struct in_process *p, uint32_t burst_ms, uint32_t sleep_ms_)
{
	*p = (struct in_process){ .self = { .slot = &p->slot,
					    .stop = &p->stop,
					    .work = { .burst_ms = burst_ms, .sleep_ms = sleep_ms_ },
					    .schedstat_fd = -1,
					    .cpus_fd = -1 } };
	work_self_prepare(&p->self);
	work_self_begin(&p->self, clock_monotonic_ns());
}
