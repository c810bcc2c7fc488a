/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cache and a run directory of its own for each test, gone afterwards. */
#ifndef KTSTR_TESTS_VM_DIRS_H
#define KTSTR_TESTS_VM_DIRS_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/paths.h"
#include "unit.h"

struct dirs {
	char top[32];
	char *cache;
	char *run;
};

static inline int make_dirs(void **state)
{
	struct dirs *f = xnew(struct dirs);

	strcpy(f->top, "/tmp/ktstr-vm-XXXXXX");
	if (!mkdtemp(f->top))
		return -1;
	f->cache = xasprintf("%s/cache", f->top);
	f->run = xasprintf("%s/run", f->top);
	setenv("KTSTR_CACHE_DIR", f->cache, 1);
	setenv("KTSTR_RUN_DIR", f->run, 1);
	*state = f;
	return 0;
}

static inline int remove_dirs(void **state)
{
	struct dirs *f = *state;

	error_free(paths_remove(f->top));
	unsetenv("KTSTR_CACHE_DIR");
	unsetenv("KTSTR_RUN_DIR");
	free(f->cache);
	free(f->run);
	free(f);
	return 0;
}

/* A file below the test's directory; the caller owns the path. */
static inline char *put_file(const struct dirs *f, const char *name, const char *text, mode_t mode)
{
	char *path = xasprintf("%s/%s", f->top, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	assert_true(fd >= 0);
	assert_success(io_write_all(fd, path, text, strlen(text)));
	close(fd);
	return path;
}

#endif
