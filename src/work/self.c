// SPDX-License-Identifier: LGPL-2.1-or-later
#include "work/group.h"

#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "procfs/thread_files.h"

int work_stop_signal(void)
{
	return SIGUSR1;
}

static uint64_t thread_cpu_ns(void)
{
	struct timespec ts = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

static bool read_delay(const struct work_self *self, uint64_t *ret_ns)
{
	struct procfs_schedstat stat;
	char text[PROCFS_SCHEDSTAT_MAX_BYTES];
	ssize_t n = self->schedstat_fd < 0 ? -1 : pread(self->schedstat_fd, text, sizeof(text), 0);
	struct error *err;

	if (n <= 0)
		return false;
	err = procfs_schedstat_parse(text, (size_t)n, &stat);
	if (err) {
		error_free(err);
		return false;
	}
	/* This thread runs, so a kernel that counts has counted a timeslice. */
	if (stat.timeslices == 0)
		return false;
	*ret_ns = stat.run_delay_ns;
	return true;
}

static void publish(struct work_self *self, bool with_delay)
{
	struct work_slot_figures *f = &self->figures;
	uint64_t delay_ns;

	f->cpu_ns = thread_cpu_ns() - self->cpu_before_ns;
	if (f->has_run_delay && with_delay) {
		f->has_run_delay = read_delay(self, &delay_ns);
		f->run_delay_ns = f->has_run_delay ? delay_ns - self->delay_before_ns : 0;
		self->delay_read_ns = f->last_checkpoint_ns;
	}
	work_slot_publish(self->slot, f);
	self->published_ns = f->last_checkpoint_ns;
}

static bool read_cpus(const struct work_self *self, struct topo_cpuset *ret)
{
	char text[WORK_LIMIT_CPUS_BYTES];
	ssize_t n = pread(self->cpus_fd, text, sizeof(text), 0);
	struct error *err;

	if (n <= 0 || (size_t)n == sizeof(text))
		return false;
	err = topo_cpuset_parse(text, (size_t)n, ret);
	error_free(err);
	return !err && topo_cpuset_count(ret) > 0;
}

static bool is_allowed(const struct work_self *self, unsigned int cpu, uint64_t now_ns)
{
	return topo_cpuset_has(&self->cpus, cpu) || (topo_cpuset_has(&self->cpus_before, cpu) &&
						     now_ns - self->cpus_moved_ns < WORK_MOVE_NS);
}

/*
 * A CPU that was not in the set counts once the set has not got it for a while: when the last CPU
 * of a cgroup goes offline, the kernel moves its tasks first and the set afterwards.
 */
static void settle_stray(struct work_self *self, uint64_t now_ns, bool at_the_end)
{
	struct work_slot_figures *f = &self->figures;

	if (!self->stray_at_ns)
		return;
	if (topo_cpuset_has(&self->cpus, self->stray_cpu)) {
		self->stray_at_ns = 0;
		return;
	}
	if (!at_the_end && now_ns - self->stray_at_ns < WORK_MOVE_NS)
		return;
	if (f->outside_at_ns == 0)
		f->outside_at_ns = self->stray_at_ns - self->opened_at_ns;
	work_slot_add_outside(self->slot, self->stray_cpu, &self->stray_had);
	self->stray_at_ns = 0;
}

/* The CPU of this moment against the cgroup's CPU set of this moment. */
static void compare_cpus(struct work_self *self, int cpu, uint64_t now_ns)
{
	struct work_slot_figures *f = &self->figures;
	struct topo_cpuset cpus;

	self->cpus_read_ns = now_ns;
	/* A worker that migrated while it read is compared at its next look. */
	if (!read_cpus(self, &cpus) || sched_getcpu() != cpu)
		return;
	if (!topo_cpuset_equal(&cpus, &self->cpus)) {
		self->cpus_before = self->cpus;
		self->cpus = cpus;
		self->cpus_moved_ns = now_ns;
	}
	f->cpus_checks++;
	settle_stray(self, now_ns, false);
	if (is_allowed(self, (unsigned int)cpu, now_ns) || self->stray_at_ns)
		return;
	self->stray_cpu = (unsigned int)cpu;
	self->stray_at_ns = now_ns;
	self->stray_had = cpus;
}

/* asked_ns of the time since the last look were meant to be slept. */
static void look(struct work_self *self, uint64_t asked_ns)
{
	struct work_slot_figures *f = &self->figures;
	uint64_t now_ns = clock_monotonic_ns();
	uint64_t passed_ns = now_ns - f->last_checkpoint_ns;
	uint64_t gap_ns = passed_ns > asked_ns ? passed_ns - asked_ns : 0;
	int cpu = sched_getcpu();
	bool migrated = cpu >= 0 && cpu != f->cpu;

	f->samples++;
	if (gap_ns > f->max_gap_ns) {
		f->max_gap_ns = gap_ns;
		f->gap_cpu = cpu;
		f->gap_at_ns = now_ns - self->opened_at_ns;
	}
	if (migrated) {
		if (f->cpu >= 0)
			f->migrations++;
		f->cpu = cpu;
		work_slot_add_cpu(self->slot, (unsigned int)cpu);
	}
	if (self->cpus_fd >= 0 && cpu >= 0 &&
	    (migrated || now_ns - self->cpus_read_ns >= WORK_CPUS_NS))
		compare_cpus(self, cpu, now_ns);
	f->last_checkpoint_ns = now_ns;
	f->asleep_ns = 0;
	if (now_ns - self->published_ns >= WORK_PUBLISH_NS)
		publish(self, now_ns - self->delay_read_ns >= WORK_SCHEDSTAT_NS);
}

void work_self_prepare(struct work_self *self)
{
	self->figures = (struct work_slot_figures){ .gap_cpu = -1, .cpu = -1 };
	self->units_per_look = 1;
	self->figures.has_run_delay = read_delay(self, &self->delay_before_ns);
	self->cpu_before_ns = thread_cpu_ns();
}

/* Used or waited time cannot exceed the time since the gate. */
static void clamp_to_gate(uint64_t total_ns, uint64_t since_ns, uint64_t *before_ns)
{
	if (total_ns - *before_ns > since_ns)
		*before_ns = total_ns - since_ns;
}

void work_self_begin(struct work_self *self, uint64_t opened_at_ns)
{
	uint64_t since_ns, delay_ns;

	self->opened_at_ns = opened_at_ns;
	self->figures.last_checkpoint_ns = opened_at_ns;
	atomic_store(&self->slot->stage, WORK_SLOT_WORKING);
	look(self, 0);
	/* Between the preparation and the gate there may have been a wait. */
	since_ns = self->figures.last_checkpoint_ns - opened_at_ns;
	clamp_to_gate(thread_cpu_ns(), since_ns, &self->cpu_before_ns);
	if (self->figures.has_run_delay && read_delay(self, &delay_ns))
		clamp_to_gate(delay_ns, since_ns, &self->delay_before_ns);
	publish(self, true);
}

void work_self_end(struct work_self *self)
{
	struct topo_cpuset cpus;

	look(self, 0);
	if (self->stray_at_ns && read_cpus(self, &cpus))
		self->cpus = cpus;
	settle_stray(self, self->figures.last_checkpoint_ns, true);
	publish(self, true);
	atomic_store(&self->slot->stage, WORK_SLOT_DONE);
}

bool work_self_stopped(const struct work_self *self)
{
	return atomic_load_explicit(self->stop, memory_order_relaxed) != 0;
}

void work_checkpoint(struct work_self *self)
{
	look(self, 0);
}

void work_self_units(struct work_self *self, uint32_t units)
{
	uint64_t x = self->chain;

	for (uint32_t unit = 0; unit < units; unit++) {
		for (unsigned int step = 0; step < WORK_UNIT_STEPS; step++) {
			/* Each step needs the one before; no pause, which a hypervisor may trap. */
			x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			__asm__ volatile("" : "+r"(x));
		}
	}
	self->chain = x;
	self->figures.units += units;
}

uint32_t work_self_spin(struct work_self *self)
{
	uint32_t units = self->units_per_look;
	uint64_t before_ns = self->figures.last_checkpoint_ns, passed_ns;

	work_self_units(self, units);
	look(self, 0);
	passed_ns = self->figures.last_checkpoint_ns - before_ns;
	if (passed_ns < WORK_LOOK_NS / 2 && units < WORK_LIMIT_UNITS_PER_LOOK)
		self->units_per_look = units * 2;
	else if (passed_ns > WORK_LOOK_NS && units > 1)
		self->units_per_look = units / 2;
	return units;
}

bool work_self_spin_for(struct work_self *self, uint64_t ns)
{
	uint64_t until_ns = self->figures.last_checkpoint_ns + ns;

	while (!work_self_stopped(self) && self->figures.last_checkpoint_ns < until_ns)
		work_self_spin(self);
	return self->figures.last_checkpoint_ns >= until_ns;
}

bool work_self_sleep(struct work_self *self, uint64_t ns)
{
	struct work_slot_figures *f = &self->figures;
	uint64_t began_ns, now_ns, asked_ns;
	sigset_t stop;

	sigemptyset(&stop);
	sigaddset(&stop, work_stop_signal());
	look(self, 0);
	began_ns = now_ns = f->last_checkpoint_ns;
	/* Published first, so that neither a sample nor a kill takes the sleep for a gap. */
	f->asleep_ns = ns;
	publish(self, false);
	while (!work_self_stopped(self) && now_ns - began_ns < ns) {
		uint64_t left_ns = ns - (now_ns - began_ns);
		struct timespec left = { .tv_sec = (time_t)(left_ns / NS_PER_SEC),
					 .tv_nsec = (long)(left_ns % NS_PER_SEC) };

		/* Blocked and waited for: a stop that came just before is not slept through. */
		sigtimedwait(&stop, NULL, &left);
		now_ns = clock_monotonic_ns();
	}
	asked_ns = now_ns - began_ns < ns ? now_ns - began_ns : ns;
	f->sleep_ns += asked_ns;
	look(self, asked_ns);
	return asked_ns == ns;
}
