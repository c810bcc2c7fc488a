// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/crew.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "agent/agent.h"
#include "base/alloc.h"
#include "base/clock.h"

enum {
	/*
	 * Between two trials: both CPUs have gone to sleep again. Pauses differ, or all trials
	 * would begin at the same place of a turn.
	 */
	PAUSE_NS = 200000,
	PAUSE_NS_MAX = 50000000,
	PAUSE_INSTRUCTIONS = 20000,
	PAUSE_STEP_NS = 37000,
	PAUSE_STEPS = 11,
	TIMER_NS = 1000000,
	/* A task that was woken up and did not say so in that time is a bug of ours. */
	ANSWER_SEC = 10,
};

/* Two threads of one process, since membarrier() is about one address space. */
struct pair {
	unsigned int cpu; /* of the other thread */
	uint64_t pause_ns;
	_Atomic uint32_t word; /* a futex; odd: the other thread is to end */
	_Atomic uint32_t answered;
	_Atomic bool ready, stop;
	_Atomic uint64_t sent_ns;
	struct agent_samples samples;
};

static uint64_t choose_pause(const struct agent_model *model, enum agent_load load)
{
	/* With one more busy CPU there are up to three that share the time. */
	uint64_t kips = load == AGENT_LOAD_ALL_BUSY ? model->busy_kips : model->alone_kips / 3;
	uint64_t ns = kips ? PAUSE_INSTRUCTIONS * UINT64_C(1000000) / kips : PAUSE_NS_MAX;

	return ns < PAUSE_NS ? PAUSE_NS : ns > PAUSE_NS_MAX ? PAUSE_NS_MAX : ns;
}

static void pause_before(const struct pair *pair, unsigned int trial)
{
	uint64_t ns = pair->pause_ns + PAUSE_STEP_NS * (uint64_t)(trial % PAUSE_STEPS);
	struct timespec pause = { (time_t)(ns / NS_PER_SEC), (long)(ns % NS_PER_SEC) };

	nanosleep(&pause, NULL);
}

static void *woken_main(void *context)
{
	struct pair *pair = context;
	struct error *err = agent_pin(pair->cpu);
	uint32_t seen = 0, word;

	/* Then nothing is pinned, which the other thread has found out as well. */
	error_free(err);
	atomic_store(&pair->ready, true);
	for (;;) {
		while ((word = atomic_load(&pair->word)) == seen)
			syscall(SYS_futex, &pair->word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
		if (word & 1)
			return NULL;
		agent_samples_add(&pair->samples, clock_monotonic_ns() - pair->sent_ns);
		seen = word;
		atomic_store(&pair->answered, seen);
	}
}

static void wake(struct pair *pair, uint32_t add)
{
	atomic_store(&pair->sent_ns, clock_monotonic_ns());
	atomic_fetch_add(&pair->word, add);
	syscall(SYS_futex, &pair->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static struct error *wake_until(struct pair *pair, uint64_t end_ns)
{
	for (unsigned int trial = 0; clock_monotonic_ns() < end_ns; trial++) {
		uint64_t limit_ns;

		pause_before(pair, trial);
		wake(pair, 2);
		limit_ns = clock_monotonic_ns() + ANSWER_SEC * NS_PER_SEC;
		while (atomic_load(&pair->answered) != atomic_load(&pair->word)) {
			pause_before(pair, 0);
			if (clock_monotonic_ns() > limit_ns)
				return agent_error(AGENT_SYSTEM, ETIMEDOUT,
						   "waking a thread on CPU %u", pair->cpu);
		}
	}
	return NULL;
}

static void *spin_main(void *context)
{
	struct pair *pair = context;
	struct error *err = agent_pin(pair->cpu);

	error_free(err);
	atomic_store(&pair->ready, true);
	while (!atomic_load_explicit(&pair->stop, memory_order_relaxed))
		;
	return NULL;
}

static int membarrier(int command)
{
	return (int)syscall(SYS_membarrier, command, 0, 0);
}

/* Without membarrier() there is no figure. */
static void interrupt_until(struct pair *pair, uint64_t end_ns)
{
	if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) < 0)
		return;
	for (unsigned int trial = 0; clock_monotonic_ns() < end_ns; trial++) {
		uint64_t sent_ns;

		pause_before(pair, trial);
		sent_ns = clock_monotonic_ns();
		if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) < 0)
			return;
		agent_samples_add(&pair->samples, clock_monotonic_ns() - sent_ns);
	}
}

static struct error *start_thread(struct pair *pair, void *(*thread_main)(void *), unsigned int cpu,
				  pthread_t *ret)
{
	struct timespec pause = { .tv_nsec = NS_PER_MS };
	int errnum;

	pair->cpu = cpu;
	atomic_store(&pair->ready, false);
	errnum = pthread_create(ret, NULL, thread_main, pair);
	if (errnum)
		return agent_error(AGENT_SYSTEM, errnum, "cannot start a thread for CPU %u", cpu);
	while (!atomic_load(&pair->ready))
		nanosleep(&pause, NULL);
	return NULL;
}

