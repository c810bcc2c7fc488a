// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/task.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"

enum { TASK_PATH_MAX = 32 };

struct error *procfs_task_dir_open(const char *proc_root, pid_t pid, struct procfs_task_dir *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/%d/task", proc_root, (int)pid);
	DIR *dir = opendir(path);

	if (!dir)
		return base_error(BASE_IO, errno, "open %s", path);
	ret->dir = dir;
	return NULL;
}

void procfs_task_dir_close(struct procfs_task_dir *task)
{
	if (task->dir)
		closedir(task->dir);
	task->dir = NULL;
}

/* -1 for a name that is no thread id, such as "." */
static pid_t parse_tid(const char *name)
{
	long value = 0;

	for (const char *p = name; *p; p++) {
		if (*p < '0' || *p > '9' || value > INT32_MAX / 10)
			return -1;
		value = value * 10 + (*p - '0');
	}
	return *name && value > 0 && value <= INT32_MAX ? (pid_t)value : -1;
}

static int compare_tids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

static size_t without_duplicates(pid_t *tids, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (kept == 0 || tids[kept - 1] != tids[i])
			tids[kept++] = tids[i];
	return kept;
}

struct error *procfs_task_dir_list(struct procfs_task_dir *task, struct procfs_tid_list *ret)
{
	struct procfs_tid_list list = { VEC_INIT };

	if (!task->dir)
		return base_error(BASE_ABSENT, ESRCH, "the threads could not be listed");
	rewinddir(task->dir);
	for (;;) {
		struct dirent *entry;
		pid_t tid;

		errno = 0;
		entry = readdir(task->dir);
		if (!entry)
			break;
		tid = parse_tid(entry->d_name);
		if (tid > 0)
			vec_push(&list.tids, tid);
	}
	if (errno) {
		int errnum = errno;

		procfs_tid_list_deinit(&list);
		return base_error(BASE_IO, errnum, "list the threads");
	}
	/* The kernel ends the listing of a process that is gone without an error. */
	if (list.tids.n == 0) {
		procfs_tid_list_deinit(&list);
		return base_error(BASE_ABSENT, ESRCH, "the process shows no threads");
	}
	qsort(list.tids.at, list.tids.n, sizeof(*list.tids.at), compare_tids);
	list.tids.n = without_duplicates(list.tids.at, list.tids.n);
	*ret = list;
	return NULL;
}

void procfs_tid_list_deinit(struct procfs_tid_list *list)
{
	vec_deinit(&list->tids);
}

bool procfs_task_dir_contains(const struct procfs_task_dir *task, pid_t tid)
{
	char name[TASK_PATH_MAX];
	struct stat st;

	snprintf(name, sizeof(name), "%d", (int)tid);
	return fstatat(dirfd(task->dir), name, &st, 0) == 0;
}

static struct error *open_file(const struct procfs_task_dir *task, pid_t tid, const char *file,
			       int *ret_fd)
{
	char name[TASK_PATH_MAX];
	int fd;

	snprintf(name, sizeof(name), "%d/%s", (int)tid, file);
	fd = openat(dirfd(task->dir), name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return base_error(BASE_IO, errno, "open the %s file of thread %d", file, (int)tid);
	*ret_fd = fd;
	return NULL;
}

static ssize_t read_start(int fd, void *into, size_t n)
{
	ssize_t got;

	do {
		got = pread(fd, into, n, 0);
	} while (got < 0 && errno == EINTR);
	return got;
}

struct error *procfs_task_stat_read(const struct procfs_task_dir *task, pid_t tid,
				    struct procfs_stat *ret)
{
	char text[PROCFS_STAT_MAX_BYTES];
	_cleanup_close_ int fd = -1;
	struct error *err;
	ssize_t n;

	err = open_file(task, tid, "stat", &fd);
	if (err)
		return err;
	n = read_start(fd, text, sizeof(text));
	if (n < 0)
		return base_error(BASE_IO, errno, "read the stat file of thread %d", (int)tid);
	return error_wrap(procfs_stat_parse(text, (size_t)n, ret), "thread %d", (int)tid);
}

struct error *procfs_task_nspid_read(const struct procfs_task_dir *task, pid_t tid,
				     struct procfs_nspid *ret)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_close_ int fd = -1;
	struct error *err;

	err = open_file(task, tid, "status", &fd);
	if (!err)
		err = io_read_fd(fd, "status", PROCFS_STATUS_MAX_BYTES, &text);
	if (!err)
		err = procfs_nspid_parse(strbuf_str(&text), text.n, ret);
	return error_wrap(err, "thread %d", (int)tid);
}

struct error *procfs_task_comm_open(const struct procfs_task_dir *task, pid_t tid, int *ret_fd)
{
	return open_file(task, tid, "comm", ret_fd);
}

struct error *procfs_task_comm_read(int fd, pid_t tid, char ret[PROCFS_COMM_MAX])
{
	char text[PROCFS_COMM_MAX];
	ssize_t n = read_start(fd, text, sizeof(text) - 1);

	if (n < 0)
		return base_error(BASE_IO, errno, "read the comm file of thread %d", (int)tid);
	/* The kernel ends the name with a newline; one inside the name stays. */
	if (n && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	memcpy(ret, text, (size_t)n + 1);
	return NULL;
}
