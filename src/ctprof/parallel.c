// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/stages.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/io.h"
#include "ctprof/walk/thread.h"
#include "procfs/cgroup.h"
#include "procfs/thread_files.h"

enum { CPUS_WHEN_UNKNOWN = 4, LOADAVG_BYTES = 256, CGROUP_BYTES = 64 << 10 };

/* Hundredths; 0 when there is none. */
static uint64_t load_hundredths(const char *loadavg, size_t n)
{
	struct slice rest = { loadavg, n }, word, whole;
	uint64_t load, part = 0;

	if (!slice_take_word(&rest, &word) || !slice_take_until(&word, '.', &whole) ||
	    !slice_u64(whole, &load) || load > UINT32_MAX)
		return 0;
	if (word.n > 2)
		word.n = 2;
	if (word.n == 2 && !slice_u64(word, &part))
		return 0;
	return load * 100 + part;
}

unsigned int ctprof_spare_cpus(unsigned int cpus, const char *loadavg, size_t n)
{
	uint64_t load = load_hundredths(loadavg, n), all = (uint64_t)cpus * 100;
	uint64_t spare = load < all ? (all - load) / 100 : 0;

	if (spare > cpus / 2 + 1)
		spare = cpus / 2 + 1;
	return spare ? (unsigned int)spare : 1;
}

/* Whole CPUs; UINT64_MAX when there is no quota. */
static uint64_t quota_of(const char *dir)
{
	_cleanup_free_ char *path = xasprintf("%s/cpu.max", dir);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = io_read_file(path, CGROUP_BYTES, &text);
	struct procfs_cgroup_stats stats = { 0 };

	if (!err)
		procfs_cgroup_file_parse("cpu.max", strbuf_str(&text), text.n, NULL, &stats);
	if (!stats.cpu_max_quota_us.known || stats.cpu_max_quota_us.unlimited ||
	    stats.cpu_max_period_us.value == 0)
		return UINT64_MAX;
	return stats.cpu_max_quota_us.value / stats.cpu_max_period_us.value;
}

/* Our cgroup's directory; NULL when it is not to be seen. */
static char *own_cgroup(const char *root, const struct procfs_cgroup_mount *mount)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/self/cgroup", root), *name = NULL;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct slice cgroup;

	error_free(io_read_file(path, CGROUP_BYTES, &text));
	if (!mount->path ||
	    !procfs_cgroup_parse((struct slice){ strbuf_str(&text), text.n }, &cgroup))
		return NULL;
	name = xstrndup(cgroup.at, cgroup.n);
	return procfs_cgroup_mount_dir(mount, name);
}

unsigned int ctprof_spare_cpus_available(const char *root, unsigned int cpus)
{
	_cleanup_procfs_cgroup_mount_ struct procfs_cgroup_mount mount;
	_cleanup_free_ char *dir = NULL;
	uint64_t available = cpus;

	procfs_cgroup_mount_find(root, &mount);
	dir = own_cgroup(root, &mount);
	while (dir) {
		uint64_t quota = quota_of(dir);
		char *end = strrchr(dir, '/');

		if (quota < available)
			available = quota;
		if (!end || strlen(dir) <= strlen(mount.path))
			break;
		*end = '\0';
	}
	return available ? (unsigned int)available : 1;
}

static unsigned int own_cpus(void)
{
	_cleanup_procfs_cpu_ids_ struct procfs_cpu_ids ids = { 0 };
	struct ctprof_affinity affinity;
	bool same;

	ctprof_affinity_init(&affinity);
	if (ctprof_affinity_read(&affinity, 0, &same) == 0)
		ctprof_affinity_ids(&affinity, &ids);
	ctprof_affinity_deinit(&affinity);
	return ids.ids.n ? (unsigned int)ids.ids.n : CPUS_WHEN_UNKNOWN;
}

/* Of the CPUs that this process may run on, with load and quota read below root. */
static unsigned int spare_cpus_read(const char *root)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/loadavg", root);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	/* An unreadable file counts as load 0. */
	error_free(io_read_file(path, LOADAVG_BYTES, &text));
	return ctprof_spare_cpus(ctprof_spare_cpus_available(root, own_cpus()), strbuf_str(&text),
				 text.n);
}

struct parallel {
	size_t n, chunk;
	const struct cancel *cancel;
	ctprof_parallel_fn work;
	void *arg;
	atomic_size_t next;
};

struct parallel_worker {
	struct parallel *parallel;
	unsigned int number;
	pthread_t thread;
	bool started;
};

unsigned int ctprof_parallel_jobs(const struct ctprof_options *options, size_t n)
{
	unsigned int jobs = options->jobs ? options->jobs : spare_cpus_read(options->root);

	if (jobs > CTPROF_LIMIT_JOBS)
		jobs = CTPROF_LIMIT_JOBS;
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

void ctprof_parallel_run(unsigned int jobs, size_t n, size_t chunk, const struct cancel *cancel,
			 ctprof_parallel_fn work, void *arg)
{
	struct parallel parallel = { n, chunk, cancel, work, arg, 0 };
	_cleanup_free_ struct parallel_worker *workers = xcalloc(jobs, sizeof(*workers));

	while (jobs > 1 && (jobs - 1) * chunk >= n)
		jobs--;
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
