/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paths of cgroups that differ only in instances, numbers and ids made one:
 *
 *	1. The first of the globs that matches the whole path takes its place, as it was written.
 *	2. Otherwise NAME@INSTANCE.service loses its instance, if that has none of `. _ -`:
 *	   /user.slice/user@1001.service becomes /user.slice/user@{I}.service,
 *	3. and the rules of metric/pattern.h are applied to the whole path.
 */
#ifndef KTSTR_CTPROF_GROUP_CGROUP_KEY_H
#define KTSTR_CTPROF_GROUP_CGROUP_KEY_H

#include "base/strbuf.h"

struct ctprof_cgroup_key_rules {
	const char *const *flatten; /* globs that were checked */
	size_t n_flatten;
	bool literal; /* only the globs */
};

void ctprof_cgroup_key_format(const struct ctprof_cgroup_key_rules *rules, const char *path,
			      struct strbuf *into);

#endif
