/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Globs over paths of cgroups. `*` is any text within one segment, `**` (a whole segment) any
 * number of segments, none included, `?` one character, [a-z] and [!a-z] one of a class; nothing
 * but `**` matches a slash. A backslash is itself: systemd writes names with it. The whole path
 * must match.
 */
#ifndef KTSTR_CTPROF_GROUP_PATH_GLOB_H
#define KTSTR_CTPROF_GROUP_PATH_GLOB_H

#include "base/error.h"

/* BASE_PARSE for a glob that is malformed, or could never match a path. */
struct error *ctprof_path_glob_check(const char *glob) MUST_CHECK;
/* Of a glob that was checked. */
bool ctprof_path_glob_matches(const char *glob, const char *path);

#endif
