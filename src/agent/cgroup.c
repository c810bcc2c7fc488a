// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/machine.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/io.h"

enum { CONTROLLERS_BYTES = 4096 };

void agent_cgroup_enable_all(const char *path)
{
	_cleanup_free_ char *available = xasprintf("%s/cgroup.controllers", path);
	_cleanup_free_ char *control = xasprintf("%s/cgroup.subtree_control", path);
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;
	char *at, *name, *rest = NULL;

	error_free(io_read_file(available, CONTROLLERS_BYTES, &names));
	/* One by one: a refused one would take the others with it. */
	for (at = names.at; names.at && (name = strtok_r(at, " \n", &rest)); at = NULL) {
		_cleanup_free_ char *word = xasprintf("+%s", name);

		(void)agent_machine_write(control, word);
	}
}

/* Every part a plain name. */
static bool name_is_good(const char *name)
{
	while (*name) {
		size_t n = strcspn(name, "/");

		if (n == 0 || (n == 1 && name[0] == '.') ||
		    (n == 2 && name[0] == '.' && name[1] == '.'))
			return false;
		name += n;
		if (*name == '/' && *++name == '\0')
			return false;
	}
	return true;
}

int agent_cgroup_make(const char *root, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", root, name);
	char *slash = path + strlen(root);

	if (!*name || !name_is_good(name))
		return EINVAL;
	for (;;) {
		char *next = strchr(slash + 1, '/');

		if (next)
			*next = '\0';
		if (mkdir(path, 0755) == 0) {
			/* A new level has controllers only if its parent hands them down. */
			*slash = '\0';
			agent_cgroup_enable_all(path);
			*slash = '/';
		} else if (errno != EEXIST) {
			return errno;
		}
		if (!next)
			return 0;
		*next = '/';
		slash = next;
	}
}

int agent_cgroup_enter(const char *root, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s/cgroup.procs", root, name);

	return agent_machine_write(path, "0");
}
