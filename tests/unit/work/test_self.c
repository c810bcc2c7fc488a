// SPDX-License-Identifier: GPL-2.0-or-later
#include "work/group.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/clock.h"
#include "fixture.h"
#include "work/work.h"

/* In the place of libc's: where this thread is said to run; -2: where it does. */
static int said_cpu = -2;

int sched_getcpu(void)
{
	unsigned int cpu = 0;

	if (said_cpu != -2)
		return said_cpu;
	return syscall(SYS_getcpu, &cpu, NULL, NULL) ? -1 : (int)cpu;
}

static uint64_t wall_ns(const struct in_process *p)
{
	return p->self.figures.last_checkpoint_ns - p->self.opened_at_ns;
}

static uint64_t thread_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

static void a_checkpoint_comes_with_every_millisecond_of_work(void **state UNUSED)
{
	struct in_process p;
	uint64_t cpu_ns;

	in_process_begin(&p, 0, 0);
	cpu_ns = thread_cpu_ns();
	assert_true(work_self_spin_for(&p.self, 100 * NS_PER_MS));
	cpu_ns = thread_cpu_ns() - cpu_ns;
	assert_true(p.self.figures.samples >= cpu_ns / NS_PER_MS);
	assert_true(p.self.figures.units > 0);
	assert_true(wall_ns(&p) >= 100 * NS_PER_MS);
}

static void every_checkpoint_looks_at_the_cpu(void **state UNUSED)
{
	static const int visits[] = { 3, 7, 7, -1, 7, 3, 70 };
	struct in_process p;
	struct topo_cpuset cpus;

	said_cpu = 3;
	in_process_begin(&p, 0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(visits); i++) {
		said_cpu = visits[i];
		work_self_spin(&p.self);
	}
	said_cpu = -2;
	work_slot_read_cpus(&p.slot, &cpus);
	assert_int_equal(topo_cpuset_count(&cpus), 3);
	assert_true(topo_cpuset_has(&cpus, 3) && topo_cpuset_has(&cpus, 7) &&
		    topo_cpuset_has(&cpus, 70));
	/* Not to be known for a moment is no move. */
	assert_true(p.self.figures.migrations == 3);
}

static void a_late_start_is_a_gap(void **state UNUSED)
{
	struct in_process p;
	uint64_t opened_at_ns;

	in_process_begin(&p, 0, 0);
	work_self_prepare(&p.self);
	opened_at_ns = clock_monotonic_ns() - 3 * NS_PER_SEC;
	work_self_begin(&p.self, opened_at_ns);
	assert_true(p.self.figures.max_gap_ns >= 3 * NS_PER_SEC);
	assert_true(p.self.figures.gap_at_ns == p.self.figures.max_gap_ns);
	assert_true(p.self.figures.gap_cpu >= 0);
	assert_true(p.self.figures.migrations == 0);
}

static void a_requested_sleep_is_not_a_gap(void **state UNUSED)
{
	struct in_process p;

	in_process_begin(&p, 0, 0);
	assert_true(work_self_sleep(&p.self, 80 * NS_PER_MS));
	assert_true(p.self.figures.sleep_ns == 80 * NS_PER_MS);
	/* All gaps lie outside the sleep. */
	assert_true(p.self.figures.max_gap_ns <= wall_ns(&p) - 80 * NS_PER_MS);
}

static void time_between_two_checkpoints_is_a_gap(void **state UNUSED)
{
	struct in_process p;

	in_process_begin(&p, 0, 0);
	sleep_ms(30); /* behind its back */
	work_checkpoint(&p.self);
	assert_true(p.self.figures.max_gap_ns >= 30 * NS_PER_MS);
	assert_true(p.self.figures.gap_at_ns <= wall_ns(&p));
}

/* In the place of libc's: what others see of the worker while it sleeps. */
static struct work_slot *watched;
static struct work_slot_figures seen_asleep;
static unsigned int n_sleeps;

