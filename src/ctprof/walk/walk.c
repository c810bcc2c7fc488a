// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/stages.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "ctprof/group/group.h"
#include "ctprof/walk/thread.h"
#include "procfs/task.h"

/* Threads that are read at a stretch, and fewer that lack only something. */
enum { STRETCH = 128, FILL_CHUNK = 64, PATH_BYTES = 48 };

/* What one worker uses again and again. */
struct worker {
	struct ctprof_reader reader;
	struct procfs_id_list tids;
	struct ctprof_sample_list list;
	/* The process whose threads are filled; the directory is -1 when it is gone. */
	int task_dir;
	uint32_t tgid, pcomm;
};

/* Threads of a process that are listed. */
struct stretch {
	pid_t tgid;
	uint32_t pcomm;
	uint64_t read_at_ns;
	const pid_t *tids; /* of a large process: owned */
	size_t n;
};

struct walk {
	const struct ctprof_options *options;
	struct ctprof_snapshot *snapshot;
	uint64_t began_ns;
	int proc_dir;
	unsigned int jobs;
	struct worker *workers;
	struct procfs_id_list processes;
	struct ctprof_walk_tables tables; /* its lock is that of the stretches, too */
	VEC(uint32_t) todo;		  /* indices of threads that lack something */
	VEC(struct stretch) stretches;	  /* of large processes, for all workers to share */
	atomic_size_t processes_done, threads_done;
	atomic_size_t closed;  /* processes that are there and do not show their threads */
	atomic_int closed_why; /* the last errno */
};

static bool is_cancelled(const struct walk *walk)
{
	return cancel_requested(walk->options->cancel);
}

/* One worker does. */
static void tell_progress(const struct walk *walk, unsigned int worker)
{
	const struct ctprof_options *options = walk->options;

	if (worker == 0 && options->progress)
		options->progress(
			&(struct ctprof_progress){
				.processes_done = atomic_load(&walk->processes_done),
				.processes_total = walk->processes.ids.n,
				.threads = atomic_load(&walk->threads_done),
				.stage = "threads",
			},
			options->arg);
}

