// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/walk_fields.h"

#include "procfs/io.h"
#include "procfs/sched.h"
#include "procfs/thread_stat.h"

/* A field of which no metric is made alone. */
enum { NO_METRIC = 0 };
_Static_assert((int)METRIC_THREAD_COUNT == NO_METRIC, "the number of threads is in no file");
_Static_assert((int)N_METRICS <= UINT8_MAX, "a map of metrics has bytes");

static const uint8_t stat_metrics[N_THREAD_STAT_FIELDS] = {
	[THREAD_STAT_MINFLT] = METRIC_MINFLT,
	[THREAD_STAT_MAJFLT] = METRIC_MAJFLT,
	[THREAD_STAT_UTIME_TICKS] = METRIC_UTIME_CLOCK_TICKS,
	[THREAD_STAT_STIME_TICKS] = METRIC_STIME_CLOCK_TICKS,
	[THREAD_STAT_PRIORITY] = METRIC_PRIORITY,
	[THREAD_STAT_NICE] = METRIC_NICE,
	[THREAD_STAT_PROCESSOR] = METRIC_PROCESSOR,
	[THREAD_STAT_RT_PRIORITY] = METRIC_RT_PRIORITY,
	[THREAD_STAT_POLICY] = METRIC_POLICY,
};

static const uint8_t schedstat_metrics[N_THREAD_SCHEDSTAT_FIELDS] = {
	[THREAD_SCHEDSTAT_RUN_NS] = METRIC_RUN_TIME_NS,
	[THREAD_SCHEDSTAT_WAIT_NS] = METRIC_WAIT_TIME_NS,
	[THREAD_SCHEDSTAT_TIMESLICES] = METRIC_TIMESLICES,
};

static const uint8_t io_metrics[N_PROC_IO_FIELDS] = {
	[PROC_IO_RCHAR] = METRIC_RCHAR,
	[PROC_IO_WCHAR] = METRIC_WCHAR,
	[PROC_IO_SYSCR] = METRIC_SYSCR,
	[PROC_IO_SYSCW] = METRIC_SYSCW,
	[PROC_IO_READ_BYTES] = METRIC_READ_BYTES,
	[PROC_IO_WRITE_BYTES] = METRIC_WRITE_BYTES,
	[PROC_IO_CANCELLED_WRITE_BYTES] = METRIC_CANCELLED_WRITE_BYTES,
};

static const uint8_t status_metrics[N_THREAD_STATUS_FIELDS] = {
	[THREAD_STATUS_STATE] = METRIC_STATE,
	[THREAD_STATUS_THREADS] = METRIC_NR_THREADS,
	[THREAD_STATUS_VOLUNTARY_CSW] = METRIC_VOLUNTARY_CSW,
	[THREAD_STATUS_NONVOLUNTARY_CSW] = METRIC_NONVOLUNTARY_CSW,
};

