// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/group/group.h"

#include <string.h>

#include "base/utf8.h"
#include "metric/format.h"

struct piece {
	const char *at;
	size_t n;
};

/* What is not UTF-8 counts byte by byte, apart from all characters. */
static size_t character_at(const char *at, size_t n, uint32_t *ret)
{
	size_t taken = utf8_decode(at, n, ret);

	if (taken)
		return taken;
	*ret = UINT32_C(0x80000000) | (unsigned char)at[0];
	return 1;
}

/* Bytes of the class that begins at at[0] == '[', 0 when it has no end. */
static size_t class_length(const char *at, size_t n)
{
	size_t i = n > 1 && at[1] == '!' ? 2 : 1;

	/* The first character is a member, even if it is a bracket. */
	for (i++; i < n; i++) {
		if (at[i] == ']')
			return i + 1;
	}
	return 0;
}

/* Whether c is in the class; *ret_reversed when one of its ranges ends before it begins. */
static bool class_has(struct piece class, uint32_t c, bool *ret_reversed)
{
	bool negated = class.at[1] == '!', found = false;
	size_t i = negated ? 2 : 1, end = class.n - 1;

	while (i < end) {
		uint32_t first, last;

		i += character_at(class.at + i, end - i, &first);
		last = first;
		if (i + 1 < end && class.at[i] == '-')
			i += 1 + character_at(class.at + i + 1, end - i - 1, &last);
		if (ret_reversed && last < first)
			*ret_reversed = true;
		found = found || (c >= first && c <= last);
	}
	return found != negated;
}

/* One element of the glob against one character; bytes of both, or false. */
static bool element_matches(struct piece glob, struct piece text, size_t *ret_glob,
			    size_t *ret_text)
{
	uint32_t wanted, c;

	*ret_text = character_at(text.at, text.n, &c);
	if (glob.at[0] == '[') {
		*ret_glob = class_length(glob.at, glob.n);
		return class_has((struct piece){ glob.at, *ret_glob }, c, NULL);
	}
	*ret_glob = character_at(glob.at, glob.n, &wanted);
	return wanted == '?' || wanted == c;
}

/* The last star takes one more character whenever what follows it does not fit. */
static bool segment_matches(struct piece glob, struct piece text)
{
	size_t g = 0, t = 0, star = SIZE_MAX, star_text = 0;

	while (t < text.n) {
		size_t of_glob, of_text;
		uint32_t skipped;

		if (g < glob.n && glob.at[g] == '*') {
			star = ++g;
			star_text = t;
		} else if (g < glob.n && element_matches((struct piece){ glob.at + g, glob.n - g },
							 (struct piece){ text.at + t, text.n - t },
							 &of_glob, &of_text)) {
			g += of_glob;
			t += of_text;
		} else if (star != SIZE_MAX) {
			star_text += character_at(text.at + star_text, text.n - star_text,
						  &skipped);
			g = star;
			t = star_text;
		} else {
			return false;
		}
	}
	while (g < glob.n && glob.at[g] == '*')
		g++;
	return g == glob.n;
}

/* The segment at a place that is not behind the last one (at == NULL). */
static struct piece segment_at(const char *at)
{
	return (struct piece){ at, (size_t)(strchrnul(at, '/') - at) };
}

static const char *behind(struct piece segment)
{
	return segment.at[segment.n] == '/' ? segment.at + segment.n + 1 : NULL;
}

static bool is_deep(struct piece segment)
{
	return segment.n == 2 && memcmp(segment.at, "**", 2) == 0;
}

bool ctprof_path_glob_matches(const char *glob, const char *path)
{
	const char *deep = NULL, *deep_path = NULL;
	bool has_deep = false;

	while (path) {
		if (glob && is_deep(segment_at(glob))) {
			glob = deep = behind(segment_at(glob));
			deep_path = path;
			has_deep = true;
		} else if (glob && segment_matches(segment_at(glob), segment_at(path))) {
			glob = behind(segment_at(glob));
			path = behind(segment_at(path));
		} else if (has_deep) {
			deep_path = path = behind(segment_at(deep_path));
			glob = deep;
		} else {
			return false;
		}
	}
	while (glob && is_deep(segment_at(glob)))
		glob = behind(segment_at(glob));
	return !glob;
}

static struct error *check_segment(struct piece segment, const char *glob)
{
	for (size_t i = 0; i < segment.n; i++) {
		bool reversed = false;
		size_t n;

		if (segment.at[i] == '*' && i + 1 < segment.n && segment.at[i + 1] == '*' &&
		    segment.n != 2)
			return base_error(BASE_PARSE, 0,
					  "\"%s\": `**` stands for whole segments, as in /a/**/b",
					  glob);
		if (segment.at[i] != '[')
			continue;
		n = class_length(segment.at + i, segment.n - i);
		if (!n)
			return base_error(BASE_PARSE, 0, "\"%s\": `[` has no `]` in its segment",
					  glob);
		class_has((struct piece){ segment.at + i, n }, 0, &reversed);
		if (reversed)
			return base_error(BASE_PARSE, 0,
					  "\"%s\": a range in [ ] ends before it begins", glob);
		i += n - 1;
	}
	return NULL;
}

struct error *ctprof_path_glob_check(const char *glob)
{
	if (glob[0] != '/' && strncmp(glob, "**", 2) != 0)
		return base_error(BASE_PARSE, 0,
				  "\"%s\": paths of cgroups begin with a slash, so must the glob",
				  glob);
	for (const char *at = glob; at; at = behind(segment_at(at))) {
		struct error *err = check_segment(segment_at(at), glob);

		if (err)
			return err;
	}
	return NULL;
}

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
