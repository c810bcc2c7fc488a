// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/bpf/sample.h"

#include <string.h>

#include "ctprof/stages.h"
#include "ctprof/walk/thread.h"

/* Numbers of the kernel that its BTF does not have and that never change. */
enum {
	MAX_RT_PRIO = 100,
	DEFAULT_PRIO = 120,
	POLICY_NORMAL = 0,
	POLICY_BATCH = 3,
	POLICY_EXT = 7,
	FLAG_WQ_WORKER = 0x20,
	FLAG_KTHREAD = 0x200000,
	NS_OF_MS = 1000000,
};

/* include/linux/sched.h */
enum {
	STATE_REPORTED = 0x7f,
	STATE_IDLE = 0x402,
	STATE_RTLOCK_WAIT = 0x1000,
	STATE_FROZEN = 0x8000,
};

bool ctprof_bpf_sample_is_listed(const struct ctprof_bpf_record *record)
{
	return record->tid && record->tgid;
}

/* False when nothing is left: a name of blanks is none. */
static bool trim(const char *at, size_t n, struct slice *ret)
{
	*ret = slice_trim((struct slice){ at, strnlen(at, n) });
	return ret->n > 0;
}

bool ctprof_bpf_sample_name(const struct ctprof_bpf_record *record, struct slice *ret)
{
	if (record->flags & FLAG_WQ_WORKER)
		return false;
	/* Its name may be longer than what the task has of it. */
	if (record->flags & FLAG_KTHREAD && !(record->has & CTPROF_BPF_HAS_FULL_NAME))
		return false;
	return trim(record->name, sizeof(record->name), ret);
}

bool ctprof_bpf_sample_leader_name(const struct ctprof_bpf_record *record, struct slice *ret)
{
	/* Kernel threads lead themselves. */
	if (record->flags & (FLAG_WQ_WORKER | FLAG_KTHREAD))
		return ctprof_bpf_sample_name(record, ret);
	return trim(record->leader_comm, sizeof(record->leader_comm), ret);
}

/* cputime_adjust() of kernel/sched/cputime.c, but what it would remember stays as it is. */
void ctprof_bpf_split_time(const struct ctprof_bpf_record *record, uint64_t *ret_utime_ns,
			   uint64_t *ret_stime_ns)
{
	uint64_t ran = record->sum_exec_runtime_ns;
	uint64_t utime = record->utime_ns, stime = record->stime_ns;
	uint64_t prev_utime = record->prev_utime_ns, prev_stime = record->prev_stime_ns;

	*ret_utime_ns = prev_utime;
	*ret_stime_ns = prev_stime;
	if (prev_stime + prev_utime >= ran)
		return;
	/* Both come from ticks; only their ratio is used. */
	if (stime == 0)
		utime = ran;
	else if (utime == 0)
		stime = ran;
	else
		stime = (uint64_t)((unsigned __int128)stime * ran / (stime + utime));
	if (stime < prev_stime)
		stime = prev_stime;
	utime = ran - stime;
	/* Neither goes back. */
	if (utime < prev_utime) {
		utime = prev_utime;
		stime = ran - utime;
	}
	*ret_utime_ns = utime;
	*ret_stime_ns = stime;
}

static void set_signed(struct metric_thread_sample *sample, enum metric_id id, int64_t value)
{
	metric_sample_set(sample, id, (uint64_t)value);
}

static bool set_stat(const struct ctprof_bpf_record *record, const struct ctprof_bpf_rules *rules,
		     struct metric_thread_sample *sample)
{
	uint64_t tick_ns = 1000000000 / rules->user_hz;
	uint64_t utime, stime;

	if (rules->is_vtime_used || !(record->has & CTPROF_BPF_HAS_PREV_CPUTIME) ||
	    !(record->has & CTPROF_BPF_HAS_CPU))
		return false;
	sample->start_ticks = (record->start_boottime_ns + (uint64_t)record->boottime_offset_ns) /
			      tick_ns;
	ctprof_bpf_split_time(record, &utime, &stime);
	metric_sample_set(sample, METRIC_UTIME_CLOCK_TICKS, utime / tick_ns);
	metric_sample_set(sample, METRIC_STIME_CLOCK_TICKS, stime / tick_ns);
	metric_sample_set(sample, METRIC_MINFLT, record->min_flt);
	metric_sample_set(sample, METRIC_MAJFLT, record->maj_flt);
	metric_sample_set(sample, METRIC_POLICY, record->policy);
	set_signed(sample, METRIC_PRIORITY, record->prio - MAX_RT_PRIO);
	set_signed(sample, METRIC_NICE, record->static_prio - DEFAULT_PRIO);
	metric_sample_set(sample, METRIC_RT_PRIORITY, record->rt_priority);
	metric_sample_set(sample, METRIC_PROCESSOR, record->cpu);
	return true;
}

