/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory that looks like /proc with one process in it. */
#ifndef KTSTR_TESTS_PROBE_STAGED_PROC_H
#define KTSTR_TESTS_PROBE_STAGED_PROC_H

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "unit.h"

enum { STAGED_PID = 4242 };

struct staged_proc {
	char root[32];
	char pid_dir[64];
};

static inline struct staged_proc staged_proc_make(void)
{
	struct staged_proc staged = { .root = "/tmp/ktstr-proc-XXXXXX" };

	assert_non_null(mkdtemp(staged.root));
	snprintf(staged.pid_dir, sizeof(staged.pid_dir), "%s/%d", staged.root, STAGED_PID);
	assert_int_equal(mkdir(staged.pid_dir, 0755), 0);
	return staged;
}

static inline void staged_file(const struct staged_proc *staged, const char *name,
			       const void *bytes, size_t n)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", staged->pid_dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

static inline void staged_text(const struct staged_proc *staged, const char *name, const char *text)
{
	staged_file(staged, name, text, strlen(text));
}

static inline void staged_link(const struct staged_proc *staged, const char *name,
			       const char *target)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", staged->pid_dir, name);

	assert_int_equal(symlink(target, path), 0);
}

static inline void staged_dir(const struct staged_proc *staged, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", staged->pid_dir, name);

	assert_int_equal(mkdir(path, 0755), 0);
}

static inline int staged_remove_one(const char *path, const struct stat *st, int flag,
				    struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline void staged_proc_remove(struct staged_proc *staged)
{
	nftw(staged->root, staged_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
