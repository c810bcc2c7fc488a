/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which commit a file was built from, as far as its place can tell: what is checked out in the git
 * repository around it. Changes that were not committed are not seen.
 */
#ifndef KTSTR_RESULT_COMMIT_H
#define KTSTR_RESULT_COMMIT_H

#include "base/error.h"

/*
 * `path` is absolute. BASE_ABSENT when no repository is around it, or nothing was committed there;
 * BASE_PARSE when the repository has another form than this knows. The caller owns *ret.
 */
struct error *result_commit_of(const char *path, char **ret) MUST_CHECK;

#endif
