// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "ctprof/spare_cpus.h"
#include "ctprof/walk_limits.h"

struct parallel {
	size_t n, chunk;
	const struct cancel *cancel;
	parallel_fn work;
	void *arg;
	atomic_size_t next;
};

struct parallel_worker {
	struct parallel *parallel;
	unsigned int number;
	pthread_t thread;
	bool started;
};

unsigned int parallel_jobs(const struct capture_options *options, size_t n)
{
	unsigned int jobs = options->jobs ? options->jobs : spare_cpus_read(options->root);

	if (jobs > WALK_LIMIT_JOBS)
		jobs = WALK_LIMIT_JOBS;
	if (jobs > n)
		jobs = (unsigned int)n;
	return jobs ? jobs : 1;
}

static void *run(void *arg)
{
	struct parallel_worker *worker = arg;
	struct parallel *p = worker->parallel;

	while (!cancel_requested(p->cancel)) {
		size_t begin = atomic_fetch_add(&p->next, p->chunk);

		if (begin >= p->n)
			break;
		p->work(p->arg, worker->number, begin,
			p->n - begin < p->chunk ? p->n : begin + p->chunk);
	}
	return NULL;
}

void parallel_run(unsigned int jobs, size_t n, size_t chunk, const struct cancel *cancel,
		  parallel_fn work, void *arg)
{
	struct parallel parallel = { n, chunk, cancel, work, arg, 0 };
	_cleanup_free_ struct parallel_worker *workers = xcalloc(jobs, sizeof(*workers));

	for (unsigned int i = 0; i < jobs; i++)
		workers[i] = (struct parallel_worker){ .parallel = &parallel, .number = i };
	for (unsigned int i = 1; i < jobs; i++)
		workers[i].started = pthread_create(&workers[i].thread, NULL, run, &workers[i]) ==
				     0;
	run(&workers[0]);
	for (unsigned int i = 1; i < jobs; i++)
		if (workers[i].started)
			pthread_join(workers[i].thread, NULL);
}