static bool set_status(const struct ctprof_bpf_record *record, struct metric_thread_sample *sample)
{
	static const char letters[] = "RSDTtXZPI";
	unsigned int bits = (record->state | record->exit_state) & STATE_REPORTED;
	unsigned int highest = 0;

	/* Kernels differ in what they call these. */
	if (record->state & (STATE_RTLOCK_WAIT | STATE_FROZEN))
		return false;
	if ((record->state & STATE_IDLE) == STATE_IDLE)
		bits = STATE_REPORTED + 1;
	for (; bits; bits >>= 1)
		highest++;
	metric_sample_set(sample, METRIC_STATE, (uint8_t)letters[highest]);
	metric_sample_set(sample, METRIC_VOLUNTARY_CSW, record->nvcsw);
	metric_sample_set(sample, METRIC_NONVOLUNTARY_CSW, record->nivcsw);
	if (record->tid == record->tgid)
		metric_sample_set(sample, METRIC_NR_THREADS, record->nr_threads);
	return true;
}

static bool set_schedstat(const struct ctprof_bpf_record *record,
			  struct metric_thread_sample *sample)
{
	if (!(record->has & CTPROF_BPF_HAS_SCHED_INFO))
		return false;
	metric_sample_set(sample, METRIC_RUN_TIME_NS, record->sum_exec_runtime_ns);
	metric_sample_set(sample, METRIC_WAIT_TIME_NS, record->run_delay_ns);
	metric_sample_set(sample, METRIC_TIMESLICES, record->pcount);
	return true;
}

static bool set_io(const struct ctprof_bpf_record *record, struct metric_thread_sample *sample)
{
	static const enum metric_id ids[CTPROF_BPF_N_IO] = {
#define BPF_IO(id, key) METRIC_##id,
#include "metric/bpf_rows.def"
	};

	if (!(record->has & CTPROF_BPF_HAS_IO))
		return false;
	for (unsigned int i = 0; i < CTPROF_BPF_N_IO; i++)
		metric_sample_set(sample, ids[i], record->io[i]);
	return true;
}

/*
 * A time goes through the file as milliseconds with a sign, a dot and the rest without one. So a
 * time of less than a millisecond loses its sign there, and an earlier one is not known.
 */
static bool shown_time(uint64_t ns, uint64_t *ret)
{
	if (ns >> 63 == 0)
		*ret = ns;
	else if (-ns < NS_OF_MS)
		*ret = -ns;
	else
		return false;
	return true;
}

static unsigned int set_time(struct metric_thread_sample *sample, enum metric_id id, uint64_t ns)
{
	uint64_t shown;

	if (!shown_time(ns, &shown))
		return 1;
	metric_sample_set(sample, id, shown);
	return 0;
}

static unsigned int set_stats(const struct ctprof_bpf_record *record,
			      struct metric_thread_sample *sample)
{
	static const enum metric_id ids[CTPROF_BPF_N_STATS] = {
#define BPF_STAT(id, key) METRIC_##id,
#include "metric/bpf_rows.def"
	};
	unsigned int below_0 = 0;

	for (unsigned int i = 0; i < CTPROF_BPF_N_STATS; i++) {
		if (metric_rows[ids[i]].unit == METRIC_UNIT_NS)
			below_0 += set_time(sample, ids[i], record->stats[i]);
		else
			metric_sample_set(sample, ids[i], record->stats[i]);
	}
	ctprof_walk_split_sleep(sample);
	return below_0;
}

static bool set_sched(const struct ctprof_bpf_record *record, const struct ctprof_bpf_rules *rules,
		      struct metric_thread_sample *sample, unsigned int *below_0)
{
	bool is_fair = record->policy == POLICY_NORMAL || record->policy == POLICY_BATCH ||
		       record->policy == POLICY_EXT;

	if (!rules->shows_sched || (rules->shows_stats && !(record->has & CTPROF_BPF_HAS_STATS)) ||
	    (rules->shows_ext && !(record->has & CTPROF_BPF_HAS_EXT)) ||
	    (rules->shows_slice && !(record->has & CTPROF_BPF_HAS_SLICE)) ||
	    (rules->shows_core_forceidle && !(record->has & CTPROF_BPF_HAS_CORE_FORCEIDLE)))
		return false;
	metric_sample_set(sample, METRIC_NR_MIGRATIONS, record->nr_migrations);
	if (rules->shows_slice && is_fair)
		metric_sample_set(sample, METRIC_FAIR_SLICE_NS, record->slice_ns);
	if (rules->shows_ext)
		metric_sample_set(sample, METRIC_EXT_ENABLED, record->is_ext);
	if (rules->shows_stats)
		*below_0 += set_stats(record, sample);
	if (rules->shows_core_forceidle)
		*below_0 += set_time(sample, METRIC_CORE_FORCEIDLE_SUM, record->core_forceidle_sum);
	return true;
}

