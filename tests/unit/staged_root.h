/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory that plays the root of a machine. */
#ifndef KTSTR_TESTS_STAGED_ROOT_H
#define KTSTR_TESTS_STAGED_ROOT_H

#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/paths.h"
#include "unit.h"

static inline char *staged_root_new(void)
{
	char *root = xstrdup("/tmp/ktstr-root-XXXXXX");

	assert_non_null(mkdtemp(root));
	return root;
}

static inline void staged_root_free(char *root)
{
	assert_success(paths_remove(root));
	free(root);
}

/* Makes the directories above path; returns the path on this machine. */
static inline char *staged_path(const char *root, const char *path)
{
	char *full = xasprintf("%s%s", root, path);
	char *slash = strrchr(full, '/');

	*slash = 0;
	assert_success(paths_make(full, 0755));
	*slash = '/';
	return full;
}

static inline void staged_file(const char *root, const char *path, const void *bytes, size_t n)
{
	_cleanup_free_ char *full = staged_path(root, path);

	assert_success(io_replace_file(full, bytes, n));
}

static inline void staged_link(const char *root, const char *path, const char *target)
{
	_cleanup_free_ char *full = staged_path(root, path);

	assert_int_equal(symlink(target, full), 0);
}

#endif
