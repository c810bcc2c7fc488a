/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A declared test, what it reported, and what came of it, built piece by piece. */
#ifndef KTSTR_TESTS_TOLD_H
#define KTSTR_TESTS_TOLD_H

#include "exchange/declaration.h"
#include "harness/judge.h"
#include "harness/test_report.h"
#include "unit.h"

/* A test `fair` on two CPUs with the cgroup `left` and nothing asked for but the defaults. */
struct told {
	struct exchange_declared_test test;
	struct harness_test_report report;
	struct checks_disturbance disturbance;
	struct checks_clock clock;
	struct result_outcome outcome;
};

static inline struct exchange_declared_cgroup *told_declare(struct told *t, const char *name,
							    unsigned int workers)
{
	struct exchange_declared_cgroup cgroup = {
		.name = xstrdup(name),
		.work = workers ? xstrdup("spin") : NULL,
		.workers = workers,
	};

	vec_push(&t->test.cgroups, cgroup);
	return &t->test.cgroups.at[t->test.cgroups.n - 1];
}

static inline void told_scheduler(struct told *t)
{
	static char *argv[] = { (char *)"scx_test", NULL };

	t->test.scheduler.argv = (struct exchange_text_list){ .at = argv, .n = 1 };
}

static inline void told_init(struct told *t)
{
	*t = (struct told){ 0 };
	t->test.name = xstrdup("fair");
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

static inline void told_made(struct told *t, const char *name, unsigned int first,
			     unsigned int last)
{
	struct exchange_cgroup cgroup = { .name = xstrdup(name) };

	topo_cpuset_add_range(&cgroup.cpus, first, last);
	vec_push(&t->report.cgroups, cgroup);
}

/* `n` workers of `left`, all of them good, on CPUs 0-1 of a cgroup that has them. */
static inline void told_prepare(struct told *t, unsigned int n)
{
	told_init(t);
	told_declare(t, "left", n);
	told_made(t, "left", 0, 1);
	for (unsigned int i = 0; i < n; i++)
		told_worker(t, "left");
}

static inline void told_deinit(struct told *t)
{
	free(t->test.name);
	for (size_t i = 0; i < t->test.cgroups.n; i++) {
		free(t->test.cgroups.at[i].name);
		free(t->test.cgroups.at[i].work);
	}
	vec_deinit(&t->test.cgroups);
	harness_test_report_deinit(&t->report);
	result_outcome_deinit(&t->outcome);
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
#define assert_one_part(t, reason_, words)                                              \
	do {                                                                            \
		const struct told *t_ = (t);                                            \
		assert_int_equal(t_->outcome.parts.n, 1);                               \
		assert_string_equal(result_reason_name(t_->outcome.parts.at[0].reason), \
				    result_reason_name(reason_));                       \
		assert_contains(t_->outcome.parts.at[0].text, words);                   \
	} while (0)

static inline bool has_note(const struct told *t, const char *words)
{
	for (size_t i = 0; i < t->outcome.notes.n; i++)
		if (strstr(t->outcome.notes.at[i], words))
			return true;
	return false;
}

#endif
