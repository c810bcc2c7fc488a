/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From the kernel's raw values to what /proc shows of them. Pure: everything that depends on the
 * machine is in the rules.
 */
#ifndef KTSTR_CTPROF_BPF_SAMPLE_H
#define KTSTR_CTPROF_BPF_SAMPLE_H

#include "ctprof/bpf/record.h"
#include "metric/sample.h"

/* What this machine's /proc does with the values. */
struct ctprof_bpf_rules {
	uint64_t user_hz; /* divides 10^9 */
	uint64_t page_size;
	/* CPUs in nohz_full: times of threads there are completed by what runs right now. */
	bool is_vtime_used;
	/* /proc/PID/sched: which lines are there. */
	bool shows_sched, shows_slice, shows_stats, shows_core_forceidle, shows_ext;
	/* taskstats: filled at all; filled also for what is not the CPU. */
	bool counts_cpu_delays, counts_delays;
	/* All CPUs fit a record, and these are in use. */
	bool has_cpus;
	uint64_t cpus[CTPROF_BPF_RECORD_CPU_WORDS];
};

/* One that was reaped while the iterator held it has lost its numbers; it is nobody's any more. */
bool ctprof_bpf_sample_is_listed(const struct ctprof_bpf_record *record);

/*
 * Sets numbers and their source bits, not names, cgroup and CPU list; those sources alone are
 * tried that `wanted` has. A source that cannot be exact here stays unset. Returns how many times
 * were below 0 in the file `sched`.
 */
unsigned int ctprof_bpf_sample_set(const struct ctprof_bpf_record *record,
				   const struct ctprof_bpf_rules *rules, uint32_t wanted,
				   struct metric_thread_sample *sample);

/*
 * The bytes of a name as its file shows them, without blanks around; false when only the file
 * knows it (workers of a workqueue say there what they last did).
 */
bool ctprof_bpf_sample_name(const struct ctprof_bpf_record *record, const char **ret_at,
			    size_t *ret_n);
bool ctprof_bpf_sample_leader_name(const struct ctprof_bpf_record *record, const char **ret_at,
				   size_t *ret_n);

/* User and system time as the kernel splits the time a thread really ran. */
void ctprof_bpf_split_time(const struct ctprof_bpf_record *record, uint64_t *ret_utime_ns,
			   uint64_t *ret_stime_ns);

#endif
