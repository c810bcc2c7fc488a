// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/procfs/cgroup_mount.c */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "procfs/cgroup.h"

static bool shows_something(enum procfs_cgroup_mount_state state)
{
	return state >= PROCFS_CGROUP_MOUNT_SUBTREE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const asked[] = { "/", "/a", "/a/b", "/a/../b", "/..", "" };
	char *text = memcpy(malloc(n ? n : 1), data, n);
	struct procfs_cgroup_mount mount;

	procfs_cgroup_mount_parse(text, n, n % 2, &mount);
	free(text);
	if (mount.state == PROCFS_CGROUP_MOUNT_UNREADABLE ||
	    !*procfs_cgroup_mount_state_name(mount.state))
		abort();
	if (mount.state != PROCFS_CGROUP_MOUNT_NONE)
		fuzz_mark_deep();
	if (shows_something(mount.state) != (mount.path != NULL) || !mount.path != !mount.root)
		abort();
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		char *dir = procfs_cgroup_mount_dir(&mount, asked[i]);

		if (dir && (strncmp(dir, mount.path, strlen(mount.path)) != 0 ||
			    strstr(asked[i], "..") || *asked[i] != '/'))
			abort();
		free(dir);
	}
	procfs_cgroup_mount_deinit(&mount);
	procfs_cgroup_mount_find("/nonexistent", &mount);
	return 0;
}
