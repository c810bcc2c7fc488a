// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/system.h"

#include <fcntl.h>
#include <string.h>

#include "base/alloc.h"

struct error *suite_settings_write(const char *root, const char *setting)
{
	const char *equals = strchr(setting, '=');
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	size_t n;

	if (!equals)
		return base_error(BASE_PARSE, 0, "\"%s\" is not \"name=value\"", setting);
	path = xasprintf("%s/%.*s", root, (int)(equals - setting), setting);
	for (char *at = path + strlen(root); *at; at++)
		if (*at == '.')
			*at = '/';
	fd = open(path, O_WRONLY | O_CLOEXEC);
	n = strlen(equals + 1);
	if (fd < 0 || write(fd, equals + 1, n) != (ssize_t)n)
		return base_error(BASE_IO, errno, "sysctl %s", setting);
	return NULL;
}
