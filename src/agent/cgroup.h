/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_AGENT_CGROUP_H
#define KTSTR_AGENT_CGROUP_H

#include "base/macros.h"

/*
 * Turns every controller that this cgroup has on for its children. What the kernel refuses is
 * left off: a controller may be in use elsewhere.
 */
void agent_cgroup_enable_all(const char *path);
/*
 * Makes root/name with all controllers, level by level. A name that leads out of the
 * root is EINVAL. 0 or an errno.
 */
int agent_cgroup_make(const char *root, const char *name) MUST_CHECK;
/* Moves the calling process. 0 or an errno. */
int agent_cgroup_enter(const char *root, const char *name) MUST_CHECK;

#endif
