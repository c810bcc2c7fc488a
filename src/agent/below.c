// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/machine.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/alloc.h"
#include "base/cleanup.h"

/* openat2() came with 5.6, sched_ext with 6.12: no guest of ours is without it. */
int agent_below_open(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, root, *path ? path : ".", &how, sizeof(how));
}

int agent_below_make_directories(int root, const char *path)
{
	_cleanup_free_ char *prefix = xstrdup(path);
	_cleanup_close_ int here = agent_below_open(root, "", O_PATH | O_DIRECTORY);

	for (char *part = prefix + strspn(prefix, "/"); here >= 0 && *part;) {
		char *end = part + strcspn(part, "/"), saved = *end;
		int next;

		*end = '\0';
		next = agent_below_open(root, prefix, O_PATH | O_DIRECTORY);
		if (next < 0 && errno == ENOENT && mkdirat(here, part, 0755) == 0)
			next = agent_below_open(root, prefix, O_PATH | O_DIRECTORY);
		cleanup_fd(&here);
		here = next;
		*end = saved;
		part = end + strspn(end, "/");
	}
	return take_fd(here);
}

int agent_below_parent(int root, const char *path, const char **ret_base)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	_cleanup_free_ char *dir = xstrndup(path, (size_t)(base - path));

	/* The archive's own root, "." or "/", adds no entry to a directory. */
	if (!*base || strcmp(base, ".") == 0 || strcmp(base, "..") == 0) {
		errno = EINVAL;
		return -1;
	}
	*ret_base = base;
	return agent_below_make_directories(root, dir);
}
