/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of cgroups by the kernel's numbers for them, each asked once. */
#ifndef KTSTR_CTPROF_BPF_CGROUP_H
#define KTSTR_CTPROF_BPF_CGROUP_H

#include "base/hash_index.h"
#include "base/intern.h"
#include "procfs/cgroup_mount.h"

struct bpf_cgroup {
	uint64_t id;
	uint32_t path;
	bool known;
};

struct bpf_cgroups {
	struct cgroup_mount mount;
	int mount_fd; /* -1: nothing can be asked */
	VEC(struct bpf_cgroup) rows;
	struct hash_index index; /* of the rows, by id */
};

void bpf_cgroups_init(struct bpf_cgroups *cgroups);
void bpf_cgroups_deinit(struct bpf_cgroups *cgroups);
#define _cleanup_bpf_cgroups_ _cleanup_(bpf_cgroups_deinit)

/*
 * The path as /proc/PID/cgroup shows it to us. False for one that is gone, that lies outside of
 * the mount, or when it may not be asked for: only the file knows those.
 */
bool bpf_cgroups_find(struct bpf_cgroups *cgroups, uint64_t id, struct intern *strings,
		      uint32_t *ret_path);

#endif
