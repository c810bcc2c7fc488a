/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths below a folder, as a process whose root it is would see them: no link and no
 * `..` leads out. All return a descriptor, or -1 with errno.
 */
#ifndef KTSTR_AGENT_BELOW_H
#define KTSTR_AGENT_BELOW_H

#include "base/macros.h"

int agent_below_open(int root, const char *path, int flags) MUST_CHECK;
/* Makes what is missing on the way (0755). "" and "/" are the root itself. */
int agent_below_make_directories(int root, const char *path) MUST_CHECK;
/*
 * The folder that holds the path's last part, made if missing; *ret_base points
 * to that part inside path. A path without one, or whose last part is `.` or `..`, is EINVAL.
 */
int agent_below_parent(int root, const char *path, const char **ret_base) MUST_CHECK;

#endif
