// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/task.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"

void procfs_address_space_open(const char *proc_root, pid_t pid, struct procfs_address_space *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/%d/mem", proc_root, (int)pid);

	ret->fd = open(path, O_RDONLY | O_CLOEXEC);
}

void procfs_address_space_close(struct procfs_address_space *space)
{
	if (space->fd >= 0)
		close(space->fd);
	space->fd = -1;
}

bool procfs_address_space_is_gone(const struct procfs_address_space *space)
{
	char byte;

	/* The kernel returns end of file once the memory is unused, before it looks at the
	 * address. */
	return space->fd >= 0 && pread(space->fd, &byte, 1, 0) == 0;
}

bool procfs_pid_exists(const char *proc_root, pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("%s/%d", proc_root, (int)pid);
	struct stat st;

	/* A refusal is not an absence. */
	return pid > 0 && (stat(path, &st) == 0 || (errno != ENOENT && errno != ESRCH));
}

struct error *procfs_exe_identity_read(const char *proc_root, pid_t pid,
				       struct procfs_exe_identity *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/%d/exe", proc_root, (int)pid);
	struct stat st;

	if (stat(path, &st) < 0)
		return base_error(BASE_IO, errno, "stat %s", path);
	*ret = (struct procfs_exe_identity){ .dev = st.st_dev, .ino = st.st_ino };
	return NULL;
}

struct error *procfs_exe_path_read(const char *proc_root, pid_t pid, char **ret)
{
	_cleanup_free_ char *path = xasprintf("%s/%d/exe", proc_root, (int)pid);
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target));

	if (n < 0)
		return base_error(BASE_IO, errno, "readlink %s", path);
	if (n == sizeof(target))
		return base_error(BASE_LIMIT, 0, "%s points to a path of more than %d bytes", path,
				  PATH_MAX);
	*ret = xstrndup(target, (size_t)n);
	return NULL;
}

struct error *procfs_stat_read(const char *proc_root, pid_t pid, struct procfs_stat *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/%d/stat", proc_root, (int)pid);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err = io_read_file(path, PROCFS_STAT_MAX_BYTES, &text);

	if (!err)
		err = procfs_stat_parse(strbuf_str(&text), text.n, ret);
	return error_wrap(err, "process %d", (int)pid);
}

struct error *procfs_status_pid_read(const char *proc_root, pid_t pid, const char *name, pid_t *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/%d/status", proc_root, (int)pid);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err = io_read_file(path, PROCFS_STATUS_MAX_BYTES, &text);

	if (!err)
		err = procfs_status_pid_parse(strbuf_str(&text), text.n, name, ret);
	return error_wrap(err, "%s", path);
}
