/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Children that die with this process. PR_SET_PDEATHSIG follows the thread that
 * forked, so all children are forked by one thread that is started at first use and
 * lives as long as the process: a worker thread may end and its QEMU lives on.
 */
#ifndef KTSTR_BASE_SPAWN_H
#define KTSTR_BASE_SPAWN_H

#include <sys/types.h>

#include "base/error.h"
#include "base/strbuf.h"

struct spawn_fd {
	int ours;  /* open here; stays open here */
	int child; /* number it has in the child */
};

struct spawn_request {
	const char *const *argv;
	const char *file;	/* looked up in PATH; NULL: argv[0] */
	const char *const *env; /* NULL: ours */
	const struct spawn_fd
		*fds; /* all other descriptors are closed; 0, 1, 2 are /dev/null if not named */
	size_t n_fds;
	const char *cwd;  /* NULL: ours */
	int cgroup_procs; /* cgroup.procs, open for writing: entered before exec(). 0: our cgroup */
	bool own_group;	  /* a new process group, out of reach of the terminal's Ctrl-C */
	bool new_session;
};

/*
 * Returns once exec() succeeded: a program that cannot be executed is BASE_IO with errno, and so is
 * a descriptor that cannot have its number or a cgroup that does not let it in. A SIGCHLD that is
 * ignored is set back to its default.
 * *ret_pidfd is readable when the child has ended; reap with spawn_wait().
 */
struct error *spawn_child(const struct spawn_request *request, pid_t *ret_pid,
			  int *ret_pidfd) MUST_CHECK;
/*
 * The same with standard output and standard error on pipes, instead of other descriptors. Only our
 * ends do not block: the program finds ordinary pipes.
 */
struct error *spawn_piped(const struct spawn_request *request, int *ret_out, int *ret_err,
			  pid_t *ret_pid, int *ret_pidfd) MUST_CHECK;
/* Waits for the end and reaps. The status is waitpid()'s. */
struct error *spawn_wait(pid_t pid, int *ret_status) MUST_CHECK;

/* Runs a program to its end and collects standard output, bounded. Standard error is ours. */
struct error *spawn_capture(const char *const *argv, size_t limit_bytes, struct strbuf *out,
			    int *ret_status) MUST_CHECK;

#endif
