/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conditions that several checks have. */
#ifndef KTSTR_CHECKS_SCENES_H
#define KTSTR_CHECKS_SCENES_H

#include "checks/check.h"

static inline bool checks_has_work(const struct checks_scene *scene)
{
	return scene->most_workers > 0;
}

static inline const char *checks_no_work(const struct checks_scene *scene)
{
	return checks_has_work(scene) ? NULL : "no cgroup has work that could be checked";
}

#endif
