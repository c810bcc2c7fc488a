// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/metric/pattern.c src/ctprof/group/path_glob.c */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ctprof/group/group.h"
#include "metric/format.h"

/* Trying every way is slow for long texts, and bytes past ASCII need more words. */
enum { LONGEST_COMPARED = 24 };

/* What a pattern is made of has no numbers left: it is its own pattern. */
static void check_pattern(const char *name)
{
	_cleanup_strbuf_ struct strbuf once = STRBUF_INIT, twice = STRBUF_INIT;

	metric_pattern_format(name, &once);
	metric_pattern_format(strbuf_str(&once), &twice);
	if (strcmp(strbuf_str(&once), strbuf_str(&twice)) != 0)
		abort();
}

static void check_key(const char *glob, const char *path)
{
	const char *const globs[] = { glob };
	struct ctprof_cgroup_key_rules literal = { .literal = true }, normal = { 0 };
	struct ctprof_cgroup_key_rules flat = { .flatten = globs, .n_flatten = 1, .literal = true };
	_cleanup_strbuf_ struct strbuf key = STRBUF_INIT;

	ctprof_cgroup_key_format(&normal, path, &key);
	strbuf_clear(&key);
	ctprof_cgroup_key_format(&literal, path, &key);
	if (strcmp(strbuf_str(&key), path) != 0)
		abort();
	strbuf_clear(&key);
	ctprof_cgroup_key_format(&flat, path, &key);
	if (strcmp(strbuf_str(&key), ctprof_path_glob_matches(glob, path) ? glob : path) != 0)
		abort();
}

static bool in_class(const char *class, const char *end, char c)
{
	bool negated = class[1] == '!', found = false;

	for (const char *at = class + 1 + negated; at < end; at++) {
		bool range = at + 2 < end && at[1] == '-';

		found = found || (c >= at[0] && c <= at[range ? 2 : 0]);
		at += range ? 2 : 0;
	}
	return found != negated;
}

/* The same language in the plainest way there is. */
static bool plainly(const char *glob, const char *path, bool at_start)
{
	if (at_start && strncmp(glob, "**", 2) == 0 && (!glob[2] || glob[2] == '/')) {
		/* No segment, or one and then as before. */
		const char *next = strchr(path, '/');

		if (!glob[2])
			return true;
		if (plainly(glob + 3, path, true))
			return true;
		return next && plainly(glob, next + 1, true);
	}
	/* The last segments may be none at all. */
	if (!*path && strcmp(glob, "/**") == 0)
		return true;
	if (!*glob)
		return !*path;
	if (*glob == '*')
		return plainly(glob + 1, path, false) ||
		       (*path && *path != '/' && plainly(glob, path + 1, false));
	if (!*path)
		return strncmp(glob, "/**/", 4) == 0 && plainly(glob + 3, path, false);
	if (*glob == '[') {
		const char *end = strchr(glob + 2 + (glob[1] == '!'), ']');

		return *path != '/' && in_class(glob, end, *path) &&
		       plainly(end + 1, path + 1, false);
	}
	if (*glob == '?' ? *path == '/' : *glob != *path)
		return false;
	return plainly(glob + 1, path + 1, *glob == '/');
}

static bool is_plain(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text >= 0x80)
			return false;
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_free_ char *text = xstrndup((const char *)data, n);
	char *path = strchr(text, '\n');
	_cleanup_error_ struct error *err = NULL;

	check_pattern(text);
	if (!path)
		return 0;
	*path++ = '\0';
	err = ctprof_path_glob_check(text);
	if (err)
		return 0;
	fuzz_mark_deep();
	check_key(text, path);
	if (strlen(text) <= LONGEST_COMPARED && strlen(path) <= LONGEST_COMPARED &&
	    is_plain(text) && is_plain(path) &&
	    plainly(text, path, true) != ctprof_path_glob_matches(text, path))
		abort();
	return 0;
}
