// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/session.h"

#include <stdlib.h>
#include <string.h>

/* The last `parts` components of a path, or all of it. */
static const char *path_end(const char *path, size_t parts)
{
	const char *at = path + strlen(path);

	while (at > path) {
		at--;
		if (*at == '/' && --parts == 0)
			return at + 1;
	}
	return path;
}

static bool is_alone(const struct exchange_declared_suite *suites, size_t n, size_t which,
		     size_t parts)
{
	const char *mine = path_end(suites[which].path, parts);

	for (size_t i = 0; i < n; i++)
		if (i != which && strcmp(path_end(suites[i].path, parts), mine) == 0)
			return false;
	return true;
}

/*
 * No two names are equal: equal names have equally many components, so each would have been
 * compared with the other and found not to be alone.
 */
struct error *harness_plan_name_suites(struct exchange_declared_suite *suites, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(suites[i].path, suites[j].path) == 0)
				return harness_error(HARNESS_PLAN, 0, "%s was given twice",
						     suites[i].path);
	for (size_t i = 0; i < n; i++) {
		size_t parts = 1;

		/* Paths differ, so this ends: at the latest with a whole path. */
		while (!is_alone(suites, n, i, parts))
			parts++;
		free(suites[i].name);
		suites[i].name = xstrdup(path_end(suites[i].path, parts));
	}
	return NULL;
}
