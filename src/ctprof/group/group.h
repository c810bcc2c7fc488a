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

#include "base/error.h"
#include "base/strbuf.h"
#include "ctprof/snapshot.h"
#include "metric/reduce.h"

/*
 * Paths of cgroups that differ only in instances, numbers and ids made one:
 *
 *	1. The first of the globs that matches the whole path takes its place, as it was written.
 *	2. Otherwise NAME@INSTANCE.service loses its instance, if that has none of `. _ -`:
 *	   /user.slice/user@1001.service becomes /user.slice/user@{I}.service,
 *	3. and the rules of metric_pattern_format() are applied to the whole path.
 */

struct ctprof_cgroup_key_rules {
	const char *const *flatten; /* globs that were checked */
	size_t n_flatten;
	bool literal; /* only the globs */
};

void ctprof_cgroup_key_format(const struct ctprof_cgroup_key_rules *rules, const char *path,
			      struct strbuf *into);

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

/*
 * Cgroups that share a key made one, by the column `merge` of procfs/cgroup.def; averages of
 * pressure become the largest, totals are added. memory.current is added up beside the largest.
 *
 * A v2 cgroup counts what happens below it. A member below another member is therefore contained
 * in that one's values and left out here.
 */

struct ctprof_merged_cgroup {
	uint32_t key;	  /* a string of the keys */
	uint32_t members; /* cgroups with this key, of which could be read: */
	uint32_t measured;
	uint32_t nested; /* of those, below another member */
	struct procfs_reading memory_current_total;
	struct procfs_cgroup_stats stats; /* names are strings of the snapshot */
};

struct ctprof_merged_cgroups {
	VEC(struct ctprof_merged_cgroup) rows; /* by text of the key */
};

void ctprof_cgroups_merge(struct ctprof_group_keys *keys, const struct ctprof_snapshot *snapshot,
			  struct ctprof_merged_cgroups *ret);
void ctprof_merged_cgroups_deinit(struct ctprof_merged_cgroups *cgroups);
#define _cleanup_ctprof_merged_cgroups_ _cleanup_(ctprof_merged_cgroups_deinit)

/*
 * Memory of processes by kind, added up over processes that share a key: the pattern of the
 * process's name, or name[pid] where names are taken as they are. Pages that processes share are
 * counted in each of them, except in Pss.
 */

struct ctprof_smaps_group {
	struct ctprof_group_key key; /* cgroup only on the axis `all`; process */
	/* What to show for the process: its name where all have the same, else as in the key. */
	uint32_t shown_as;
	uint32_t processes;
	struct procfs_named_readings bytes; /* names are strings of the snapshot */
};

struct ctprof_smaps_groups {
	VEC(struct ctprof_smaps_group) rows; /* most Rss first, then most Pss, then by key */
};

/* Leaders for which wanted() is false are left out; NULL wants all. */
void ctprof_smaps_groups_make(struct ctprof_group_keys *keys,
			      const struct ctprof_snapshot *snapshot,
			      bool (*wanted)(const struct metric_thread_sample *sample, void *arg),
			      void *arg, struct ctprof_smaps_groups *ret);
void ctprof_smaps_groups_deinit(struct ctprof_smaps_groups *groups);
#define _cleanup_ctprof_smaps_groups_ _cleanup_(ctprof_smaps_groups_deinit)

/*
 * Globs over paths of cgroups. `*` is any text within one segment, `**` (a whole segment) any
 * number of segments, none included, `?` one character, [a-z] and [!a-z] one of a class; nothing
 * but `**` matches a slash. A backslash is itself: systemd writes names with it. The whole path
 * must match.
 */

/* BASE_PARSE for a glob that is malformed, or could never match a path. */
struct error *ctprof_path_glob_check(const char *glob) MUST_CHECK;
/* Of a glob that was checked. */
bool ctprof_path_glob_matches(const char *glob, const char *path);

#endif
