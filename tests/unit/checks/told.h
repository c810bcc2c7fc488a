/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A declared test, what it reported, and what came of it, built piece by piece. */
#ifndef KTSTR_TESTS_TOLD_H
#define KTSTR_TESTS_TOLD_H

#include "base/alloc.h"
#include "checks/check.h"
#include "unit.h"

/* A test on two CPUs with the cgroup `left` and nothing asked for but the defaults. */
struct told {
	struct {
		struct ktstr_checks checks;
		VEC(struct checks_cgroup) cgroups;
		struct {
			bool has, may_restart;
		} scheduler;
	} test;
	struct {
		VEC(struct exchange_worker) workers;
		struct exchange_scheduler scheduler;
	} report;
	bool exit_reported;
	struct checks_disturbance disturbance;
	struct checks_clock clock;
	struct checks_findings outcome;
};

/* Like the harness: a cgroup without work is not a subject. */
static inline void told_declare(struct told *t, const char *name, unsigned int workers)
{
	struct checks_cgroup cgroup = { .name = name, .workers = workers };

	topo_cpuset_add_range(&cgroup.cpus, 0, 1);
	if (workers)
		vec_push(&t->test.cgroups, cgroup);
}

static inline void told_scheduler(struct told *t)
{
	t->test.scheduler.has = true;
}

static inline void told_init(struct told *t)
{
	*t = (struct told){ 0 };
	t->disturbance = (struct checks_disturbance){ .has = true,
						      .wall_ns = 5000000000,
						      .vcpus = 2 };
}

/* A good worker of 1 s of CPU time that was seen on CPUs 0 and 1. */
static inline struct exchange_worker *told_worker(struct told *t, const char *cgroup)
{
	struct exchange_worker w = {
		.cgroup = xstrdup(cgroup),
		.kind = xstrdup("spin"),
		.end = xstrdup("finished"),
		.pid = 50 + (uint32_t)t->report.workers.n,
		.iterations = 7,
		.units = 70,
		.has_outside = true,
		.cpu_ns = 1000000000,
		.wall_ns = 5000000000,
		.samples = 100,
		.ext_samples = 9,
		.ext_ns = 900000000,
	};

	topo_cpuset_add_range(&w.cpus, 0, 1);
	vec_push(&t->report.workers, w);
	return &t->report.workers.at[t->report.workers.n - 1];
}

static inline void told_end(struct exchange_worker *w, const char *end)
{
	free(w->end);
	w->end = xstrdup(end);
}

/* `n` workers of `left`, all of them good, on CPUs 0-1 of a cgroup that has them. */
static inline void told_prepare(struct told *t, unsigned int n)
{
	told_init(t);
	told_declare(t, "left", n);
	for (unsigned int i = 0; i < n; i++)
		told_worker(t, "left");
}

static inline void evaluate(struct told *t)
{
	const struct checks_facts facts = {
		.asked = t->test.checks,
		.has_scheduler = t->test.scheduler.has,
		.may_restart = t->test.scheduler.may_restart,
		.cgroups = t->test.cgroups.at,
		.n_cgroups = t->test.cgroups.n,
		.workers = t->report.workers.at,
		.n_workers = t->report.workers.n,
		.scheduler = &t->report.scheduler,
		.exit_reported = t->exit_reported,
		.disturbance = &t->disturbance,
		.clock = t->clock,
	};

	checks_evaluate(&facts, &t->outcome);
}

static inline void told_deinit(struct told *t)
{
	for (size_t i = 0; i < t->report.workers.n; i++)
		json_rows_deinit(&exchange_worker_table, &t->report.workers.at[i]);
	vec_deinit(&t->report.workers);
	vec_deinit(&t->test.cgroups);
	free(t->report.scheduler.ops);
	free(t->report.scheduler.end);
	free(t->report.scheduler.kernel_reason);
	checks_findings_deinit(&t->outcome);
}
#define _cleanup_told_ __attribute__((cleanup(told_deinit)))

static inline size_t count_parts(const struct told *t, enum ktstr_reason reason)
{
	size_t n = 0;

	for (size_t i = 0; i < t->outcome.parts.n; i++)
		n += t->outcome.parts.at[i].reason == reason;
	return n;
}

/* Exactly one part, of that reason and with these words. */
#define assert_one_part(t, reason_, words)                                   \
	do {                                                                 \
		const struct told *t_ = (t);                                 \
		assert_int_equal(t_->outcome.parts.n, 1);                    \
		assert_int_equal(t_->outcome.parts.at[0].reason, (reason_)); \
		assert_contains(t_->outcome.parts.at[0].text, words);        \
	} while (0)

static inline bool has_note(const struct told *t, const char *words)
{
	for (size_t i = 0; i < t->outcome.notes.n; i++)
		if (strstr(t->outcome.notes.at[i], words))
			return true;
	return false;
}

#endif
