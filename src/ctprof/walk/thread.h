/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading one thread through /proc/PID/task: its files, its affinity, what was not to be had; and
 * what the workers of a walk share for it.
 */
#ifndef KTSTR_CTPROF_WALK_THREAD_H
#define KTSTR_CTPROF_WALK_THREAD_H

#include <pthread.h>
#include <sys/types.h>

#include "base/slice.h"
#include "base/vec.h"
#include "ctprof/capture.h"
#include "ctprof/snapshot.h"
#include "metric/sample.h"
#include "procfs/cpu_list.h"
#include "procfs/task.h"

/* Reading one small file below an open directory, into a buffer that is used again and again. */
struct ctprof_walk_buffer {
	char *at;
	size_t n;
	size_t capacity;
};

void ctprof_walk_buffer_init(struct ctprof_walk_buffer *buffer);
void ctprof_walk_buffer_deinit(struct ctprof_walk_buffer *buffer);

/* 0, or the errno; EFBIG beyond the limit. */
int ctprof_walk_file_read(int dir, const char *path, struct ctprof_walk_buffer *into);

/*
 * What an errno of ctprof_walk_file_read() says about `path`, which is TID/file: a file that is not
 * there while its thread's directory is was never there.
 */
enum ctprof_reason ctprof_walk_file_reason(int dir, const char *path, int errnum);

/* Tables of a snapshot into which several readers write at once. */
struct ctprof_walk_tables {
	pthread_mutex_t lock;
	struct ctprof_snapshot *snapshot;
	struct procfs_named_readings smaps; /* used again */
};

void ctprof_walk_tables_init(struct ctprof_walk_tables *tables, struct ctprof_snapshot *snapshot);
void ctprof_walk_tables_deinit(struct ctprof_walk_tables *tables);

uint32_t ctprof_walk_tables_add_string(struct ctprof_walk_tables *tables, struct slice text);
uint32_t ctprof_walk_tables_add_cpus(struct ctprof_walk_tables *tables,
				     const struct procfs_cpu_ids *ids);
/* The text of a smaps_rollup file; false when nothing of it is one. */
bool ctprof_walk_tables_add_smaps(struct ctprof_walk_tables *tables, const char *text, size_t n,
				  uint32_t *ret);

/*
 * What could not be read. Notes about a thread are held back until it is clear that the thread
 * belongs into the snapshot: one that ended before anything was read leaves none.
 */
struct ctprof_walk_notes {
	uint32_t absent;     /* METRIC_SOURCE_BIT of sources that were wanted and are not there */
	uint32_t unreadable; /* those of them whose file could not be read at all */
	uint8_t reasons[METRIC_N_SOURCES]; /* enum ctprof_reason, of the absent ones */
	unsigned int negative_times;
};

struct ctprof_walk_tally {
	uint64_t tids_walked;
	uint64_t negative_times;
	uint64_t failures[METRIC_N_SOURCES];
	uint64_t reasons[METRIC_N_SOURCES][CTPROF_N_REASONS];
};

void ctprof_walk_notes_absent(struct ctprof_walk_notes *notes, enum metric_source source,
			      enum ctprof_reason reason);
/* As above, and the file counts as one more that could not be read; a name never does. */
void ctprof_walk_notes_unreadable(struct ctprof_walk_notes *notes, enum metric_source source,
				  enum ctprof_reason reason);

void ctprof_walk_tally_commit(struct ctprof_walk_tally *tally,
			      const struct ctprof_walk_notes *notes);
void ctprof_walk_tally_add(struct ctprof_walk_tally *tally, const struct ctprof_walk_tally *more);

/*
 * Into the snapshot, with the file that failed most (of equal ones the first in the alphabet) and
 * whether at least half are files that the kernel may have been built without.
 */
void ctprof_walk_tally_summarise(const struct ctprof_walk_tally *tally,
				 struct ctprof_snapshot *snapshot);

/* Which CPUs a thread may run on, as the kernel holds it: sched_getaffinity(2). */

/* The mask of the thread that was asked last. */
struct ctprof_affinity {
	unsigned long *words;
	size_t n_words;
	size_t used_words; /* 0: none yet */
};

void ctprof_affinity_init(struct ctprof_affinity *affinity);
void ctprof_affinity_deinit(struct ctprof_affinity *affinity);

