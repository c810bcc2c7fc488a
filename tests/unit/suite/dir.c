// SPDX-License-Identifier: GPL-2.0-or-later
#include "suite/dir.h"

#include "unit.h"

#include "base/alloc.h"
#include "base/io.h"
#include "base/paths.h"

void dir_init(struct dir *dir)
{
	strcpy(dir->path, "/tmp/ktstr-suite-XXXXXX");
	assert_non_null(mkdtemp(dir->path));
}

void dir_deinit(struct dir *dir)
{
	error_free(paths_remove(dir->path));
}

void dir_write(const struct dir *dir, const char *name, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir->path, name);
	char *slash = strrchr(path, '/');
	_cleanup_file_ FILE *file = NULL;

	*slash = '\0';
	assert_success(paths_make(path, 0755));
	*slash = '/';
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
}

char *dir_read(const struct dir *dir, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir->path, name);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	error_free(io_read_file(path, 1 << 20, &text));
	return xstrdup(strbuf_str(&text));
}
