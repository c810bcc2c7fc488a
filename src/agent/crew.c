// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/crew.h"

#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "agent/agent.h"
#include "base/alloc.h"
#include "base/clock.h"

enum {
	/* From the last process being there to the common beginning: time for all to wake up. */
	HEAD_START_MS = 5,
	LOOK_MS = 1,
	GATHER_SEC = 30,
	/* A worker waits for the others at most so many times as long as it has worked. */
	LAST_WORKER_FACTOR = 4,
	CHUNK = 1000,
};

/* Shared by all processes of the crew. */
struct board {
	_Atomic uint32_t ready; /* processes that are where they belong */
	_Atomic uint32_t go;	/* a futex */
	_Atomic uint32_t done;
	uint64_t begin_ns, ns;
	struct agent_worker workers[];
};

struct agent_crew {
	size_t n;
	size_t bytes;
	struct board *board;
	pid_t pids[]; /* 0: does not run */
};

void agent_samples_add(struct agent_samples *samples, uint64_t ns)
{
	if (samples->n < AGENT_LIMIT_SAMPLES)
		samples->ns[samples->n] = ns;
	samples->n++;
	samples->sum_ns += ns;
	if (ns > samples->max_ns)
		samples->max_ns = ns;
}

struct error *agent_cpus_read(struct agent_cpus *ret)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return agent_error(AGENT_SYSTEM, errno, "cannot read the CPUs of this process");
	ret->n = 0;
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			ret->at[ret->n++] = (unsigned short)cpu;
	return NULL;
}

static struct error *run_on(const unsigned short *cpus, size_t n)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (size_t i = 0; i < n; i++)
		CPU_SET(cpus[i], &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		return agent_error(AGENT_SYSTEM, errno, "cannot run on %zu CPUs, the first is %u",
				   n, cpus[0]);
	return NULL;
}

struct error *agent_pin(unsigned int cpu)
{
	unsigned short one = (unsigned short)cpu;

	return run_on(&one, 1);
}

struct error *agent_unpin(const struct agent_cpus *cpus)
{
	return run_on(cpus->at, cpus->n);
}

struct error *agent_crew_new(size_t n, struct agent_crew **ret)
{
	size_t bytes = sizeof(struct board) + n * sizeof(struct agent_worker);
	void *board = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct agent_crew *crew;

	if (board == MAP_FAILED)
		return agent_error(AGENT_SYSTEM, errno, "cannot map memory for %zu processes", n);
	crew = xcalloc(1, sizeof(*crew) + n * sizeof(crew->pids[0]));
	*crew = (struct agent_crew){ .n = n, .bytes = bytes, .board = board };
	*ret = crew;
	return NULL;
}

void agent_crew_free(struct agent_crew *crew)
{
	if (!crew)
		return;
	for (size_t i = 0; i < crew->n; i++)
		if (crew->pids[i])
			kill(crew->pids[i], SIGKILL);
	for (size_t i = 0; i < crew->n; i++)
		while (crew->pids[i] && waitpid(crew->pids[i], NULL, 0) < 0 && errno == EINTR)
			;
	munmap(crew->board, crew->bytes);
	free(crew);
}

static void wait_for_go(struct board *board)
{
	while (atomic_load(&board->go) == 0)
		syscall(SYS_futex, &board->go, FUTEX_WAIT, 0, NULL, NULL, 0);
}

/* The last one would find idle CPUs if the others were gone. */
static void wait_for_others(struct board *board, size_t n, uint64_t begin_ns)
{
	uint64_t now = clock_monotonic_ns();
	uint64_t limit_ns = now + LAST_WORKER_FACTOR * (now - begin_ns);

	atomic_fetch_add(&board->done, 1);
	while (atomic_load(&board->done) < n && clock_monotonic_ns() < limit_ns)
		agent_count_down(CHUNK);
}