int sigtimedwait(const sigset_t *set, siginfo_t *info UNUSED, const struct timespec *timeout)
{
	n_sleeps++;
	if (watched)
		work_slot_read(watched, &seen_asleep);
	return (int)syscall(SYS_rt_sigtimedwait, set, NULL, timeout, _NSIG / 8);
}

static void a_sleep_is_announced_before_it_begins(void **state UNUSED)
{
	struct in_process p;
	struct work_slot_figures seen;

	in_process_begin(&p, 0, 0);
	watched = &p.slot;
	n_sleeps = 0;
	assert_true(work_self_sleep(&p.self, 2 * NS_PER_MS));
	watched = NULL;
	assert_true(n_sleeps > 0);
	assert_true(seen_asleep.asleep_ns == 2 * NS_PER_MS);
	assert_true(seen_asleep.sleep_ns == 0);
	work_self_end(&p.self);
	assert_true(work_slot_read(&p.slot, &seen));
	assert_true(seen.asleep_ns == 0);
	assert_true(seen.sleep_ns == 2 * NS_PER_MS);
	assert_int_equal(atomic_load(&p.slot.stage), WORK_SLOT_DONE);
}

static void a_stop_cuts_sleep_and_work_short(void **state UNUSED)
{
	struct in_process p;

	in_process_begin(&p, 0, 0);
	atomic_store(&p.stop, 1);
	assert_false(work_self_sleep(&p.self, 3600 * NS_PER_SEC));
	assert_false(work_self_spin_for(&p.self, 3600 * NS_PER_SEC));
	assert_true(p.self.figures.sleep_ns <= wall_ns(&p));
}

/* Blocked and pending before the sleep begins: the moment at which a handler would
 * on_scheduler_lost it. */
