/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The machine that a test runs on: its settings, CPUs, cgroups and processes. */
#ifndef KTSTR_SUITE_SYSTEM_H
#define KTSTR_SUITE_SYSTEM_H

#include "suite/report_writer.h"
#include "topo/machine.h"

/* How much longer than on real hardware things may take here. */

/* The text of WIRE_SLOWNESS_ENV: a number from 1 to 1000; NULL is 1. */
struct error *suite_slowness_parse(const char *text, double *ret) MUST_CHECK;
/* Rounded up. */
uint64_t suite_slowness_scaled_ms(double slowness, uint64_t ms);

/* The text of WIRE_SEED_ENV: a number of 64 bits; NULL is 0. */
struct error *suite_seed_parse(const char *text, uint64_t *ret) MUST_CHECK;

/* Settings of the guest's kernel, as a declaration has them: "kernel.sched_schedstats=1". */

/* `root` is "/proc/sys" or a directory like it. Dots and slashes are the same, as in sysctl(8). */
struct error *suite_settings_write(const char *root, const char *setting) MUST_CHECK;

/* The CPUs that a declaration means on the machine that runs it. */

/*
 * LLCs are counted by their lowest CPU, nodes by their number. BASE_ABSENT: the machine has no such
 * CPU, LLC or node; TOPO_UNKNOWN: it does not tell which CPUs share a cache.
 */
struct error *suite_cpus_resolve(const struct ktstr_cpus *cpus, const struct topo_machine *machine,
				 struct topo_cpuset *ret) MUST_CHECK;

/*
 * Calls that a broken scheduler can keep from ever returning: the kernel waits in them for tasks to
 * run. Each is made by a child, which we leave behind when it is late; nothing can end it then.
 */

/* As a limit: while no scheduler runs that could be broken the call is made here, which is cheaper.
 */
enum { SUITE_BOUNDED_AT_ONCE = 0 };

/* BASE_IO with the call's errno; BASE_CANCELLED when it was late. `label` is for the message. */
struct error *suite_bounded_write(int dir_fd, const char *file, const char *text, const char *label,
				  uint64_t limit_ms) MUST_CHECK;
struct error *suite_bounded_mkdir(int dir_fd, const char *name, const char *label,
				  uint64_t limit_ms) MUST_CHECK;
struct error *suite_bounded_rmdir(int dir_fd, const char *name, const char *label,
				  uint64_t limit_ms) MUST_CHECK;

/*
 * The cgroups of a test: a subtree of its own, so that whatever the test starts can be found and
 * ended. `root` is where cgroup v2 is mounted; a plain directory with the same files will do for a
 * test of this.
 */

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
/* The directory; BASE_ABSENT when there is none. */
struct error *suite_cgroup_open(int subtree_fd, const char *name, int *ret_fd) MUST_CHECK;

/* Every process of the subtree, but not zombies. Bounded; what cannot be read is left out. */
void suite_cgroup_list(int subtree_fd, struct suite_cgroup_pids *ret);
/* SIGKILL to all of them. */
struct error *suite_cgroup_kill(int subtree_fd, uint64_t limit_ms) MUST_CHECK;
/* The subtree with all it holds. Busy: BASE_IO. */
struct error *suite_cgroup_subtree_remove(const char *root, int subtree_fd,
					  uint64_t limit_ms) MUST_CHECK;

/* Processes of a test that are still there when they should not be. */

/*
 * All that live in the subtree (-1: there is none) and all children of ours, to which the
 * system gives those whose parents are gone. Ended children are reaped on the way.
 */
void suite_leftover_find(int subtree_fd, struct suite_cgroup_pids *ret);
/* Waits until there are none; false when limit_ms are over before. */
bool suite_leftover_wait(int subtree_fd, uint64_t limit_ms);
/* SIGKILL to all of them, again until they are gone or limit_ms are over. */
bool suite_leftover_kill(int subtree_fd, uint64_t limit_ms);
/* A part that names them, if there are any; `what` says how they came to be there. */
void suite_leftover_report(int subtree_fd, const char *what, struct suite_report_writer *report);

#endif
