/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From the kernel's raw values to what /proc shows of them. Pure: everything that depends on the
 * machine is in the rules.
 */
#ifndef KTSTR_CTPROF_BPF_SAMPLE_H
#define KTSTR_CTPROF_BPF_SAMPLE_H

#include "base/hash.h"
#include "base/intern.h"
#include "base/slice.h"
#include "ctprof/bpf/record.h"
#include "ctprof/capture.h"
#include "metric/sample.h"
#include "procfs/cgroup.h"

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

/* False for a task that was reaped while the iterator held it: it has no ids any more. */
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
bool ctprof_bpf_sample_name(const struct ctprof_bpf_record *record, struct slice *ret);
bool ctprof_bpf_sample_leader_name(const struct ctprof_bpf_record *record, struct slice *ret);

/* User and system time as the kernel splits the time a thread really ran. */
void ctprof_bpf_split_time(const struct ctprof_bpf_record *record, uint64_t *ret_utime_ns,
			   uint64_t *ret_stime_ns);

/* What this machine's /proc does with values of the kernel, asked once for all threads. */

/* Reads files below root; system calls are asked about the machine itself. */
void ctprof_bpf_rules_read(const char *root, struct ctprof_bpf_rules *ret);

/* Of "0-3,5\n"; false when a CPU does not fit. */
bool ctprof_bpf_rules_parse_cpus(const char *text, size_t n,
				 uint64_t cpus[CTPROF_BPF_RECORD_CPU_WORDS]);

/* Names of cgroups by the kernel's numbers for them, each asked once. */

struct ctprof_bpf_cgroup {
	uint64_t id;
	uint32_t path;
	bool known;
};

struct ctprof_bpf_cgroups {
	struct procfs_cgroup_mount mount;
	int mount_fd; /* -1: nothing can be asked */
	VEC(struct ctprof_bpf_cgroup) rows;
	struct hash_index index; /* of the rows, by id */
};

void ctprof_bpf_cgroups_init(struct ctprof_bpf_cgroups *cgroups);
void ctprof_bpf_cgroups_deinit(struct ctprof_bpf_cgroups *cgroups);
#define _cleanup_ctprof_bpf_cgroups_ _cleanup_(ctprof_bpf_cgroups_deinit)

/*
 * The path as /proc/PID/cgroup shows it to us. False for one that is gone, that lies outside of
 * the mount, or when it may not be asked for: only the file knows those.
 */
bool ctprof_bpf_cgroups_find(struct ctprof_bpf_cgroups *cgroups, uint64_t id,
			     struct intern *strings, uint32_t *ret_path);

/* About how many threads there are to read, for less than reading one of them costs. */

/*
 * The number behind the slash in /proc/loadavg: of the whole machine, even in a pid namespace.
 * False when there is none.
 */
bool ctprof_thread_count_parse(const char *loadavg, size_t n, uint64_t *ret);
/* Of the processes that are asked for, or of the machine; false when it is not known. */
bool ctprof_thread_count_read(const struct ctprof_options *options, uint64_t *ret);

#endif
