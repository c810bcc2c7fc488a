/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading one thread through /proc/PID/task: its files, its affinity, what was not to be had. */
#ifndef KTSTR_CTPROF_WALK_THREAD_H
#define KTSTR_CTPROF_WALK_THREAD_H

#include "ctprof/affinity.h"
#include "ctprof/capture.h"
#include "ctprof/walk_file.h"
#include "ctprof/walk_tables.h"
#include "ctprof/walk_tally.h"

/* What one worker uses again and again. */
struct thread_reader {
	const struct capture_options *options;
	struct walk_tables *tables;
	struct walk_tally tally;
	struct walk_buffer buffer;
	struct affinity affinity;
	struct cpu_ids ids;
	/* Most threads have the CPUs and the cgroup of the one before them. */
	uint32_t last_cpus, last_n_cpus;
	struct strbuf last_cgroup;
	uint32_t last_cgroup_id;
};

void thread_reader_init(struct thread_reader *reader, const struct capture_options *options,
			struct walk_tables *tables);
void thread_reader_deinit(struct thread_reader *reader);

/* The name of a process or thread, its blanks trimmed; 0, or the errno. "" is ENODATA. */
int thread_reader_name(struct thread_reader *reader, int folder, const char *path,
		       uint32_t *ret_string);

enum thread_outcome {
	THREAD_KEPT,
	THREAD_GHOST,	 /* ended before anything was read of it; leaves no notes */
	THREAD_UNWANTED, /* its cgroup does not match */
};

/*
 * Reads what of `sources` is to be had below the task folder; sample->tid and tgid say of whom.
 * Adds to the tally.
 */
enum thread_outcome thread_reader_read(struct thread_reader *reader, int task_folder,
				       uint32_t sources, struct thread_sample *sample);

/*
 * Reads what of `sources` the sample lacks. A sample that knows when its thread began keeps what
 * it had when its number belongs to another by now; the rest has vanished then.
 */
void thread_reader_fill(struct thread_reader *reader, int task_folder, uint32_t sources,
			struct thread_sample *sample);

#endif
