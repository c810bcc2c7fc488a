// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/process.h"

#include <limits.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"

bool proc_pid_exists(const char *proc_root, pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("%s/%d", proc_root, (int)pid);
	struct stat st;

	/* A refusal is not an absence. */
	return pid > 0 && (stat(path, &st) == 0 || (errno != ENOENT && errno != ESRCH));
}

struct error *proc_exe_identity_read(const char *proc_root, pid_t pid, struct exe_identity *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/%d/exe", proc_root, (int)pid);
	struct stat st;

	if (stat(path, &st) < 0)
		return base_error(BASE_IO, errno, "stat %s", path);
	*ret = (struct exe_identity){ .dev = st.st_dev, .ino = st.st_ino };
	return NULL;
}

struct error *proc_exe_path_read(const char *proc_root, pid_t pid, char **ret)
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

struct error *proc_stat_read(const char *proc_root, pid_t pid, struct proc_stat *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/%d/stat", proc_root, (int)pid);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err = io_read_file(path, PROC_STAT_MAX_BYTES, &text);

	if (!err)
		err = proc_stat_parse(strbuf_str(&text), text.n, ret);
	return error_wrap(err, "process %d", (int)pid);
}
