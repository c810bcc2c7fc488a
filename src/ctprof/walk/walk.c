// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/walk/walk.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "ctprof/parallel.h"
#include "ctprof/group/path_glob.h"
#include "ctprof/walk/parts.h"
#include "ctprof/walk/thread.h"
#include "procfs/process.h"

enum { PATH_BYTES = 48 };

struct walk {
	const struct ctprof_options *options;
	struct ctprof_snapshot *snapshot;
	uint64_t began_ns;
	int proc_folder;
	unsigned int jobs;
	struct ctprof_id_list processes;
	struct ctprof_walk_tables tables;
	struct ctprof_walk_queue queue;
	atomic_size_t processes_done, threads_done;
	atomic_size_t closed;  /* processes that are there and do not show their threads */
	atomic_int closed_why; /* the last errno */
};

struct worker {
	struct walk *walk;
	pthread_t thread;
	bool started; /* as a thread of its own */
	bool tells;   /* progress; one worker does */
	struct ctprof_reader reader;
	struct ctprof_id_list tids;
	struct ctprof_sample_list list;
};

static bool is_cancelled(const struct walk *walk)
{
	return cancel_requested(walk->options->cancel);
}

static void tell_progress(const struct worker *worker)
{
	struct walk *walk = worker->walk;
	const struct ctprof_options *options = walk->options;

	if (worker->tells && options->progress)
		options->progress(
			&(struct ctprof_progress){
				.processes_done = atomic_load(&walk->processes_done),
				.processes_total = walk->processes.ids.n,
				.threads = atomic_load(&walk->threads_done),
				.stage = "threads",
			},
			options->arg);
}

/* The sample stands in the list already while it is read: a copy of each would cost more. */
static struct metric_thread_sample *next_sample(struct worker *worker)
{
	vec_reserve_one_(&worker->list.samples);
	return &worker->list.samples.at[worker->list.samples.n];
}

static void read_threads(struct worker *worker, const struct ctprof_walk_process *process,
			 size_t begin, size_t end)
{
	for (size_t i = begin; i < end && !is_cancelled(worker->walk); i++) {
		struct metric_thread_sample *sample = next_sample(worker);

		memset(sample, 0, sizeof(*sample));
		sample->tid = (uint32_t)process->tids[i];
		sample->tgid = (uint32_t)process->tgid;
		sample->pcomm = process->pcomm;
		sample->cpu_affinity = sample->smaps = METRIC_SAMPLE_NO_ENTRY;
		sample->read_at_ns = process->read_at_ns;
		if (ctprof_reader_read(&worker->reader, process->task_folder,
				       worker->walk->options->sources & CTPROF_WALK_SOURCES,
				       sample) == CTPROF_THREAD_KEPT)
			worker->list.samples.n++;
	}
	atomic_fetch_add(&worker->walk->threads_done, end - begin);
}

static struct ctprof_walk_process *process_share(const struct ctprof_walk_process *process)
{
	struct ctprof_walk_process *shared = xnew(struct ctprof_walk_process);

	*shared = *process;
	shared->tids = xcalloc(process->n, sizeof(*shared->tids));
	memcpy(shared->tids, process->tids, process->n * sizeof(*shared->tids));
	return shared;
}

/* A process that ends meanwhile has no threads. What is too large for one worker is returned. */
static struct ctprof_walk_process *read_process(struct worker *worker, pid_t tgid)
{
	struct walk *walk = worker->walk;
	struct ctprof_walk_process process = {
		.tgid = tgid,
		.read_at_ns = clock_monotonic_ns() - walk->began_ns,
	};
	_cleanup_close_ int folder = -1;
	char path[PATH_BYTES];
	int errnum;