static const uint8_t sched_metrics[N_PROC_SCHED_FIELDS] = {
	[PROC_SCHED_NR_WAKEUPS] = METRIC_NR_WAKEUPS,
	[PROC_SCHED_NR_WAKEUPS_LOCAL] = METRIC_NR_WAKEUPS_LOCAL,
	[PROC_SCHED_NR_WAKEUPS_REMOTE] = METRIC_NR_WAKEUPS_REMOTE,
	[PROC_SCHED_NR_WAKEUPS_SYNC] = METRIC_NR_WAKEUPS_SYNC,
	[PROC_SCHED_NR_WAKEUPS_MIGRATE] = METRIC_NR_WAKEUPS_MIGRATE,
	[PROC_SCHED_NR_WAKEUPS_AFFINE] = METRIC_NR_WAKEUPS_AFFINE,
	[PROC_SCHED_NR_WAKEUPS_AFFINE_ATTEMPTS] = METRIC_NR_WAKEUPS_AFFINE_ATTEMPTS,
	[PROC_SCHED_NR_MIGRATIONS] = METRIC_NR_MIGRATIONS,
	[PROC_SCHED_NR_FORCED_MIGRATIONS] = METRIC_NR_FORCED_MIGRATIONS,
	[PROC_SCHED_NR_FAILED_MIGRATIONS_AFFINE] = METRIC_NR_FAILED_MIGRATIONS_AFFINE,
	[PROC_SCHED_NR_FAILED_MIGRATIONS_RUNNING] = METRIC_NR_FAILED_MIGRATIONS_RUNNING,
	[PROC_SCHED_NR_FAILED_MIGRATIONS_HOT] = METRIC_NR_FAILED_MIGRATIONS_HOT,
	[PROC_SCHED_WAIT_SUM_NS] = METRIC_WAIT_SUM,
	[PROC_SCHED_WAIT_COUNT] = METRIC_WAIT_COUNT,
	[PROC_SCHED_WAIT_MAX_NS] = METRIC_WAIT_MAX,
	[PROC_SCHED_SLEEP_MAX_NS] = METRIC_SLEEP_MAX,
	[PROC_SCHED_BLOCK_SUM_NS] = METRIC_BLOCK_SUM,
	[PROC_SCHED_BLOCK_MAX_NS] = METRIC_BLOCK_MAX,
	[PROC_SCHED_IOWAIT_SUM_NS] = METRIC_IOWAIT_SUM,
	[PROC_SCHED_IOWAIT_COUNT] = METRIC_IOWAIT_COUNT,
	[PROC_SCHED_EXEC_MAX_NS] = METRIC_EXEC_MAX,
	[PROC_SCHED_SLICE_MAX_NS] = METRIC_SLICE_MAX,
	[PROC_SCHED_CORE_FORCEIDLE_SUM_NS] = METRIC_CORE_FORCEIDLE_SUM,
	[PROC_SCHED_FAIR_SLICE_NS] = METRIC_FAIR_SLICE_NS,
	[PROC_SCHED_EXT_ENABLED] = METRIC_EXT_ENABLED,
};

static void take_fields(const struct proc_fields *fields, const uint8_t *map,
			struct thread_sample *sample)
{
	for (uint32_t left = fields->known; left; left &= left - 1) {
		unsigned int field = (unsigned int)__builtin_ctz(left);

		if (map[field] != NO_METRIC)
			sample_set(sample, map[field], fields->at[field]);
	}
}

bool walk_take_stat(const char *text, size_t n, struct thread_sample *sample)
{
	struct proc_fields fields;

	if (!thread_stat_parse(text, n, &fields))
		return false;
	take_fields(&fields, stat_metrics, sample);
	if (proc_fields_know(&fields, THREAD_STAT_START_TICKS))
		sample->start_ticks = fields.at[THREAD_STAT_START_TICKS];
	return true;
}

bool walk_take_schedstat(const char *text, size_t n, struct thread_sample *sample)
{
	struct proc_fields fields;

	if (!thread_schedstat_parse(text, n, &fields))
		return false;
	take_fields(&fields, schedstat_metrics, sample);
	return true;
}

bool walk_take_io(const char *text, size_t n, struct thread_sample *sample)
{
	struct proc_fields fields;

	if (!proc_io_parse(text, n, &fields))
		return false;
	take_fields(&fields, io_metrics, sample);
	return true;
}

bool walk_take_status(const char *text, size_t n, struct thread_sample *sample,
		      struct slice *ret_cpus)
{
	struct thread_status status;

	if (!thread_status_parse(text, n, &status))
		return false;
	/* Every thread tells the number of its process: once is enough. */
	if (sample->tid != sample->tgid)
		proc_fields_forget(&status.fields, THREAD_STATUS_THREADS);
	take_fields(&status.fields, status_metrics, sample);
	*ret_cpus = status.cpus;
	return true;
}

bool walk_take_sched(const char *text, size_t n, struct thread_sample *sample,
		     unsigned int *ret_negative_times)
{
	struct proc_sched sched;
	const uint64_t *at = sched.fields.at;

	if (!proc_sched_parse(text, n, &sched))
		return false;
	take_fields(&sched.fields, sched_metrics, sample);
	/* The kernel counts what is blocked among what sleeps. */
	if (proc_fields_know(&sched.fields, PROC_SCHED_SLEEP_SUM_NS) &&
	    proc_fields_know(&sched.fields, PROC_SCHED_BLOCK_SUM_NS)) {
		uint64_t sleep = at[PROC_SCHED_SLEEP_SUM_NS], block = at[PROC_SCHED_BLOCK_SUM_NS];

		sample_set(sample, METRIC_VOLUNTARY_SLEEP_NS, sleep > block ? sleep - block : 0);
	}
	*ret_negative_times = sched.negative_times;
	return true;
}
