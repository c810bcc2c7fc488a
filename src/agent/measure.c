// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/measure.h"

#include <time.h>

#include "agent/agent.h"
#include "agent/crew.h"
#include "base/clock.h"

enum {
	/* Between two looks at the clock, which takes less than 1 % of it. */
	CHUNK = 10000,
	/* A step is not what one turn of our own loop takes. */
	STEP_LEAST_NS = 1000,
	STEP_LEAST_LOOPS = 8,
	CALIBRATION_NS = 2000000,
};

const char *agent_load_name(enum agent_load load)
{
	static const char *const names[AGENT_N_LOADS] = { "quiet", "one-busy", "all-busy" };

	return names[load];
}

static void wait_until(uint64_t ns)
{
	while (clock_monotonic_ns() < ns)
		;
}

static void measure_speed(struct agent_worker *worker, uint64_t begin_ns, uint64_t ns)
{
	uint64_t start, now, chunks = 0;

	wait_until(begin_ns);
	start = clock_monotonic_ns();
	do {
		agent_count_down(CHUNK);
		chunks++;
		now = clock_monotonic_ns();
	} while (now < start + ns);
	worker->kips = chunks * 2 * CHUNK * 1000000 / (now - start);
	worker->wall_ns = now - start;
}

/* The CPU's own counter: reading the clock takes as long as a short step. */
struct counter {
	double ns_per_tick;
	uint64_t least_step; /* in ticks */
};

static inline uint64_t ticks_now(void)
{
	return __builtin_ia32_rdtsc();
}

static struct counter calibrate(void)
{
	uint64_t ns = clock_monotonic_ns(), ticks = ticks_now(), least = UINT64_MAX;
	struct counter counter;
	double loop_ns;

	for (int i = 0; i < 64; i++) {
		uint64_t first = ticks_now(), second = ticks_now();

		least = second - first < least ? second - first : least;
	}
	wait_until(ns + CALIBRATION_NS);
	counter.ns_per_tick = (double)(clock_monotonic_ns() - ns) /
			      (double)(ticks_now() - ticks + 1);
	loop_ns = STEP_LEAST_LOOPS * counter.ns_per_tick * (double)least;
	counter.least_step = (uint64_t)((loop_ns > STEP_LEAST_NS ? loop_ns : STEP_LEAST_NS) /
					counter.ns_per_tick);
	return counter;
}

static uint64_t cpu_time_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec;
}

/* Every gap in our own progress. */
static void measure_steps(struct agent_worker *worker, uint64_t begin_ns, uint64_t ns)
{
	struct counter counter = calibrate();
	uint64_t start_ns, cpu_ns, half_cpu_ns = 0, last, half, end, now;
	int cpu;

	wait_until(begin_ns);
	cpu = sched_getcpu();
	cpu_ns = cpu_time_ns();
	start_ns = clock_monotonic_ns();
	last = ticks_now();
	half = last + (uint64_t)((double)ns / 2 / counter.ns_per_tick);
	end = last + 2 * (half - last);
	for (now = last; now < end; last = now) {
		now = ticks_now();
		if (now - last < counter.least_step)
			continue;
		agent_samples_add(&worker->steps,
				  (uint64_t)((double)(now - last) * counter.ns_per_tick));
		/* A task changes its CPU in a step only. */
		if (sched_getcpu() != cpu) {
			cpu = sched_getcpu();
			worker->migrations++;
		}
		/* Ticks are steps too, so this is soon after the middle. */
		if (now >= half && !half_cpu_ns)
			half_cpu_ns = cpu_time_ns();
		now = ticks_now();
	}
	worker->wall_ns = clock_monotonic_ns() - start_ns;
	worker->cpu_ns = cpu_time_ns() - cpu_ns;
	if (half_cpu_ns)
		worker->late_cpu_ns = cpu_ns + worker->cpu_ns - half_cpu_ns;
}

/* One CPU while the others have nothing to do. */
static struct error *measure_alone(const struct agent_cpus *cpus, uint64_t phase_ns,
				   struct agent_model *model)
{
	_cleanup_agent_crew_ struct agent_crew *speed = NULL, *steps = NULL;
	const struct agent_worker *worker;
	struct error *err = agent_crew_new(1, &speed);

