// SPDX-License-Identifier: GPL-2.0-or-later
#include "suite/folder.h"

#include "unit.h"

#include "base/alloc.h"
#include "base/io.h"
#include "base/paths.h"

void folder_init(struct folder *folder)
{
	strcpy(folder->path, "/tmp/ktstr-suite-XXXXXX");
	assert_non_null(mkdtemp(folder->path));
}

void folder_deinit(struct folder *folder)
{
	error_free(paths_remove(folder->path));
}

void folder_write(const struct folder *folder, const char *name, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder->path, name);
	char *slash = strrchr(path, '/');
	_cleanup_file_ FILE *file = NULL;

	*slash = '\0';
	assert_success(paths_make(path, 0755));
	*slash = '/';
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
}

char *folder_read(const struct folder *folder, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder->path, name);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	error_free(io_read_file(path, 1 << 20, &text));
	return xstrdup(strbuf_str(&text));
}
