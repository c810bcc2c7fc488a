/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One process as a whole: is it there, what does it run. */
#ifndef KTSTR_PROCFS_PROCESS_H
#define KTSTR_PROCFS_PROCESS_H

#include <sys/types.h>

#include "base/error.h"
#include "procfs/thread_files.h"

/* Device and inode of the executable: another program after an exec, or another process under a
 * used pid, differs. */
struct exe_identity {
	uint64_t dev;
	uint64_t ino;
};

/*
 * The address space of a process, held: after an exec, even of the same
 * program, and after the end it is another or none. -1 in fd when it may not be opened.
 */
struct address_space {
	int fd;
};

void address_space_open(const char *proc_root, pid_t pid, struct address_space *ret);
void address_space_close(struct address_space *space);
/* True only when it is certain that the process no longer uses it. */
bool address_space_is_gone(const struct address_space *space);

bool proc_pid_exists(const char *proc_root, pid_t pid);
struct error *proc_exe_identity_read(const char *proc_root, pid_t pid,
				     struct exe_identity *ret) MUST_CHECK;
/* Where the exe link points, in the target's view; the caller owns it. */
struct error *proc_exe_path_read(const char *proc_root, pid_t pid, char **ret) MUST_CHECK;
struct error *proc_stat_read(const char *proc_root, pid_t pid, struct proc_stat *ret) MUST_CHECK;

/* A line of /proc/PID/status that holds one pid, such as Tgid or TracerPid. */
struct error *proc_status_pid_read(const char *proc_root, pid_t pid, const char *name,
				   pid_t *ret) MUST_CHECK;

#endif
