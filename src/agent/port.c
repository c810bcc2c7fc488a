// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/machine.h"

#include <string.h>

#include "agent/agent.h"
#include "base/alloc.h"
#include "base/io.h"

enum { PORT_NAME_BYTES = 256 };

struct error *agent_port_find(const char *sysfs, const char *name, char **ret)
{
	_cleanup_free_ char *directory = xasprintf("%s/class/virtio-ports", sysfs);
	_cleanup_dir_ DIR *dir = opendir(directory);
	struct dirent *entry;

	if (!dir)
		return agent_error(AGENT_SYSTEM, errno, "%s", directory);
	while ((entry = readdir(dir))) {
		_cleanup_free_ char *path = xasprintf("%s/%s/name", directory, entry->d_name);
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		if (entry->d_name[0] == '.')
			continue;
		error_free(io_read_file(path, PORT_NAME_BYTES, &text));
		if (text.n && text.at[text.n - 1] == '\n')
			text.at[--text.n] = '\0';
		if (strcmp(strbuf_str(&text), name) == 0) {
			*ret = xstrdup(entry->d_name);
			return NULL;
		}
	}
	return agent_error(AGENT_SYSTEM, ENODEV, "there is no port named %s", name);
}
