/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory of its own for each test, gone afterwards; and small files in it. */
#ifndef KTSTR_TESTS_UNIT_AGENT_SCRATCH_H
#define KTSTR_TESTS_UNIT_AGENT_SCRATCH_H

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "unit.h"

static inline int scratch_make(void **state)
{
	char *path = xstrdup("/tmp/ktstr-agent-XXXXXX");

	*state = mkdtemp(path);
	return *state ? 0 : -1;
}

static inline int scratch_remove_one(const char *path, const struct stat *st UNUSED,
				     int kind UNUSED, struct FTW *where UNUSED)
{
	return remove(path);
}

static inline int scratch_remove(void **state)
{
	int rc = nftw(*state, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);

	free(*state);
	return rc;
}

static inline void scratch_dir(const char *root, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", root, name);

	assert_int_equal(mkdir(path, 0755), 0);
}

static inline void scratch_write(const char *root, const char *name, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", root, name);
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static inline void assert_file(const char *root, const char *name, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", root, name);
	_cleanup_strbuf_ struct strbuf content = STRBUF_INIT;

	assert_success(io_read_file(path, 1 << 20, &content));
	assert_string_equal(strbuf_str(&content), text);
}

static inline bool scratch_has(const char *root, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", root, name);
	struct stat st;

	return lstat(path, &st) == 0;
}

#define scratch_test(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

#endif