static _Noreturn void worker_main(struct agent_crew *crew, size_t i, agent_work *work,
				  const unsigned short *cpus, pid_t parent)
{
	struct board *board = crew->board;

	/* A parent that is killed takes its crew with it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	if (cpus) {
		struct error *err = agent_pin(cpus[i]);

		if (err)
			_exit(1);
	}
	atomic_fetch_add(&board->ready, 1);
	wait_for_go(board);
	if (!work)
		for (;;)
			agent_count_down(1 << 20);
	work(&board->workers[i], board->begin_ns, board->ns);
	wait_for_others(board, crew->n, board->begin_ns);
	_exit(0);
}

/* Also returns when a process ended before it was ready. */
static struct error *gather(struct agent_crew *crew)
{
	uint64_t limit_ns = clock_monotonic_ns() + GATHER_SEC * NS_PER_SEC;
	struct timespec pause = { .tv_nsec = LOOK_MS * (long)NS_PER_MS };

	while (atomic_load(&crew->board->ready) < crew->n) {
		for (size_t i = 0; i < crew->n; i++) {
			if (waitpid(crew->pids[i], NULL, WNOHANG) != crew->pids[i])
				continue;
			crew->pids[i] = 0;
			return agent_error(AGENT_SYSTEM, 0, "process %zu of %zu did not begin", i,
					   crew->n);
		}
		if (clock_monotonic_ns() > limit_ns)
			return agent_error(AGENT_SYSTEM, ETIMEDOUT, "%u of %zu processes began",
					   atomic_load(&crew->board->ready), crew->n);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static struct error *begin(struct agent_crew *crew, agent_work *work, const unsigned short *cpus,
			   uint64_t ns)
{
	struct board *board = crew->board;
	pid_t parent = getpid();
	struct error *err;

	for (size_t i = 0; i < crew->n; i++) {
		crew->pids[i] = fork();
		if (crew->pids[i] == 0)
			worker_main(crew, i, work, cpus, parent);
		if (crew->pids[i] < 0) {
			crew->pids[i] = 0;
			return agent_error(AGENT_SYSTEM, errno, "cannot start process %zu of %zu",
					   i, crew->n);
		}
	}
	err = gather(crew);
	if (err)
		return err;
	board->begin_ns = clock_monotonic_ns() + HEAD_START_MS * NS_PER_MS;
	board->ns = ns;
	atomic_store(&board->go, 1);
	syscall(SYS_futex, &board->go, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	return NULL;
}

struct error *agent_crew_spin(struct agent_crew *crew, const unsigned short *cpus)
{
	return begin(crew, NULL, cpus, 0);
}

struct error *agent_crew_work(struct agent_crew *crew, agent_work *work, const unsigned short *cpus,
			      uint64_t ns)
{
	struct error *err = begin(crew, work, cpus, ns);

	for (size_t i = 0; !err && i < crew->n; i++) {
		pid_t pid = crew->pids[i];
		int status;

		while (waitpid(pid, &status, 0) < 0)
			if (errno != EINTR)
				return agent_error(AGENT_SYSTEM, errno, "waiting for process %d",
						   pid);
		crew->pids[i] = 0;
		if (status != 0)
			err = agent_error(AGENT_SYSTEM, 0, "process %zu of %zu ended early", i,
					  crew->n);
	}
	return err;
}

const struct agent_worker *agent_crew_worker(const struct agent_crew *crew, size_t i)
{
	return &crew->board->workers[i];
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static size_t kept(const struct agent_samples *samples)
{
	return samples->n < AGENT_LIMIT_SAMPLES ? samples->n : AGENT_LIMIT_SAMPLES;
}

/* Sorts. `ns` may be a part of all `seen` durations. */
static struct agent_delays summarize(uint64_t *ns, size_t n, uint64_t seen, uint64_t sum_ns,
				     uint64_t max_ns)
{
	if (n == 0)
		return (struct agent_delays){ 0 };
	qsort(ns, n, sizeof(*ns), compare_u64);
	return (struct agent_delays){
		.n = seen,
		.mean_ns = sum_ns / seen,
		.p50_ns = ns[n / 2],
		.p99_ns = ns[n * 99 / 100],
		.max_ns = max_ns,
	};
}

struct agent_delays agent_samples_delays(const struct agent_samples *samples)
{
	size_t n = kept(samples);
	_cleanup_free_ uint64_t *ns = xcalloc(n + 1, sizeof(*ns));

	memcpy(ns, samples->ns, n * sizeof(*ns));
	return summarize(ns, n, samples->n, samples->sum_ns, samples->max_ns);
}

struct agent_delays agent_crew_steps(const struct agent_crew *crew)
{
	_cleanup_free_ uint64_t *ns = xcalloc(crew->n * AGENT_LIMIT_SAMPLES, sizeof(*ns));
	uint64_t seen = 0, sum_ns = 0, max_ns = 0;
	size_t n = 0;

	for (size_t i = 0; i < crew->n; i++) {
		const struct agent_samples *steps = &agent_crew_worker(crew, i)->steps;

		memcpy(ns + n, steps->ns, kept(steps) * sizeof(*ns));
		n += kept(steps);
		seen += steps->n;
		sum_ns += steps->sum_ns;
		max_ns = steps->max_ns > max_ns ? steps->max_ns : max_ns;
	}
	return summarize(ns, n, seen, sum_ns, max_ns);
}
