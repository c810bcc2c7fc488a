// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/task.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/io.h"
#include "procfs/cpu_list.h"

enum {
	TASK_PATH_MAX = 32,
	/* opendir() would take as much from the heap for every process. */
	ENTRIES_BYTES = 32 << 10,
};

struct error *procfs_task_dir_open(const char *proc_root, pid_t pid, struct procfs_task_dir *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/%d/task", proc_root, (int)pid);
	DIR *dir = opendir(path);

	if (!dir)
		return base_error(BASE_IO, errno, "cannot open %s", path);
	ret->dir = dir;
	return NULL;
}

void procfs_task_dir_close(struct procfs_task_dir *task)
{
	if (task->dir)
		closedir(task->dir);
	task->dir = NULL;
}

void procfs_id_list_sort(struct procfs_id_list *list)
{
	/* None is negative. */
	list->ids.n = procfs_ids_sort((uint32_t *)list->ids.at, list->ids.n);
}

static int take_entries(const char *at, const char *end, size_t limit, struct procfs_id_list *into)
{
	while (at < end) {
		const struct dirent64 *entry = (const void *)at;
		struct slice name = { entry->d_name, strlen(entry->d_name) };
		uint64_t id;

		at += entry->d_reclen;
		if (!slice_u64(name, &id) || id == 0 || id > INT32_MAX)
			continue;
		if (into->ids.n >= limit)
			return E2BIG;
		vec_push(&into->ids, (pid_t)id);
	}
	return 0;
}

int procfs_id_list_read(int dir, size_t limit, struct procfs_id_list *ret)
{
	_Alignas(struct dirent64) char entries[ENTRIES_BYTES];
	long n;

	vec_clear(&ret->ids);
	while ((n = syscall(SYS_getdents64, dir, entries, sizeof(entries))) > 0) {
		int errnum = take_entries(entries, entries + n, limit, ret);

		if (errnum)
			return errnum;
	}
	if (n < 0)
		return errno;
	procfs_id_list_sort(ret);
	return 0;
}

void procfs_id_list_deinit(struct procfs_id_list *list)
{
	vec_deinit(&list->ids);
}

struct error *procfs_task_dir_list(struct procfs_task_dir *task, struct procfs_id_list *ret)
{
	struct procfs_id_list list = { VEC_INIT };
	int errnum;

	if (!task->dir)
		return base_error(BASE_ABSENT, ESRCH, "the threads could not be listed");
	rewinddir(task->dir);
	errnum = procfs_id_list_read(dirfd(task->dir), PROCFS_LIMIT_THREADS, &list);
	if (!errnum && list.ids.n) {
		*ret = list;
		return NULL;
	}
	procfs_id_list_deinit(&list);
	/* The kernel ends the listing of a process that is gone with ENOENT or without an error. */
	if (errnum && errnum != ENOENT)
		return base_error(BASE_IO, errnum, "list the threads");
	return base_error(BASE_ABSENT, ESRCH, "the process shows no threads");
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
		return base_error(BASE_IO, errno, "cannot open the %s file of thread %d", file,
				  (int)tid);
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