	snprintf(path, sizeof(path), "%d/task", (int)tgid);
	folder = openat(walk->proc_folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	errnum = folder < 0 ? errno
			    : ctprof_id_list_read(folder, CTPROF_LIMIT_THREADS, &worker->tids);
	if (errnum && errnum != ENOENT && errnum != ESRCH) {
		atomic_fetch_add(&walk->closed, 1);
		atomic_store(&walk->closed_why, errnum);
	}
	if (errnum || worker->tids.ids.n == 0)
		return NULL;
	if (walk->options->sources & METRIC_SOURCE_BIT(COMM)) {
		snprintf(path, sizeof(path), "%d/comm", (int)tgid);
		/* "" when it cannot be read. */
		ctprof_reader_name(&worker->reader, walk->proc_folder, path, &process.pcomm);
	}
	process.task_folder = folder;
	process.tids = worker->tids.ids.at;
	process.n = worker->tids.ids.n;
	if (walk->jobs > 1 && process.n > 2 * CTPROF_WALK_CHUNK) {
		take_fd(folder);
		return process_share(&process);
	}
	read_threads(worker, &process, 0, process.n);
	return NULL;
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct walk *walk = worker->walk;
	struct ctprof_walk_item item;

	while (ctprof_walk_queue_take(&walk->queue, &item)) {
		struct ctprof_walk_process *share = NULL;

		if (item.process) {
			read_threads(worker, item.process, item.begin, item.end);
		} else {
			if (!is_cancelled(walk))
				share = read_process(worker, walk->processes.ids.at[item.index]);
			atomic_fetch_add(&walk->processes_done, 1);
		}
		ctprof_walk_queue_done(&walk->queue, &item, share);
		tell_progress(worker);
	}
	return NULL;
}

static void worker_init(struct worker *worker, struct walk *walk)
{
	*worker = (struct worker){ .walk = walk };
	ctprof_reader_init(&worker->reader, walk->options, &walk->tables);
}

static void worker_deinit(struct worker *worker)
{
	ctprof_reader_deinit(&worker->reader);
	ctprof_id_list_deinit(&worker->tids);
	vec_deinit(&worker->list.samples);
}

/* The caller is the first worker; one that cannot be started is done without. */
static void run_workers(struct walk *walk, struct ctprof_walk_tally *ret)
{
	_cleanup_free_ struct worker *workers = xcalloc(walk->jobs, sizeof(*workers));
	struct ctprof_snapshot *snapshot = walk->snapshot;

	for (unsigned int i = 0; i < walk->jobs; i++)
		worker_init(&workers[i], walk);
	workers[0].tells = true;
	for (unsigned int i = 1; i < walk->jobs; i++)
		workers[i].started = pthread_create(&workers[i].thread, NULL, work, &workers[i]) ==
				     0;
	work(&workers[0]);
	for (unsigned int i = 0; i < walk->jobs; i++) {
		if (workers[i].started)
			pthread_join(workers[i].thread, NULL);
		ctprof_walk_append(snapshot, &workers[i].list);
		ctprof_walk_tally_add(ret, &workers[i].reader.tally);
		worker_deinit(&workers[i]);
	}
	ctprof_walk_sort(snapshot->threads.at, snapshot->threads.n);
}

/* A number may be the one of a thread; its process is meant then. */
static pid_t process_of(const char *proc, pid_t pid)
{
	pid_t tgid = pid;

	error_free(procfs_status_pid_read(proc, pid, "Tgid", &tgid));
	return tgid > 0 ? tgid : pid;
}

static struct error *list_wanted(struct walk *walk, const char *proc)
{
	const struct ctprof_options *options = walk->options;

	for (size_t i = 0; i < options->n_pids; i++) {
		if (procfs_pid_exists(proc, options->pids[i])) {
			vec_push(&walk->processes.ids, process_of(proc, options->pids[i]));
		} else if (options->note) {
			_cleanup_free_ char *line = xasprintf("there is no process %d",
							      (int)options->pids[i]);

			options->note(line, options->arg);
		}
	}
	if (walk->processes.ids.n == 0)
		return base_error(BASE_ABSENT, ESRCH, "process %d%s", (int)options->pids[0],
				  options->n_pids > 1 ? " and the others" : "");
	ctprof_id_list_sort(&walk->processes);
	return NULL;
}

static struct error *list_processes(struct walk *walk, const char *proc)
{
	int errnum;