static void a_stop_signal_that_came_before_is_not_slept_through(void **state UNUSED)
{
	struct in_process p;
	sigset_t stop, pending, before;
	uint64_t began_ns = clock_monotonic_ns();

	sigemptyset(&stop);
	sigaddset(&stop, work_stop_signal());
	sigprocmask(SIG_BLOCK, &stop, &before);
	raise(work_stop_signal());
	in_process_begin(&p, 0, 0);
	/* Without the flag it is somebody's suite_mistake, and the sleep goes on. */
	assert_true(work_self_sleep(&p.self, 20 * NS_PER_MS));
	assert_true(clock_monotonic_ns() - began_ns >= 20 * NS_PER_MS);
	sigpending(&pending);
	assert_int_equal(sigismember(&pending, work_stop_signal()), 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void cpu_time_before_the_gate_is_not_counted(void **state UNUSED)
{
	struct in_process p;
	uint64_t began_ns = thread_cpu_ns();

	while (thread_cpu_ns() - began_ns < 50 * NS_PER_MS)
		;
	began_ns = thread_cpu_ns();
	in_process_begin(&p, 0, 0);
	work_self_spin(&p.self);
	work_self_end(&p.self);
	assert_true(p.self.figures.cpu_ns > 0);
	assert_true(p.self.figures.cpu_ns <= thread_cpu_ns() - began_ns);
}

static void set_schedstat(int fd, const char *text)
{
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
}

static struct work_slot_figures with_schedstat(const char *at_the_gate, const char *at_the_end)
{
	_cleanup_close_ int fd = memfd_create("schedstat", MFD_CLOEXEC);
	struct work_slot_figures seen;
	struct in_process p;

	assert_true(fd >= 0);
	in_process_begin(&p, 0, 0);
	p.self.schedstat_fd = fd;
	set_schedstat(fd, at_the_gate);
	work_self_prepare(&p.self);
	work_self_begin(&p.self, clock_monotonic_ns());
	set_schedstat(fd, at_the_end);
	work_self_end(&p.self);
	assert_true(work_slot_read(&p.slot, &seen));
	return seen;
}

static void run_delay_counts_from_the_gate(void **state UNUSED)
{
	struct work_slot_figures f = with_schedstat("1000 500 3\n", "9000 750 4\n");

	assert_true(f.has_run_delay);
	assert_true(f.run_delay_ns == 250);
}

/* Prepared, then kept from the gate for long, which opened only afterwards. */
static void cpu_time_and_delay_before_the_gate_are_not_counted(void **state UNUSED)
{
	_cleanup_close_ int fd = memfd_create("schedstat", MFD_CLOEXEC);
	struct in_process p;
	uint64_t began_ns;

	assert_true(fd >= 0);
	in_process_begin(&p, 0, 0);
	p.self.schedstat_fd = fd;
	set_schedstat(fd, "1000 500 3\n");
	work_self_prepare(&p.self);
	began_ns = thread_cpu_ns();
	while (thread_cpu_ns() - began_ns < 50 * NS_PER_MS)
		;
	set_schedstat(fd, "1000 3600000000500 3\n");
	began_ns = thread_cpu_ns();
	work_self_begin(&p.self, clock_monotonic_ns());
	work_self_end(&p.self);
	assert_true(p.self.figures.cpu_ns <= thread_cpu_ns() - began_ns + NS_PER_MS);
	assert_true(p.self.figures.has_run_delay);
	assert_true(p.self.figures.run_delay_ns <= wall_ns(&p));
}

static void run_delay_that_cannot_be_read_is_unknown(void **state UNUSED)
{
	struct in_process p;

	in_process_begin(&p, 0, 0);
	assert_false(p.self.figures.has_run_delay);
	assert_false(with_schedstat("", "").has_run_delay);
	assert_false(with_schedstat("1000 500\n", "1000 500\n").has_run_delay);
	assert_false(with_schedstat("1000 500 3\n", "broken\n").has_run_delay);
	/* Known at the end only: nothing to take the difference to. */
	assert_false(with_schedstat("", "1000 500 3\n").has_run_delay);
}

static void set_cpus(const struct in_process *p, const char *text)
{
	set_schedstat(p->self.cpus_fd, text);
}

/* On CPU 3, in a cgroup that has `text`. */
static void begin_in_cgroup(struct in_process *p, int fd, const char *text)
{
	assert_true(fd >= 0);
	said_cpu = 3;
	in_process_begin(p, 0, 0);
	p->self.cpus_fd = fd;
	set_cpus(p, text);
}

/* The next look compares again, whatever the time is. */
static void look_on(struct in_process *p, int cpu)
{
	said_cpu = cpu;
	p->self.cpus_read_ns = 0;
	work_checkpoint(&p->self);
}

static unsigned int outside(struct in_process *p, struct topo_cpuset *ret_had)
{
	struct topo_cpuset cpus;

	work_slot_read_outside(&p->slot, &cpus, ret_had);
	return topo_cpuset_count(&cpus) == 1 ? topo_cpuset_next(&cpus, 0)
	       : topo_cpuset_count(&cpus)    ? 9999
					     : 0;
}

static void a_cpu_is_compared_with_the_set_of_its_moment(void **state UNUSED)
{
	_cleanup_close_ int fd = memfd_create("cpus", MFD_CLOEXEC);
	struct in_process p;
	struct topo_cpuset had;

	begin_in_cgroup(&p, fd, "3-4\n");
	look_on(&p, 3);
	look_on(&p, 4);
	/* The set moves, and the worker with it. */
	set_cpus(&p, "6\n");
	look_on(&p, 6);
	assert_int_equal(outside(&p, &had), 0);
	assert_true(p.self.figures.cpus_checks == 3);
	/* The worker goes where the set never was, and the set does not follow it. */
	look_on(&p, 5);
	assert_int_equal(outside(&p, &had), 0);
	p.self.stray_at_ns -= WORK_MOVE_NS;
	look_on(&p, 6);
	said_cpu = -2;
	assert_int_equal(outside(&p, &had), 5);
	assert_int_equal(topo_cpuset_count(&had), 1);
	assert_true(topo_cpuset_has(&had, 6));
	assert_true(p.self.figures.outside_at_ns > 0);
}

/* The kernel shows the new set before it has moved everybody. */
static void a_worker_may_follow_a_moved_cpu_set_within_a_grace_time(void **state UNUSED)
{
	_cleanup_close_ int fd = memfd_create("cpus", MFD_CLOEXEC);
	struct in_process p;
	struct topo_cpuset had;

	begin_in_cgroup(&p, fd, "3\n");
	look_on(&p, 3);
	set_cpus(&p, "6\n");
	look_on(&p, 3);
	assert_int_equal(outside(&p, &had), 0);
	/* The moment is over. */
	p.self.cpus_moved_ns -= WORK_MOVE_NS;
	look_on(&p, 3);
	said_cpu = -2;
	/* At the end nothing is waited for any more. */
	work_self_end(&p.self);
	assert_int_equal(outside(&p, &had), 3);
}

/* As when the last CPU of a cgroup goes offline: the kernel moves the tasks, then the set. */
static void a_cpu_set_may_follow_a_moved_worker_within_a_grace_time(void **state UNUSED)
{
	_cleanup_close_ int fd = memfd_create("cpus", MFD_CLOEXEC);
	struct in_process p;
	struct topo_cpuset had;

	begin_in_cgroup(&p, fd, "3\n");
	look_on(&p, 3);
	look_on(&p, 4);
	set_cpus(&p, "4\n");
	look_on(&p, 4);
	work_self_end(&p.self);
	said_cpu = -2;
	assert_int_equal(outside(&p, &had), 0);
}

static void an_unreadable_cpu_set_is_not_compared(void **state UNUSED)
{
	static const char *const texts[] = { "", "\n", "3-\n" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_close_ int fd = memfd_create("cpus", MFD_CLOEXEC);
		struct in_process p;
		struct topo_cpuset had;

		begin_in_cgroup(&p, fd, texts[i]);
		look_on(&p, 3);
		said_cpu = -2;
		assert_true(p.self.figures.cpus_checks == 0);
		assert_int_equal(outside(&p, &had), 0);
	}
}

static void schedstat_that_is_always_zero_means_unknown_delay(void **state UNUSED)
{
	assert_false(with_schedstat("0 0 0\n", "0 0 0\n").has_run_delay);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_checkpoint_comes_with_every_millisecond_of_work),
		cmocka_unit_test(every_checkpoint_looks_at_the_cpu),
		cmocka_unit_test(a_late_start_is_a_gap),
		cmocka_unit_test(a_requested_sleep_is_not_a_gap),
		cmocka_unit_test(time_between_two_checkpoints_is_a_gap),
		cmocka_unit_test(a_sleep_is_announced_before_it_begins),
		cmocka_unit_test(a_stop_cuts_sleep_and_work_short),
		cmocka_unit_test(a_stop_signal_that_came_before_is_not_slept_through),
		cmocka_unit_test(cpu_time_before_the_gate_is_not_counted),
		cmocka_unit_test(run_delay_counts_from_the_gate),
		cmocka_unit_test(cpu_time_and_delay_before_the_gate_are_not_counted),
		cmocka_unit_test(run_delay_that_cannot_be_read_is_unknown),
		cmocka_unit_test(a_cpu_is_compared_with_the_set_of_its_moment),
		cmocka_unit_test(a_worker_may_follow_a_moved_cpu_set_within_a_grace_time),
		cmocka_unit_test(a_cpu_set_may_follow_a_moved_worker_within_a_grace_time),
		cmocka_unit_test(an_unreadable_cpu_set_is_not_compared),
		cmocka_unit_test(schedstat_that_is_always_zero_means_unknown_delay),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
