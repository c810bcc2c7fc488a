/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cgroups of a test: a subtree of its own, so that whatever the test starts can be found and
 * ended. `root` is where cgroup v2 is mounted; a plain folder with the same files will do for a
 * test of this.
 */
#ifndef KTSTR_SUITE_CGROUP_H
#define KTSTR_SUITE_CGROUP_H

#include <sys/types.h>

#include "base/vec.h"
#include "topo/cpuset.h"

#define SUITE_CGROUP_ROOT "/sys/fs/cgroup"
/* The subtree, and in it the cgroup of the test's function and of payloads without another. */
#define SUITE_CGROUP_SUBTREE "ktstr-test"
#define SUITE_CGROUP_OWN     "ktstr.own"

struct suite_cgroup_pids {
	VEC(pid_t) rows;
};

/*
 * The subtree, if wanted with controllers for its children, and the test's own cgroup in it. What a
 * dead test left there is removed. *ret_fd is -1, without an error, when there is no cgroup v2 at
 * `root`; processes of somebody else in the subtree are BASE_IO with EBUSY.
 */
struct error *suite_cgroup_subtree_make(const char *root, bool controllers, uint64_t limit_ms,
					int *ret_fd) MUST_CHECK;
/* Without controllers `cpus` must be NULL, which means all. */
struct error *suite_cgroup_make(int subtree_fd, const char *name, const struct topo_cpuset *cpus,
				uint64_t limit_ms) MUST_CHECK;
/* What the kernel really gave it. */
struct error *suite_cgroup_read_cpus(int subtree_fd, const char *name,
				     struct topo_cpuset *ret) MUST_CHECK;
/* The folder; BASE_ABSENT when there is none. */
struct error *suite_cgroup_open(int subtree_fd, const char *name, int *ret_fd) MUST_CHECK;

/* Every process of the subtree, but not zombies. Bounded; what cannot be read is left out. */
void suite_cgroup_list(int subtree_fd, struct suite_cgroup_pids *ret);
/* SIGKILL to all of them. */
struct error *suite_cgroup_kill(int subtree_fd, uint64_t limit_ms) MUST_CHECK;
/* The subtree with all it holds. Busy: BASE_IO. */
struct error *suite_cgroup_subtree_remove(const char *root, int subtree_fd,
					  uint64_t limit_ms) MUST_CHECK;

#endif
