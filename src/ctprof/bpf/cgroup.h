/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of cgroups by the kernel's numbers for them, each asked once. */
#ifndef KTSTR_CTPROF_BPF_CGROUP_H
#define KTSTR_CTPROF_BPF_CGROUP_H

#include "base/hash.h"
#include "base/intern.h"
#include "procfs/cgroup_mount.h"

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

#endif
