/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the cgroup v2 tree is mounted, which need not be /sys/fs/cgroup; see proc(5), mountinfo. */
#ifndef KTSTR_PROCFS_CGROUP_MOUNT_H
#define KTSTR_PROCFS_CGROUP_MOUNT_H

#include "base/error.h"

enum {
	PROCFS_CGROUP_MOUNTINFO_BYTES = 64 << 20,
	PROCFS_CGROUP_MOUNTS = 1 << 18,
};

/* The worst that holds. PROCFS_CGROUP_MOUNT_STATE(id, word, what). */
#define PROCFS_CGROUP_MOUNT_STATES(X)                                                            \
	X(UNREADABLE, "unreadable", "the list of mounts could not be read")                      \
	X(NONE, "none", "no cgroup filesystem is mounted")                                       \
	X(V1_ONLY, "v1-only", "only cgroup v1 is mounted")                                       \
	X(OUTSIDE, "outside", "the mount belongs to another cgroup namespace than ours")         \
	X(SUBTREE, "subtree", "only a part of the tree is mounted")                              \
	X(NAMESPACE, "namespace", "paths begin at the root of our own cgroup namespace")         \
	X(SEVERAL, "several", "mounted at more than one place; the one that shows most is read") \
	X(HYBRID, "hybrid", "mounted beside cgroup v1, which may hold the controllers")          \
	X(FOUND, "found", "mounted once and for all controllers")
#define PROCFS_CGROUP_MOUNT_STATE_(id, word, what) PROCFS_CGROUP_MOUNT_##id,
enum procfs_cgroup_mount_state {
	PROCFS_CGROUP_MOUNT_STATES(PROCFS_CGROUP_MOUNT_STATE_) PROCFS_N_CGROUP_MOUNT_STATES
};
#undef PROCFS_CGROUP_MOUNT_STATE_

struct procfs_cgroup_mount {
	enum procfs_cgroup_mount_state state;
	char *path; /* with the caller's root in front; NULL when there is nothing to read */
	char *root; /* which cgroup is seen at that path; "/" for the whole tree */
};

const char *procfs_cgroup_mount_state_word(enum procfs_cgroup_mount_state state);

/*
 * Of /proc/self/mountinfo. A mount that lies below another one counts as absent. own_namespace:
 * this is not the first cgroup namespace.
 */
void procfs_cgroup_mount_parse(const char *text, size_t n, bool own_namespace,
			       struct procfs_cgroup_mount *ret);
/* Reads below root ("" for this machine). */
void procfs_cgroup_mount_find(const char *root, struct procfs_cgroup_mount *ret);
void procfs_cgroup_mount_deinit(struct procfs_cgroup_mount *mount);
#define _cleanup_procfs_cgroup_mount_ _cleanup_(procfs_cgroup_mount_deinit)

/*
 * The folder of a cgroup as /proc/PID/cgroup names it, or NULL when the mount does not show it.
 * The caller owns it.
 */
char *procfs_cgroup_mount_folder(const struct procfs_cgroup_mount *mount, const char *cgroup);

#endif