static int open_task_dir(const struct walk *walk, uint32_t tgid)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%" PRIu32 "/task", tgid);
	return openat(walk->proc_dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* "" when it cannot be read or is not wanted. */
static uint32_t read_process_name(const struct walk *walk, struct worker *worker, uint32_t tgid)
{
	char path[PATH_BYTES];
	uint32_t name = 0;

	snprintf(path, sizeof(path), "%" PRIu32 "/comm", tgid);
	if (walk->options->sources & METRIC_SOURCE_BIT(COMM))
		ctprof_reader_name(&worker->reader, walk->proc_dir, path, &name);
	return name;
}

/* The sample is read in place at the end of the list: copying each one would cost more. */
static struct metric_thread_sample *next_sample(struct worker *worker)
{
	vec_reserve_one_(&worker->list.samples);
	return &worker->list.samples.at[worker->list.samples.n];
}

static void read_threads(struct walk *walk, struct worker *worker, int task_dir,
			 const struct stretch *stretch)
{
	for (size_t i = 0; i < stretch->n && !is_cancelled(walk); i++) {
		struct metric_thread_sample *sample = next_sample(worker);

		memset(sample, 0, sizeof(*sample));
		sample->tid = (uint32_t)stretch->tids[i];
		sample->tgid = (uint32_t)stretch->tgid;
		sample->pcomm = stretch->pcomm;
		sample->cpu_affinity = sample->smaps = METRIC_SAMPLE_NO_ENTRY;
		sample->read_at_ns = stretch->read_at_ns;
		if (ctprof_reader_read(&worker->reader, task_dir,
				       walk->options->sources & CTPROF_WALK_SOURCES,
				       sample) == CTPROF_THREAD_KEPT)
			worker->list.samples.n++;
	}
	atomic_fetch_add(&walk->threads_done, stretch->n);
}

static void share_threads(struct walk *walk, const struct stretch *process)
{
	pthread_mutex_lock(&walk->tables.lock);
	for (size_t begin = 0; begin < process->n; begin += STRETCH) {
		struct stretch stretch = *process;
		size_t left = process->n - begin;

		stretch.n = left < STRETCH ? left : STRETCH;
		stretch.tids = memcpy(xcalloc(stretch.n, sizeof(pid_t)), process->tids + begin,
				      stretch.n * sizeof(pid_t));
		vec_push(&walk->stretches, stretch);
	}
	pthread_mutex_unlock(&walk->tables.lock);
}

/* A process that ends meanwhile has no threads. What is too large for one worker is shared. */
static void read_process(struct walk *walk, struct worker *worker, pid_t tgid)
{
	struct stretch process = {
		.tgid = tgid,
		.read_at_ns = clock_monotonic_ns() - walk->began_ns,
	};
	_cleanup_close_ int dir = open_task_dir(walk, (uint32_t)tgid);
	int errnum = dir < 0 ? errno
			     : procfs_id_list_read(dir, CTPROF_LIMIT_THREADS, &worker->tids);

	if (errnum && errnum != ENOENT && errnum != ESRCH) {
		atomic_fetch_add(&walk->closed, 1);
		atomic_store(&walk->closed_why, errnum);
	}
	if (errnum || worker->tids.ids.n == 0)
		return;
	process.pcomm = read_process_name(walk, worker, (uint32_t)tgid);
	process.tids = worker->tids.ids.at;
	process.n = worker->tids.ids.n;
	if (walk->jobs > 1 && process.n > 2 * STRETCH)
		share_threads(walk, &process);
	else
		read_threads(walk, worker, dir, &process);
}

static void read_processes(void *arg, unsigned int worker, size_t begin, size_t end)
{
	struct walk *walk = arg;

	for (size_t i = begin; i < end; i++) {
		read_process(walk, &walk->workers[worker], walk->processes.ids.at[i]);
		atomic_fetch_add(&walk->processes_done, 1);
	}
	tell_progress(walk, worker);
}

static void read_stretches(void *arg, unsigned int worker, size_t begin, size_t end)
{
	struct walk *walk = arg;

	for (size_t i = begin; i < end; i++) {
		const struct stretch *stretch = &walk->stretches.at[i];
		_cleanup_close_ int dir = open_task_dir(walk, (uint32_t)stretch->tgid);

		read_threads(walk, &walk->workers[worker], dir, stretch);
	}
	tell_progress(walk, worker);
}

/* Of `sources`, what a walk would read and this sample lacks. */
static uint32_t missing_of(const struct metric_thread_sample *sample, uint32_t sources)
{
	uint32_t missing = sources & CTPROF_WALK_SOURCES & ~sample->sources;

	return sample->tid == sample->tgid ? missing : missing & ~METRIC_SOURCE_BIT(SMAPS);
}

static void fill_threads(void *arg, unsigned int number, size_t begin, size_t end)
{
	struct walk *walk = arg;
	struct worker *worker = &walk->workers[number];

	for (size_t i = begin; i < end; i++) {
		struct metric_thread_sample *sample = &walk->snapshot->threads.at[walk->todo.at[i]];

		if (sample->tgid != worker->tgid) {
			cleanup_fd(&worker->task_dir);
			worker->task_dir = open_task_dir(walk, sample->tgid);
			worker->tgid = sample->tgid;
			worker->pcomm = 0;
		}
		/* Few lack the name of their process; what was read for one serves the next. */
		if (!sample->pcomm && !worker->pcomm)
			worker->pcomm = read_process_name(walk, worker, sample->tgid);
		if (!sample->pcomm)
			sample->pcomm = worker->pcomm;
		ctprof_reader_fill(&worker->reader, worker->task_dir,
				   missing_of(sample, walk->options->sources), sample);
	}
}

/* Most threads have the cgroup of the one before them, so its answer is kept. */
static void drop_unwanted(const struct ctprof_options *options, struct ctprof_snapshot *snapshot,
			  bool unknown_too)
{
	struct metric_thread_sample *threads = snapshot->threads.at;
	uint32_t last = UINT32_MAX;
	bool matches = false;
	size_t kept = 0;

	for (size_t i = 0; options->cgroup_glob && i < snapshot->threads.n; i++) {
		bool known = threads[i].sources & METRIC_SOURCE_BIT(CGROUP);

		if (known && threads[i].cgroup != last) {
			last = threads[i].cgroup;
			matches = ctprof_path_glob_matches(options->cgroup_glob,
							   intern_text(&snapshot->strings, last));
		}
		if (known ? !matches : unknown_too)
			continue;
		if (kept != i)
			threads[kept] = threads[i];
		kept++;
	}
	if (options->cgroup_glob)
		snapshot->threads.n = kept;
}

/*
 * Threads that another path has found stay where they are, in order, and are given what they lack;
 * those of other cgroups go.
 */
static void fill_found(struct walk *walk)
{
	struct ctprof_snapshot *snapshot = walk->snapshot;

	drop_unwanted(walk->options, snapshot, false);
	for (size_t i = 0; i < snapshot->threads.n; i++)
		if (missing_of(&snapshot->threads.at[i], walk->options->sources))
			vec_push(&walk->todo, (uint32_t)i);
	ctprof_parallel_run(walk->jobs, walk->todo.n, FILL_CHUNK, walk->options->cancel,
			    fill_threads, walk);
	drop_unwanted(walk->options, snapshot, true);
}

static void run_workers(struct walk *walk, struct ctprof_walk_tally *ret)
{
	const struct cancel *cancel = walk->options->cancel;
	struct ctprof_snapshot *snapshot = walk->snapshot;

	walk->jobs = ctprof_parallel_jobs(walk->options, SIZE_MAX);
	walk->workers = xcalloc(walk->jobs, sizeof(*walk->workers));
	ctprof_walk_tables_init(&walk->tables, snapshot);
	for (unsigned int i = 0; i < walk->jobs; i++) {
		walk->workers[i].task_dir = -1;
		ctprof_reader_init(&walk->workers[i].reader, walk->options, &walk->tables);
	}
	fill_found(walk);
	ctprof_parallel_run(walk->jobs, walk->processes.ids.n, 1, cancel, read_processes, walk);
	ctprof_parallel_run(walk->jobs, walk->stretches.n, 1, cancel, read_stretches, walk);
	for (unsigned int i = 0; i < walk->jobs; i++) {
		struct worker *worker = &walk->workers[i];

		ctprof_walk_append(snapshot, &worker->list);
		ctprof_walk_tally_add(ret, &worker->reader.tally);
		ctprof_reader_deinit(&worker->reader);
		procfs_id_list_deinit(&worker->tids);
		cleanup_fd(&worker->task_dir);
	}
	for (size_t i = 0; i < walk->stretches.n; i++)
		free((void *)walk->stretches.at[i].tids);
	vec_deinit(&walk->stretches);
	vec_deinit(&walk->todo);
	ctprof_walk_tables_deinit(&walk->tables);
	free(walk->workers);
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
	procfs_id_list_sort(&walk->processes);
	return NULL;
}

static struct error *list_processes(struct walk *walk, const char *proc)
{
	int errnum;

	if (walk->options->n_pids)
		return list_wanted(walk, proc);
	errnum = procfs_id_list_read(walk->proc_dir, CTPROF_LIMIT_PROCESSES, &walk->processes);
	if (errnum)
		return base_error(BASE_IO, errnum, "list the processes in %s", proc);
	if (walk->processes.ids.n == 0)
		return base_error(BASE_ABSENT, 0, "there is no process in %s", proc);
	return NULL;
}

static uint64_t without_us(const struct walk *walk)
{
	const struct procfs_id_list *list = &walk->processes;
	uint64_t n = list->ids.n;

	for (size_t i = 0; walk->options->live && i < list->ids.n; i++)
		n -= list->ids.at[i] == getpid();
	return n;
}

/* Records the path of each source, and for every thread the sources not asked for. */
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
	struct procfs_id_list *list = &walk->processes;
	size_t kept = 0;

	for (size_t i = 0; i < list->ids.n; i++)
		if (!has_process(walk->snapshot, (uint32_t)list->ids.at[i]))
			list->ids.at[kept++] = list->ids.at[i];
	list->ids.n = kept;
}

struct error *ctprof_walk_threads(const struct ctprof_options *options, uint64_t began_ns,
				  struct ctprof_snapshot *snapshot)
{
	_cleanup_free_ char *proc = xasprintf("%s/proc", options->root);
	_cleanup_close_ int dir = open(proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct walk walk = {
		.options = options,
		.snapshot = snapshot,
		.began_ns = began_ns,
		.proc_dir = dir,
	};
	struct ctprof_walk_tally tally = { 0 };
	struct error *err = NULL;

	if (dir < 0)
		return base_error(BASE_IO, errno, "cannot open %s", proc);
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
		tally.tids_walked = snapshot->threads.n;
	}
	if (!err)
		run_workers(&walk, &tally);
	procfs_id_list_deinit(&walk.processes);
	if (err)
		return err;
	tell_closed(&walk);
	ctprof_walk_tally_summarise(&tally, snapshot);
	note_paths(options, snapshot);
	return cancel_error(options->cancel, "walking through the threads");
}
