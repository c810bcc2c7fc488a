/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads of a snapshot sorted into groups along an axis, with every metric reduced.
 *
 *	struct ctprof_group_keys *keys = ctprof_group_keys_new(&rules);
 *	ctprof_group_keys_add(keys, &snapshot);          each snapshot that will be grouped
 *	ctprof_grouping_make(keys, &snapshot, NULL, NULL, &grouping);
 *
 * Two snapshots share one struct ctprof_group_keys: whether a name stands for itself or for a
 *pattern is decided over both, and equal keys are equal numbers.
 */
#ifndef KTSTR_CTPROF_GROUP_GROUP_H
#define KTSTR_CTPROF_GROUP_GROUP_H

#include "ctprof/group/cgroup_key.h"
#include "ctprof/snapshot.h"
#include "metric/derived.h"

/*
 * GROUP_AXIS(id, word, title, what). THREAD is not offered as an axis: it is what single threads
 * are shown by.
 */
#define CTPROF_AXES(X)                                                                 \
	X(PCOMM, "pcomm", "PROCESS", "name of the process, numbers left out")          \
	X(CGROUP, "cgroup", "CGROUP", "cgroup, instances and numbers left out")        \
	X(COMM, "comm", "THREAD", "name of the thread, numbers left out")              \
	X(COMM_EXACT, "comm-exact", "THREAD", "name of the thread as it is")           \
	X(ALL, "all", "THREAD", "cgroup, then process, then thread, numbers left out") \
	X(PROCESS, "process", "PROCESS", "each process alone, as name[pid]")           \
	X(THREAD, "thread", "THREAD", "each thread alone, as name[pid]/name[tid]")
#define GROUP_AXIS_(id, word, title, what) CTPROF_GROUP_AXIS_##id,
enum ctprof_axis { CTPROF_AXES(GROUP_AXIS_) CTPROF_N_AXES };
#undef GROUP_AXIS_

struct ctprof_axis_row {
	const char *word, *title, *what;
};
extern const struct ctprof_axis_row ctprof_axes[CTPROF_N_AXES];

struct ctprof_group_rules {
	enum ctprof_axis axis;
	bool literal_names; /* names of processes and threads as they are */
	struct ctprof_cgroup_key_rules cgroups;
};

struct ctprof_group_keys;
/* Borrows the globs in the rules. */
struct ctprof_group_keys *ctprof_group_keys_new(const struct ctprof_group_rules *rules) MUST_CHECK;
void ctprof_group_keys_free(struct ctprof_group_keys *keys);
DEFINE_CLEANUP(ctprof_group_keys, struct ctprof_group_keys *, NULL, ctprof_group_keys_free);
#define _cleanup_ctprof_group_keys_ _cleanup_(cleanup_ctprof_group_keys)
void ctprof_group_keys_add(struct ctprof_group_keys *keys, const struct ctprof_snapshot *snapshot);
/* Parts of keys are strings here. Borrowed. */
const struct intern *ctprof_group_keys_texts(const struct ctprof_group_keys *keys);
const struct ctprof_group_rules *ctprof_group_keys_rules(const struct ctprof_group_keys *keys);

/* What a group is known by: strings of the keys, "" where the axis does not look. */
struct ctprof_group_key {
	uint32_t cgroup, process, thread;
};

struct ctprof_group {
	struct ctprof_group_key key;
	struct metric_reduced values[METRIC_N];
};

struct ctprof_grouping {
	const struct ctprof_group_keys *keys; /* borrowed */
	VEC(struct ctprof_group *) groups;    /* by key */
};

/* Threads for which wanted() is false are left out; NULL wants all. */
void ctprof_grouping_make(struct ctprof_group_keys *keys, const struct ctprof_snapshot *snapshot,
			  bool (*wanted)(const struct metric_thread_sample *sample, void *arg),
			  void *arg, struct ctprof_grouping *ret);
void ctprof_grouping_deinit(struct ctprof_grouping *grouping);
#define _cleanup_ctprof_grouping_ _cleanup_(ctprof_grouping_deinit)

/* By text: cgroup, process, thread; numbers in names of processes by size. */
int ctprof_group_key_compare(const struct ctprof_group_keys *keys, const struct ctprof_group_key *a,
			     const struct ctprof_group_key *b);
/* The parts that are there, joined by a slash. */
void ctprof_group_key_format(const struct ctprof_group_keys *keys,
			     const struct ctprof_group_key *key, struct strbuf *into);

#endif