/* From CPU a to CPU b, for ns. */
static struct error *wake_one_way(struct pair *pair, unsigned int a, unsigned int b, uint64_t ns)
{
	struct error *err = agent_pin(a);
	pthread_t thread;

	if (err)
		return err;
	atomic_store(&pair->word, 0);
	atomic_store(&pair->answered, 0);
	err = start_thread(pair, woken_main, b, &thread);
	if (err)
		return err;
	err = wake_until(pair, clock_monotonic_ns() + ns);
	wake(pair, 1);
	pthread_join(thread, NULL);
	return err;
}

static struct error *interrupt_one_way(struct pair *pair, unsigned int a, unsigned int b,
				       uint64_t ns)
{
	struct error *err = agent_pin(a);
	pthread_t thread;

	if (err)
		return err;
	atomic_store(&pair->stop, false);
	err = start_thread(pair, spin_main, b, &thread);
	if (err)
		return err;
	interrupt_until(pair, clock_monotonic_ns() + ns);
	atomic_store(&pair->stop, true);
	pthread_join(thread, NULL);
	return NULL;
}

static struct error *measure_timer(struct agent_samples *samples, unsigned int cpu, uint64_t ns)
{
	uint64_t due_ns = clock_monotonic_ns(), end_ns = due_ns + ns;
	struct error *err = agent_pin(cpu);

	if (err)
		return err;
	for (unsigned int trial = 0; due_ns < end_ns; trial++) {
		struct timespec due;

		due_ns = clock_monotonic_ns() + TIMER_NS +
			 PAUSE_STEP_NS * (uint64_t)(trial % PAUSE_STEPS);
		due.tv_sec = (time_t)(due_ns / NS_PER_SEC);
		due.tv_nsec = (long)(due_ns % NS_PER_SEC);
		if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == 0)
			agent_samples_add(samples, clock_monotonic_ns() - due_ns);
	}
	return NULL;
}

/*
 * Both directions: CPUs have their turns in order, so it matters how many are between the two,
 * and there are as many on either side.
 */
static struct error *both_ways(struct error *(*one_way)(struct pair *, unsigned int, unsigned int,
							uint64_t),
			       unsigned int a, unsigned int b, uint64_t ns, uint64_t pause_ns,
			       struct agent_delays *ret)
{
	_cleanup_free_ struct pair *pair = xnew(struct pair);
	struct error *err;

	pair->pause_ns = pause_ns;
	err = one_way(pair, a, b, ns / 2);
	if (!err)
		err = one_way(pair, b, a, ns / 2);
	if (!err)
		*ret = agent_samples_delays(&pair->samples);
	return err;
}

/* All CPUs but the two that are measured, as many as the load wants. */
static size_t choose_busy(const struct agent_cpus *cpus, size_t a, size_t b, enum agent_load load,
			  unsigned short *ret)
{
	size_t most = load == AGENT_LOAD_QUIET ? 0 : load == AGENT_LOAD_ONE_BUSY ? 1 : cpus->n;
	size_t n = 0;

	for (size_t i = 0; i < cpus->n && n < most; i++)
		if (i != a && i != b)
			ret[n++] = cpus->at[i];
	return n;
}

static struct error *measure_between(const struct agent_cpus *cpus, size_t a, size_t b,
				     uint64_t phase_ns, enum agent_load load,
				     struct agent_model *model)
{
	_cleanup_agent_crew_ struct agent_crew *busy = NULL;
	_cleanup_free_ struct agent_samples *timer = xnew(struct agent_samples);
	uint64_t pause_ns = choose_pause(model, load);
	unsigned short others[CPU_SETSIZE];
	struct error *err = agent_crew_new(choose_busy(cpus, a, b, load, others), &busy);

	if (err)
		return err;
	err = agent_crew_spin(busy, others);
	if (err)
		return err;
	err = measure_timer(timer, cpus->at[a], phase_ns);
	if (err)
		return err;
	model->timer[load] = agent_samples_delays(timer);
	if (a == b)
		return NULL;
	err = both_ways(wake_one_way, cpus->at[a], cpus->at[b], phase_ns, pause_ns,
			&model->wake[load]);
	if (err)
		return err;
	return both_ways(interrupt_one_way, cpus->at[a], cpus->at[b], phase_ns, pause_ns,
			 &model->ipi[load]);
}

struct error *agent_measure_delays(const struct agent_cpus *cpus, uint64_t phase_ns,
				   enum agent_load load, struct agent_model *model)
{
	struct error *err;

	/* The kernel adds 50 us to what an ordinary task asks for. */
	prctl(PR_SET_TIMERSLACK, 1UL);
	err = measure_between(cpus, 0, cpus->n / 2, phase_ns, load, model);
	if (err)
		return err;
	return agent_unpin(cpus);
}
