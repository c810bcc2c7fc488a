/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The threads of a process as /proc/PID/task shows them. A task_dir keeps the
 * directory open: a number read through it cannot belong to another process that got
 * the same pid later.
 */
#ifndef KTSTR_PROCFS_TASK_H
#define KTSTR_PROCFS_TASK_H

#include <sys/types.h>

#include "base/error.h"
#include "base/vec.h"
#include "procfs/thread_files.h"

/* Threads of a process; the kernel's own bound is PID_MAX_LIMIT, 4 Mi. */
enum { PROCFS_LIMIT_THREADS = 4 << 20 };

/* The numbers in a directory of /proc: processes, or the threads of one. */
struct procfs_id_list {
	VEC(pid_t) ids; /* ascending, each once */
};

/* Replaces the ids; 0, or the errno, E2BIG beyond `limit`. Reads on from where the directory is. */
int procfs_id_list_read(int dir, size_t limit, struct procfs_id_list *ret);
void procfs_id_list_deinit(struct procfs_id_list *list);
/* Puts them in order. */
void procfs_id_list_sort(struct procfs_id_list *list);

struct procfs_task_dir {
	DIR *dir;
};

struct error *procfs_task_dir_open(const char *proc_root, pid_t pid,
				   struct procfs_task_dir *ret) MUST_CHECK;
void procfs_task_dir_close(struct procfs_task_dir *task);
/* Re-reads the directory from its beginning. */
struct error *procfs_task_dir_list(struct procfs_task_dir *task,
				   struct procfs_id_list *ret) MUST_CHECK;
bool procfs_task_dir_contains(const struct procfs_task_dir *task, pid_t tid);

/* Name, state and start time of a thread as they are now. */
struct error *procfs_task_stat_read(const struct procfs_task_dir *task, pid_t tid,
				    struct procfs_stat *ret) MUST_CHECK;

/* What the thread is called in each pid namespace. */
struct error *procfs_task_nspid_read(const struct procfs_task_dir *task, pid_t tid,
				     struct procfs_nspid *ret) MUST_CHECK;

/*
 * A descriptor of one thread's comm file stays bound to that very thread: once
 * the thread is gone, reading it is ESRCH even if its number was given to another. It
 * costs a fifth of reading stat, so it is what proves identity again and again.
 */
struct error *procfs_task_comm_open(const struct procfs_task_dir *task, pid_t tid,
				    int *ret_fd) MUST_CHECK;
struct error *procfs_task_comm_read(int fd, pid_t tid, char ret[PROCFS_COMM_MAX]) MUST_CHECK;

/* One process as a whole: is it there, what does it run. */

/* Device and inode of the executable: another program after an exec, or another process under a
 * used pid, differs. */
struct procfs_exe_identity {
	uint64_t dev;
	uint64_t ino;
};

/*
 * The address space of a process, held: after an exec, even of the same
 * program, and after the end it is another or none. -1 in fd when it may not be opened.
 */
struct procfs_address_space {
	int fd;
};

void procfs_address_space_open(const char *proc_root, pid_t pid, struct procfs_address_space *ret);
void procfs_address_space_close(struct procfs_address_space *space);
/* True only when it is certain that the process no longer uses it. */
bool procfs_address_space_is_gone(const struct procfs_address_space *space);

bool procfs_pid_exists(const char *proc_root, pid_t pid);
struct error *procfs_exe_identity_read(const char *proc_root, pid_t pid,
				       struct procfs_exe_identity *ret) MUST_CHECK;
/* Where the exe link points, in the target's view; the caller owns it. */
struct error *procfs_exe_path_read(const char *proc_root, pid_t pid, char **ret) MUST_CHECK;
struct error *procfs_stat_read(const char *proc_root, pid_t pid,
			       struct procfs_stat *ret) MUST_CHECK;

/* A line of /proc/PID/status that holds one pid, such as Tgid or TracerPid. */
struct error *procfs_status_pid_read(const char *proc_root, pid_t pid, const char *name,
				     pid_t *ret) MUST_CHECK;

/* /proc/PID/maps */

enum {
	/* A process may have vm.max_map_count areas, 65530 unless raised; lines are at most a path
	   long. */
	PROCFS_MAPS_MAX_BYTES = 256 << 20,
	PROCFS_MAPS_MAX_ROWS = 4 << 20,
};

struct procfs_map {
	uint64_t start;
	uint64_t end;
	uint64_t file_offset;
	unsigned int dev_major;
	unsigned int dev_minor;
	uint64_t inode;
	bool readable, writable, executable, shared;
	/* The file was removed or replaced since; ` (deleted)` is cut from the path. */
	bool deleted;
	/* As the kernel shows it in the target's view; "" for anonymous memory, "[stack]" and the
	 * like for special areas. */
	const char *path;
};

struct procfs_maps {
	VEC(struct procfs_map) rows;
	char *text; /* owns what the paths point into */
};

/* Takes all of it or nothing: a line that is not a mapping is BASE_PARSE with its number. */
struct error *procfs_maps_parse(const char *text, size_t n, struct procfs_maps *ret) MUST_CHECK;
struct error *procfs_maps_read(const char *proc_root, pid_t pid,
			       struct procfs_maps *ret) MUST_CHECK;
void procfs_maps_deinit(struct procfs_maps *maps);

#define _cleanup_procfs_proc_maps_ _cleanup_(procfs_maps_deinit)

#endif