	if (err)
		return err;
	err = agent_crew_work(speed, measure_speed, cpus->at, phase_ns);
	if (err)
		return err;
	model->alone_kips = agent_crew_worker(speed, 0)->kips;
	err = agent_crew_new(1, &steps);
	if (err)
		return err;
	err = agent_crew_work(steps, measure_steps, cpus->at, phase_ns);
	if (err)
		return err;
	worker = agent_crew_worker(steps, 0);
	model->ticks = agent_crew_steps(steps);
	if (worker->wall_ns)
		model->tick_ppm = worker->steps.sum_ns * 1000000 / worker->wall_ns;
	return NULL;
}

static struct error *measure_all_busy(const struct agent_cpus *cpus, uint64_t phase_ns,
				      struct agent_model *model)
{
	_cleanup_agent_crew_ struct agent_crew *speed = NULL, *steps = NULL;
	struct error *err = agent_crew_new(cpus->n, &speed);

	if (err)
		return err;
	err = agent_crew_work(speed, measure_speed, cpus->at, phase_ns);
	if (err)
		return err;
	for (size_t i = 0; i < cpus->n; i++)
		model->total_kips += agent_crew_worker(speed, i)->kips;
	model->busy_kips = model->total_kips / cpus->n;
	err = agent_crew_new(cpus->n, &steps);
	if (err)
		return err;
	err = agent_crew_work(steps, measure_steps, cpus->at, phase_ns);
	if (err)
		return err;
	model->steps = agent_crew_steps(steps);
	/* While one stands still each other CPU has had its turn. */
	if (cpus->n > 1)
		model->turn_ns = model->steps.mean_ns / (cpus->n - 1);
	return NULL;
}

struct error *agent_measure(uint64_t phase_ns, unsigned int loads, struct agent_model *ret)
{
	struct agent_model model = { 0 };
	struct agent_cpus cpus;
	struct error *err = agent_cpus_read(&cpus);

	if (err)
		return err;
	model.cpus = (uint32_t)cpus.n;
	err = measure_alone(&cpus, phase_ns, &model);
	if (err)
		return error_wrap(err, "one CPU alone");
	err = measure_all_busy(&cpus, phase_ns, &model);
	if (err)
		return error_wrap(err, "%zu busy CPUs", cpus.n);
	for (enum agent_load load = 0; load < AGENT_N_LOADS; load++) {
		if (!(loads & 1U << load))
			continue;
		err = agent_measure_delays(&cpus, phase_ns, load, &model);
		if (err)
			return error_wrap(err, "delays, %s", agent_load_name(load));
	}
	*ret = model;
	return NULL;
}

/* (most - least) / mean */
struct unequal {
	uint64_t least_ns, most_ns, sum_ns;
};

static void unequal_add(struct unequal *u, uint64_t ns)
{
	u->least_ns = ns < u->least_ns ? ns : u->least_ns;
	u->most_ns = ns > u->most_ns ? ns : u->most_ns;
	u->sum_ns += ns;
}

static uint64_t unequal_ppm(const struct unequal *u, size_t n)
{
	return u->sum_ns ? (u->most_ns - u->least_ns) * 1000000 / (u->sum_ns / n) : 0;
}

struct error *agent_measure_spread(uint64_t ns, struct agent_spread *ret)
{
	struct unequal whole = { .least_ns = UINT64_MAX }, late = whole;
	struct agent_spread spread = { 0 };
	_cleanup_agent_crew_ struct agent_crew *crew = NULL;
	struct agent_cpus cpus;
	struct error *err = agent_cpus_read(&cpus);

	if (err)
		return err;
	spread.processes = (uint32_t)cpus.n * 2;
	err = agent_crew_new(spread.processes, &crew);
	if (err)
		return err;
	err = agent_crew_work(crew, measure_steps, NULL, ns);
	if (err)
		return err;
	for (size_t i = 0; i < spread.processes; i++) {
		const struct agent_worker *worker = agent_crew_worker(crew, i);

		unequal_add(&whole, worker->cpu_ns);
		unequal_add(&late, worker->late_cpu_ns);
		spread.migrations += worker->migrations;
		if (worker->steps.max_ns > spread.gap_ns)
			spread.gap_ns = worker->steps.max_ns;
	}
	spread.spread_ppm = unequal_ppm(&whole, spread.processes);
	spread.late_spread_ppm = unequal_ppm(&late, spread.processes);
	*ret = spread;
	return NULL;
}