/*
 * 0, or the errno; ENODATA when no CPU is in the mask. *ret_same: the mask is the one of the call
 * before, as it is for most threads.
 */
int ctprof_affinity_read(struct ctprof_affinity *affinity, pid_t tid, bool *ret_same);
/* The mask as ids. */
void ctprof_affinity_ids(const struct ctprof_affinity *affinity, struct procfs_cpu_ids *ret);

/* From the text of a thread's file to its values: the column `key` of metrics.def says which. */

/*
 * The file of a source: stat, schedstat, io, status or sched. False, and nothing set, when the text
 * makes no sense. Adds times below 0, unless that is NULL.
 */
bool ctprof_walk_take(enum metric_source source, const char *text, size_t n,
		      struct metric_thread_sample *sample, unsigned int *negative_times);
/* The allowed CPUs are not set; *ret_cpus is a piece of the text, and may be all there is. */
bool ctprof_walk_take_status(const char *text, size_t n, struct metric_thread_sample *sample,
			     struct slice *ret_cpus);

/*
 * The kernel counts what is blocked among what sleeps: what was read as voluntary sleep loses it,
 * and is not known where the time blocked is not.
 */
void ctprof_walk_split_sleep(struct metric_thread_sample *sample);

/* What one worker uses again and again. */
struct ctprof_reader {
	const struct ctprof_options *options;
	struct ctprof_walk_tables *tables;
	struct ctprof_walk_tally tally;
	struct ctprof_walk_buffer buffer;
	struct ctprof_affinity affinity;
	struct procfs_cpu_ids ids;
	/* Most threads have the CPUs and the cgroup of the one before them. */
	uint32_t last_cpus, last_n_cpus;
	struct strbuf last_cgroup;
	uint32_t last_cgroup_id;
};

void ctprof_reader_init(struct ctprof_reader *reader, const struct ctprof_options *options,
			struct ctprof_walk_tables *tables);
void ctprof_reader_deinit(struct ctprof_reader *reader);

/* The name of a process or thread, its blanks trimmed; 0, or the errno. "" is ENODATA. */
int ctprof_reader_name(struct ctprof_reader *reader, int dir, const char *path,
		       uint32_t *ret_string);

enum ctprof_thread_outcome {
	CTPROF_THREAD_KEPT,
	CTPROF_THREAD_GHOST,	/* ended before anything was read of it; leaves no notes */
	CTPROF_THREAD_UNWANTED, /* its cgroup does not match */
};

/*
 * Reads what of `sources` is to be had below the task directory; sample->tid and tgid say of whom.
 * Adds to the tally.
 */
enum ctprof_thread_outcome ctprof_reader_read(struct ctprof_reader *reader, int task_dir,
					      uint32_t sources,
					      struct metric_thread_sample *sample);

/*
 * Reads what of `sources` the sample lacks. A sample that knows when its thread began keeps what
 * it had when its number belongs to another by now; the rest has vanished then.
 */
void ctprof_reader_fill(struct ctprof_reader *reader, int task_dir, uint32_t sources,
			struct metric_thread_sample *sample);

/* What a walk is made of, besides reading a thread. */

/* How much of a host, or of what claims to be one, a capture takes in. */
enum {
	CTPROF_LIMIT_PROCESSES = PROCFS_LIMIT_THREADS,
	CTPROF_LIMIT_THREADS = PROCFS_LIMIT_THREADS,
	/* One file of a thread. A status file with all of 65,536 groups has 0.7 MB. */
	CTPROF_LIMIT_FILE_BYTES = 2 << 20,
	/* Reading in parallel helps as far as the kernel's locks let it. */
	CTPROF_LIMIT_JOBS = 256,
};

/* From the samples of several workers to the threads of a snapshot. */
struct ctprof_sample_list {
	VEC(struct metric_thread_sample) samples;
};

/* Appends the samples and frees the list; an empty snapshot takes them over without a copy. */
void ctprof_walk_append(struct ctprof_snapshot *snapshot, struct ctprof_sample_list *list);

/* By process, then thread. Needs 16 bytes for each, not a second copy. */
void ctprof_walk_sort(struct metric_thread_sample *samples, size_t n);

/* Of sorted samples: how many are left when each number stands once, with what was seen last. */
size_t ctprof_walk_unique(struct metric_thread_sample *samples, size_t n);

#endif