	if (walk->options->n_pids)
		return list_wanted(walk, proc);
	errnum = ctprof_id_list_read(walk->proc_folder, CTPROF_LIMIT_PROCESSES, &walk->processes);
	if (errnum)
		return base_error(BASE_IO, errnum, "list the processes in %s", proc);
	if (walk->processes.ids.n == 0)
		return base_error(BASE_ABSENT, 0, "there is no process in %s", proc);
	return NULL;
}

static uint64_t without_us(const struct walk *walk)
{
	const struct ctprof_id_list *list = &walk->processes;
	uint64_t n = list->ids.n;

	for (size_t i = 0; walk->options->live && i < list->ids.n; i++)
		n -= list->ids.at[i] == getpid();
	return n;
}

/* What was not asked for is said of every thread, and which way the rest took. */
static void note_paths(const struct ctprof_options *options, struct ctprof_snapshot *snapshot)
{
	for (unsigned int i = 0; i < METRIC_N_SOURCES; i++) {
		if (!(CTPROF_WALK_SOURCES >> i & 1))
			continue;
		if (!(options->sources >> i & 1))
			snapshot->reasons[i][CTPROF_SNAPSHOT_REASON_NOT_ASKED] +=
				snapshot->threads.n;
		else if (snapshot->paths[i] == CTPROF_SNAPSHOT_PATH_NONE)
			snapshot->paths[i] = options->live && i == METRIC_SOURCE_AFFINITY
						     ? CTPROF_SNAPSHOT_PATH_SYSCALL
						     : CTPROF_SNAPSHOT_PATH_PROCFS;
	}
}

static void tell_closed(const struct walk *walk)
{
	const struct ctprof_options *options = walk->options;
	_cleanup_free_ char *line = NULL;

	walk->snapshot->closed_processes += walk->closed;
	if (!walk->closed || !options->note)
		return;
	line = xasprintf("%zu processes do not show their threads: %s", (size_t)walk->closed,
			 strerror(walk->closed_why));
	options->note(line, options->arg);
}

/* Threads are in order of their processes. */
static bool has_process(const struct ctprof_snapshot *snapshot, uint32_t tgid)
{
	size_t begin = 0, end = snapshot->threads.n;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (snapshot->threads.at[middle].tgid < tgid)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin < snapshot->threads.n && snapshot->threads.at[begin].tgid == tgid;
}

/* Some kernels show an iterator less than they show in /proc. */
static void skip_known(struct walk *walk)
{
	struct ctprof_id_list *list = &walk->processes;
	size_t kept = 0;

	for (size_t i = 0; i < list->ids.n; i++)
		if (!has_process(walk->snapshot, (uint32_t)list->ids.at[i]))
			list->ids.at[kept++] = list->ids.at[i];
	list->ids.n = kept;
}

static void walk_listed(struct walk *walk, struct ctprof_walk_tally *tally)
{
	walk->jobs = ctprof_parallel_jobs(walk->options, SIZE_MAX);
	ctprof_walk_tables_init(&walk->tables, walk->snapshot);
	ctprof_walk_queue_init(&walk->queue, walk->processes.ids.n);
	run_workers(walk, tally);
	ctprof_walk_queue_deinit(&walk->queue);
	ctprof_walk_tables_deinit(&walk->tables);
	tell_closed(walk);
}

struct error *ctprof_walk_threads(const struct ctprof_options *options, uint64_t began_ns,
				  struct ctprof_snapshot *snapshot)
{
	_cleanup_free_ char *proc = xasprintf("%s/proc", options->root);
	_cleanup_close_ int folder = open(proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct walk walk = {
		.options = options,
		.snapshot = snapshot,
		.began_ns = began_ns,
		.proc_folder = folder,
	};
	struct ctprof_walk_tally tally = { 0 };
	struct error *err = NULL;

	if (folder < 0)
		return base_error(BASE_IO, errno, "open %s", proc);
	if (options->cgroup_glob)
		err = ctprof_path_glob_check(options->cgroup_glob);
	if (err)
		return err;
	err = list_processes(&walk, proc);
	snapshot->seen_processes = without_us(&walk);
	if (snapshot->threads.n) {
		/* All of them may have ended since. */
		error_free(take_ptr(err));
		skip_known(&walk);
		ctprof_walk_fill(options, folder, snapshot, &tally);
	}
	if (!err && walk.processes.ids.n)
		walk_listed(&walk, &tally);
	ctprof_id_list_deinit(&walk.processes);
	if (err)
		return err;
	ctprof_walk_tally_summarise(&tally, snapshot);
	note_paths(options, snapshot);
	return cancel_error(options->cancel, "walking through the threads");
}
