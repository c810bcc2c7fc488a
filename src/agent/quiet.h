/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits until every CPU of the guest has been idle for a while, and if that never happens, names
 * the tasks that kept them busy.
 *
 * Two sources together are exact. The kernel adds a task's time to its CPU's in /proc/schedstat
 * only when the task leaves the CPU, so a loop that is alone there adds nothing for seconds; but
 * /proc/loadavg counts the tasks that run or want to at this moment, and so does procs_running of
 * /proc/stat, which sums all interrupts of all CPUs first. Where no task but
 * the agent does so, all time of tasks since the look before is in the counters.
 */
#ifndef KTSTR_AGENT_QUIET_H
#define KTSTR_AGENT_QUIET_H

#include <sys/types.h>

#include "base/slice.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "procfs/thread_files.h"
#include "wire/message.h"

struct agent_output;

enum {
	AGENT_QUIET_WINDOWS = 3,     /* one after the other, all of them quiet */
	AGENT_QUIET_TASKS_MS = 200,  /* tasks are watched for so long, to name the busiest */
	AGENT_QUIET_IDLE_MS = 100,   /* least window where only /proc/stat has times */
	AGENT_QUIET_TASKS_NAMED = 3, /* at most */
	AGENT_LIMIT_QUIET_CPUS = 8192,
	AGENT_LIMIT_QUIET_FILE_BYTES = 16 << 20,
	AGENT_LIMIT_QUIET_TASKS = 32768,
	AGENT_LIMIT_QUIET_WINDOW_MS = 60000,
};

struct agent_quiet_cpu {
	uint32_t cpu;
	uint64_t ns; /* in tasks, or idle, since boot */
};

/* What /proc showed at one moment. */
struct agent_quiet_sample {
	uint64_t at_ns;	  /* CLOCK_MONOTONIC */
	uint64_t own_ns;  /* CPU time of the agent */
	uint32_t own_cpu; /* where it was */
	uint64_t running; /* tasks that run or wait for a CPU, the agent is one */
	bool by_idle;	  /* the times are idle times, in steps of a clock tick */
	VEC(struct agent_quiet_cpu) cpus;
};

/* quiet_sample.c */
void agent_quiet_sample_deinit(struct agent_quiet_sample *sample);
/*
 * Replaces the CPUs by those of a /proc/schedstat of version 15 or later. False, and no CPUs, when
 * there are none or a line makes no sense.
 */
bool agent_quiet_schedstat_parse(struct slice text, struct agent_quiet_sample *ret);
/* The same for the idle times of a /proc/stat. */
bool agent_quiet_idle_parse(struct slice text, uint64_t tick_ns, struct agent_quiet_sample *ret);
/* "0.00 0.01 0.05 1/80 123": the 1 of a /proc/loadavg. */
bool agent_quiet_loadavg_parse(struct slice text, uint64_t *ret);
/* procs_running of a /proc/stat. */
bool agent_quiet_running_parse(struct slice text, uint64_t *ret);
/* Of the times in /proc/stat. */
uint64_t agent_quiet_tick_ns(void);

/* The CPU that was busiest between two samples, without the agent's own work. */
struct agent_quiet_share {
	uint32_t cpu;
	uint32_t permille;
};
/* False when the two do not have the same CPUs. */
bool agent_quiet_sample_compare(const struct agent_quiet_sample *before,
				const struct agent_quiet_sample *after,
				struct agent_quiet_share *ret);

/* quiet_tasks.c: every thread and its CPU time so far. */
struct agent_quiet_task {
	pid_t pid, tid;
	uint32_t cpu;
	uint64_t start_jiffies;
	uint64_t run_ns;
	char comm[PROCFS_COMM_MAX];
};

struct agent_quiet_tasks {
	uint64_t at_ns;
	VEC(struct agent_quiet_task) rows;
};

void agent_quiet_tasks_deinit(struct agent_quiet_tasks *tasks);
/* False when it is not the stat of a thread. schedstat may be empty: then ticks of stat count. */
bool agent_quiet_task_parse(struct slice stat, struct slice schedstat, uint64_t tick_ns,
			    struct agent_quiet_task *ret);
/* Appends "sh (pid 77) used 98 % of CPU 2" for the busiest ones; false when there is none. */
bool agent_quiet_tasks_name(const struct agent_quiet_tasks *before,
			    const struct agent_quiet_tasks *after, struct strbuf *into);

/* quiet_read.c */
struct error *agent_quiet_sample_read(const char *proc_root,
				      struct agent_quiet_sample *ret) MUST_CHECK;
/* Threads that end meanwhile are left out, and so is the agent. */
struct error *agent_quiet_tasks_read(const char *proc_root,
				     struct agent_quiet_tasks *ret) MUST_CHECK;

/* quiet.c: one request of the host. */
struct agent_quiet;

/* Looks for the first time. */
struct error *agent_quiet_new(uint32_t channel, const struct wire_settle *request,
			      const char *proc_root, struct agent_quiet **ret) MUST_CHECK;
void agent_quiet_free(struct agent_quiet *quiet);
uint32_t agent_quiet_channel(const struct agent_quiet *quiet);
/* When to call agent_quiet_step() next. */
uint64_t agent_quiet_due_ns(const struct agent_quiet *quiet);
/* Looks if it is time to. True when the request was answered. */
bool agent_quiet_step(struct agent_quiet *quiet, struct agent_output *out);

/*
 * What a look means: AGENT_QUIET_WAIT for the next one, AGENT_QUIET_NAME the tasks, since the time
 * is over, or AGENT_QUIET_DONE. The sample is taken over and emptied.
 */
enum agent_quiet_verdict { AGENT_QUIET_WAIT, AGENT_QUIET_NAME, AGENT_QUIET_DONE };
enum agent_quiet_verdict agent_quiet_judge(struct agent_quiet *quiet,
					   struct agent_quiet_sample *sample);
/* With the first sample of the caller's, for tests. Takes it over. */
struct agent_quiet *agent_quiet_begin(uint32_t channel, const struct wire_settle *request,
				      struct agent_quiet_sample *first);
/* What SETTLED says. */
struct wire_settled agent_quiet_result(const struct agent_quiet *quiet);

#endif