static bool set_cpu_delays(const struct ctprof_bpf_record *record,
			   const struct ctprof_bpf_rules *rules,
			   struct metric_thread_sample *sample)
{
	if (!rules->counts_cpu_delays || !(record->has & CTPROF_BPF_HAS_SCHED_INFO))
		return false;
	metric_sample_set(sample, METRIC_CPU_DELAY_COUNT, record->pcount);
	metric_sample_set(sample, METRIC_CPU_DELAY_TOTAL_NS, record->run_delay_ns);
	if (record->has & CTPROF_BPF_HAS_RUN_DELAY_EXTREMES) {
		metric_sample_set(sample, METRIC_CPU_DELAY_MAX_NS, record->max_run_delay_ns);
		metric_sample_set(sample, METRIC_CPU_DELAY_MIN_NS, record->min_run_delay_ns);
	}
	return true;
}

static bool set_delays(const struct ctprof_bpf_record *record, const struct ctprof_bpf_rules *rules,
		       struct metric_thread_sample *sample)
{
	/* Of each kind four metrics stand in a row: count, total, longest, shortest. */
	enum { PER_KIND = METRIC_SWAPIN_DELAY_COUNT - METRIC_BLKIO_DELAY_COUNT };

	_Static_assert((int)METRIC_IRQ_DELAY_COUNT ==
			       METRIC_BLKIO_DELAY_COUNT + PER_KIND * CTPROF_BPF_DELAY_irq,
		       "kinds in the order of the registry");
	if (!rules->counts_delays || !(record->has & CTPROF_BPF_HAS_DELAYS))
		return false;
	/* taskstats would say 0, as of one that was never delayed. */
	if (record->has & CTPROF_BPF_LACKS_DELAYS) {
		sample->uncounted |= METRIC_SOURCE_BIT(DELAY_BLOCK);
		return false;
	}
	for (unsigned int i = 0; i < CTPROF_BPF_N_DELAYS; i++) {
		const struct ctprof_bpf_delay *delay = &record->delays[i];
		enum metric_id id = METRIC_BLKIO_DELAY_COUNT + PER_KIND * i;

		if (!(record->has >> (CTPROF_BPF_HAS_DELAY_KINDS_SHIFT + i) & 1))
			continue;
		metric_sample_set(sample, id, delay->count);
		metric_sample_set(sample, id + 1, delay->total_ns);
		if (record->has & CTPROF_BPF_HAS_DELAY_EXTREMES) {
			metric_sample_set(sample, id + 2, delay->max_ns);
			metric_sample_set(sample, id + 3, delay->min_ns);
		}
	}
	return true;
}

static bool set_watermarks(const struct ctprof_bpf_record *record,
			   const struct ctprof_bpf_rules *rules,
			   struct metric_thread_sample *sample)
{
	if (!(record->has & CTPROF_BPF_HAS_WATERMARKS))
		return false;
	metric_sample_set(sample, METRIC_HIWATER_RSS_BYTES,
			  record->hiwater_rss_pages * rules->page_size);
	metric_sample_set(sample, METRIC_HIWATER_VM_BYTES,
			  record->hiwater_vm_pages * rules->page_size);
	return true;
}

unsigned int ctprof_bpf_sample_set(const struct ctprof_bpf_record *record,
				   const struct ctprof_bpf_rules *rules, uint32_t wanted,
				   struct metric_thread_sample *sample)
{
	unsigned int below_0 = 0;

#define TRY(source, call)                                             \
	do {                                                          \
		if (wanted & METRIC_SOURCE_BIT(source) && (call))     \
			sample->sources |= METRIC_SOURCE_BIT(source); \
	} while (0)
	sample->tid = record->tid;
	sample->tgid = record->tgid;
	TRY(STAT, set_stat(record, rules, sample));
	TRY(STATUS, set_status(record, sample));
	TRY(SCHEDSTAT, set_schedstat(record, sample));
	TRY(IO, set_io(record, sample));
	TRY(SCHED, set_sched(record, rules, sample, &below_0));
	TRY(DELAY_CPU, set_cpu_delays(record, rules, sample));
	TRY(DELAY_BLOCK, set_delays(record, rules, sample));
	TRY(XACCT, set_watermarks(record, rules, sample));
#undef TRY
	sample->taskstats_ok = sample->sources & CTPROF_DELAY_SOURCES;
	return below_0;
}
