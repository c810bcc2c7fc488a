/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A path walked link by link, as a process whose root directory is `root` would. Tells
 * each symbolic link on the way, so that a copy of the file elsewhere can be reached by the
 * same names.
 */
#ifndef KTSTR_ELF_CLOSURE_PATH_H
#define KTSTR_ELF_CLOSURE_PATH_H

#include "base/error.h"
#include "base/strbuf.h"

/*
 * path: absolute and without links in its directories; target: the text of the link, or NULL for
 * a directory that the path enters only to leave it by `..`. Lent.
 */
typedef void elf_closure_link_fn(void *context, const char *path, const char *target);

/*
 * Replaces *ret_real with the absolute path, inside root, of what stands at
 * `path` (absolute). Nothing there: BASE_IO with ENOENT. More than ELF_LIMIT_PATH_LINKS links:
 * BASE_IO with ELOOP. on_link may be NULL.
 */
struct error *elf_closure_path_walk(const char *root, const char *path,
				    elf_closure_link_fn *on_link, void *context,
				    struct strbuf *ret_real) MUST_CHECK;

#endif
