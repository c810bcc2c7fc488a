/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One process as a whole: is it there, what does it run. */
#ifndef KTSTR_PROCFS_PROCESS_H
#define KTSTR_PROCFS_PROCESS_H

#include <sys/types.h>

#include "base/error.h"
#include "procfs/thread_files.h"

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

#endif
