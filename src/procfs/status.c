// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/status.h"

#include <string.h>

/* The line's value, or NULL; the name stands at the start of a line, as no thread name can. */
static const char *find_line(const char *text, size_t n, const char *name, const char **ret_end)
{
	size_t name_n = strlen(name);
	const char *at = text, *end = text + n;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;

		if ((size_t)(stop - at) > name_n && memcmp(at, name, name_n) == 0 &&
		    at[name_n] == ':') {
			*ret_end = stop;
			return at + name_n + 1;
		}
		at = newline ? newline + 1 : end;
	}
	return NULL;
}

static bool take_id(const char **at, const char *end, pid_t *ret)
{
	long value = 0;
	const char *start;

	while (*at < end && (**at == '\t' || **at == ' '))
		++*at;
	start = *at;
	for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
		value = value * 10 + (**at - '0');
		if (value > INT32_MAX)
			return false;
	}
	*ret = (pid_t)value;
	return *at > start;
}

struct error *proc_nspid_parse(const char *text, size_t n, struct proc_nspid *ret)
{
	struct proc_nspid nspid = { .n = 0 };
	const char *end = NULL;
	const char *at = find_line(text, n, "NSpid", &end);

	if (!at)
		return base_error(BASE_ABSENT, 0, "the status file has no NSpid line");
	while (at < end) {
		if (nspid.n == PROC_NSPID_MAX || !take_id(&at, end, &nspid.ids[nspid.n]))
			return base_error(BASE_PARSE, 0, "the NSpid line is no list of pids");
		nspid.n++;
	}
	if (nspid.n == 0)
		return base_error(BASE_PARSE, 0, "the NSpid line is empty");
	*ret = nspid;
	return NULL;
}

struct error *proc_status_pid_parse(const char *text, size_t n, const char *name, pid_t *ret)
{
	const char *end = NULL;
	const char *at = find_line(text, n, name, &end);
	pid_t pid;

	if (!at)
		return base_error(BASE_ABSENT, 0, "the status file has no line %s", name);
	if (!take_id(&at, end, &pid) || at != end)
		return base_error(BASE_PARSE, 0, "the line %s is no pid", name);
	*ret = pid;
	return NULL;
}
