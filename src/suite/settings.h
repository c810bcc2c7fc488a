/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings of the guest's kernel, as a declaration has them: "kernel.sched_schedstats=1". */
#ifndef KTSTR_SUITE_SETTINGS_H
#define KTSTR_SUITE_SETTINGS_H

#include "base/error.h"

/* `root` is "/proc/sys" or a folder like it. Dots and slashes are the same, as in sysctl(8). */
struct error *suite_settings_write(const char *root, const char *setting) MUST_CHECK;

#endif
