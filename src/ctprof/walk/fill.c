// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/walk/parts.h"

#include <fcntl.h>

#include "ctprof/parallel.h"
#include "ctprof/group/path_glob.h"
#include "ctprof/walk/walk.h"
#include "ctprof/walk/thread.h"

enum { CHUNK = 64, PATH_BYTES = 48 };

struct filler {
	struct ctprof_reader reader;
	int task_folder; /* of the process below; -1 when it is gone */
	uint32_t tgid, pcomm;
};

struct fill {
	const struct ctprof_options *options;
	struct ctprof_snapshot *snapshot;
	struct ctprof_walk_tables tables;
	int proc_folder;
	VEC(uint32_t) todo; /* indices of threads */
	struct filler *fillers;
};

/* Of `sources`, what a walk would read and this sample lacks. */
static uint32_t missing_of(const struct metric_thread_sample *sample, uint32_t sources)
{
	uint32_t missing = sources & CTPROF_WALK_SOURCES & ~sample->sources;

	return sample->tid == sample->tgid ? missing : missing & ~METRIC_SOURCE_BIT(SMAPS);
}

static void enter_process(struct fill *fill, struct filler *filler, uint32_t tgid)
{
	char path[PATH_BYTES];

	if (filler->task_folder >= 0)
		close(filler->task_folder);
	filler->tgid = tgid;
	filler->pcomm = 0;
	snprintf(path, sizeof(path), "%u/task", tgid);
	filler->task_folder = openat(fill->proc_folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Few threads lack the name of their process; what was read for one serves the next. */
static void name_process(struct fill *fill, struct filler *filler,
			 struct metric_thread_sample *sample)
{
	char path[PATH_BYTES];

	if (sample->pcomm || !(fill->options->sources & METRIC_SOURCE_BIT(COMM)))
		return;
	snprintf(path, sizeof(path), "%u/comm", filler->tgid);
	if (!filler->pcomm)
		ctprof_reader_name(&filler->reader, fill->proc_folder, path, &filler->pcomm);
	sample->pcomm = filler->pcomm;
}

static void work(void *arg, unsigned int worker, size_t begin, size_t end)
{
	struct fill *fill = arg;
	struct filler *filler = &fill->fillers[worker];

	for (size_t i = begin; i < end; i++) {
		struct metric_thread_sample *sample = &fill->snapshot->threads.at[fill->todo.at[i]];

		if (sample->tgid != filler->tgid)
			enter_process(fill, filler, sample->tgid);
		name_process(fill, filler, sample);
		ctprof_reader_fill(&filler->reader, filler->task_folder,
				   missing_of(sample, fill->options->sources), sample);
	}
}

static void list_todo(struct fill *fill)
{
	for (size_t i = 0; i < fill->snapshot->threads.n; i++)
		if (missing_of(&fill->snapshot->threads.at[i], fill->options->sources))
			vec_push(&fill->todo, (uint32_t)i);
}

static void run(struct fill *fill, struct ctprof_walk_tally *tally)
{
	unsigned int jobs = ctprof_parallel_jobs(fill->options, (fill->todo.n + CHUNK - 1) / CHUNK);

	fill->fillers = xcalloc(jobs, sizeof(*fill->fillers));
	for (unsigned int i = 0; i < jobs; i++) {
		fill->fillers[i].task_folder = -1;
		ctprof_reader_init(&fill->fillers[i].reader, fill->options, &fill->tables);
	}
	ctprof_parallel_run(jobs, fill->todo.n, CHUNK, fill->options->cancel, work, fill);
	for (unsigned int i = 0; i < jobs; i++) {
		ctprof_walk_tally_add(tally, &fill->fillers[i].reader.tally);
		ctprof_reader_deinit(&fill->fillers[i].reader);
		if (fill->fillers[i].task_folder >= 0)
			close(fill->fillers[i].task_folder);
	}
	free(fill->fillers);
}

/* Most threads have the cgroup of the one before them, so its answer is kept. */
static void drop_unwanted(const struct ctprof_options *options, struct ctprof_snapshot *snapshot,
			  bool unknown_too)
{
	struct metric_thread_sample *threads = snapshot->threads.at;
	uint32_t last = UINT32_MAX;
	bool matches = false;
	size_t kept = 0;

	for (size_t i = 0; i < snapshot->threads.n; i++) {
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
	snapshot->threads.n = kept;
}

void ctprof_walk_fill(const struct ctprof_options *options, int proc_folder,
		      struct ctprof_snapshot *snapshot, struct ctprof_walk_tally *tally)
{
	struct fill fill = {
		.options = options,
		.snapshot = snapshot,
		.proc_folder = proc_folder,
	};

	tally->tids_walked += snapshot->threads.n;
	if (options->cgroup_glob)
		drop_unwanted(options, snapshot, false);
	ctprof_walk_tables_init(&fill.tables, snapshot);
	list_todo(&fill);
	if (fill.todo.n)
		run(&fill, tally);
	vec_deinit(&fill.todo);
	ctprof_walk_tables_deinit(&fill.tables);
	if (options->cgroup_glob)
		drop_unwanted(options, snapshot, true);
}
