/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One thread as it was read: who it is, its values, and which of them are known. A value that is
 * not known is 0 here and must not be looked at: metric_sample_knows() first.
 *
 * Names, cgroup paths, CPU sets and smaps tables stand in tables of the snapshot, once each;
 * 0 is "" in a table of strings, and METRIC_SAMPLE_NO_ENTRY where there is none.
 */
#ifndef KTSTR_METRIC_SAMPLE_H
#define KTSTR_METRIC_SAMPLE_H

#include "metric/metric.h"

enum { METRIC_SAMPLE_WORDS = (METRIC_N + 63) / 64 };
#define METRIC_SAMPLE_NO_ENTRY UINT32_MAX

struct metric_thread_sample {
	uint32_t tid;
	uint32_t tgid;
	uint32_t pcomm, comm, cgroup; /* strings */
	uint32_t cpu_affinity;	      /* a CPU set */
	uint32_t smaps;		      /* a table; of a leader only */
	uint32_t sources;	      /* METRIC_SOURCE_BIT of those that were read */
	uint32_t uncounted;	      /* of those the kernel does not count for this thread */
	bool taskstats_ok;	      /* taskstats, or BPF in its place, has answered */
	uint64_t start_ticks;	      /* 0 when METRIC_SOURCE_STAT was not read */
	uint64_t read_at_ns;	      /* when its process was read, since the walk began */
	uint64_t known[METRIC_SAMPLE_WORDS];
	/*
	 * By metric_id. ORDINAL: two's complement of an int64_t; POLICY: the kernel's number;
	 * STATE: the letter; FLAG: 0 or 1; CPUSET: number of CPUs.
	 */
	uint64_t values[METRIC_N];
};

static inline bool metric_sample_knows(const struct metric_thread_sample *sample, enum metric_id id)
{
	return sample->known[id / 64] >> (id % 64) & 1;
}

static inline void metric_sample_set(struct metric_thread_sample *sample, enum metric_id id,
				     uint64_t value)
{
	sample->values[id] = value;
	sample->known[id / 64] |= UINT64_C(1) << (id % 64);
}

static inline void metric_sample_forget(struct metric_thread_sample *sample, enum metric_id id)
{
	sample->values[id] = 0;
	sample->known[id / 64] &= ~(UINT64_C(1) << (id % 64));
}

#endif
