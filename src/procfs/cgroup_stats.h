/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the cgroup v2 filesystem says about one cgroup. */
#ifndef KTSTR_PROCFS_CGROUP_STATS_H
#define KTSTR_PROCFS_CGROUP_STATS_H

#include "procfs/pressure.h"

/* What the kernel takes when only a quota is written. */
enum { CGROUP_DEFAULT_PERIOD_US = 100000 };

struct cgroup_stats {
	bool known; /* the directory was there */
	struct {
		struct reading usage_usec, user_usec, system_usec;
		struct reading nr_periods, nr_throttled, throttled_usec, nr_bursts, burst_usec;
		struct limit max_quota_us;
		struct reading max_period_us;
		struct reading weight;
		bool weight_nice_known;
		int32_t weight_nice;
	} cpu;
	struct {
		struct reading current, peak, swap_current;
		struct limit max, high;
		struct limit low, min; /* LIMIT_NONE: "max", all of it is protected */
		struct named_readings stat, events;
	} memory;
	struct {
		struct reading current, peak;
		struct limit max;
	} pids;
	struct {
		/* Summed over devices: rbytes, wbytes, rios, wios, dbytes, dios, others. */
		struct named_readings stat;
	} io;
	uint32_t cpuset_effective; /* a string, "" when unknown */
	struct pressure pressure;
};

/* path is the cgroup's folder; keys and lists go into names. */
void cgroup_stats_read(const char *path, struct intern *names, struct cgroup_stats *ret);
void cgroup_stats_deinit(struct cgroup_stats *stats);

#endif
