// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/group/group.h"

#include <string.h>

#include "metric/format.h"

static const char service[] = ".service";

/* Length of the instance behind an @, when it is one to be replaced; else 0. */
static size_t instance_length(const char *at)
{
	size_t n = (size_t)(strchrnul(at, '/') - at), tail = sizeof(service) - 1;

	if (n <= tail || memcmp(at + n - tail, service, tail) != 0)
		return 0;
	n -= tail;
	for (size_t i = 0; i < n; i++) {
		if (strchr("._-", at[i]))
			return 0;
	}
	return n;
}

static void replace_instances(const char *path, struct strbuf *into)
{
	while (*path) {
		size_t plain = (size_t)(strchrnul(path, '@') - path), instance;

		plain += path[plain] == '@';
		strbuf_append_bytes(into, path, plain);
		path += plain;
		instance = plain && path[-1] == '@' ? instance_length(path) : 0;
		if (instance)
			strbuf_append(into, "{I}");
		path += instance;
	}
}

void ctprof_cgroup_key_format(const struct ctprof_cgroup_key_rules *rules, const char *path,
			      struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf plain = STRBUF_INIT;

	for (size_t i = 0; i < rules->n_flatten; i++) {
		if (ctprof_path_glob_matches(rules->flatten[i], path)) {
			strbuf_append(into, rules->flatten[i]);
			return;
		}
	}
	if (rules->literal) {
		strbuf_append(into, path);
		return;
	}
	replace_instances(path, &plain);
	metric_pattern_format(strbuf_str(&plain), into);
}
