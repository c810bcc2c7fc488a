// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/procfs/cgroup_mount.c */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "procfs/cgroup_mount.h"

static bool shows_something(enum cgroup_mount_state state)
{
	return state >= CGROUP_MOUNT_SUBTREE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const asked[] = { "/", "/a", "/a/b", "/a/../b", "/..", "" };
	char *text = memcpy(malloc(n ? n : 1), data, n);
	struct cgroup_mount mount;

	cgroup_mount_parse(text, n, n % 2, &mount);
	free(text);
	if (mount.state == CGROUP_MOUNT_UNREADABLE || !*cgroup_mount_state_word(mount.state))
		abort();
	if (mount.state != CGROUP_MOUNT_NONE)
		fuzz_mark_deep();
	if (shows_something(mount.state) != (mount.path != NULL) || !mount.path != !mount.root)
		abort();
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		char *folder = cgroup_mount_folder(&mount, asked[i]);

		if (folder && (strncmp(folder, mount.path, strlen(mount.path)) != 0 ||
			       strstr(asked[i], "..") || *asked[i] != '/'))
			abort();
		free(folder);
	}
	cgroup_mount_deinit(&mount);
	cgroup_mount_find("/nonexistent", &mount);
	return 0;
}
