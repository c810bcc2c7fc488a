// SPDX-License-Identifier: LGPL-2.1-or-later
/* The text of `qemu --version`, which comes from a program we did not choose. */
#include <string.h>

#include "base/alloc.h"
#include "vm/qemu/qemu_binary.h"

#define VERSION_PREFIX "QEMU emulator version "

enum { NUMBER_LIMIT = 9999 };

/* Digits at *at, bounded; false when there are none or the number is absurd. */
static bool take_number(const char **at, const char *end, unsigned int *ret)
{
	unsigned int value = 0;
	const char *p = *at;

	if (p == end || *p < '0' || *p > '9')
		return false;
	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		value = 10 * value + (unsigned int)(*p - '0');
		if (value > NUMBER_LIMIT)
			return false;
	}
	*at = p;
	*ret = value;
	return true;
}

static bool take_dot(const char **at, const char *end)
{
	if (*at == end || **at != '.')
		return false;
	(*at)++;
	return true;
}

static bool parse_line(const char *at, const char *end, struct vm_qemu_version *ret)
{
	struct vm_qemu_version version = { 0 };
	const char *text = at, *stop = at;

	if (!take_number(&at, end, &version.major) || !take_dot(&at, end) ||
	    !take_number(&at, end, &version.minor))
		return false;
	if (take_dot(&at, end) && !take_number(&at, end, &version.micro))
		return false;
	/* "10.0.2x" is no version we know how to compare. */
	if (at < end && *at != ' ' && *at != '-' && *at != '\r')
		return false;
	while (stop < end && stop - text < VM_LIMIT_QEMU_VERSION_TEXT && *stop >= ' ' &&
	       *stop <= '~')
		stop++;
	version.text = xstrndup(text, (size_t)(stop - text));
	*ret = version;
	return true;
}

struct error *vm_qemu_version_parse(const char *text, size_t n, struct vm_qemu_version *ret)
{
	const char *at = text, *end = text + n;
	size_t prefix = strlen(VERSION_PREFIX);

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;

		if ((size_t)(line_end - at) > prefix && memcmp(at, VERSION_PREFIX, prefix) == 0 &&
		    parse_line(at + prefix, line_end, ret))
			return NULL;
		if (!newline)
			break;
		at = newline + 1;
	}
	return base_error(BASE_PARSE, 0, "no line of its output says \"%sX.Y.Z\"", VERSION_PREFIX);
}

bool vm_qemu_version_at_least(const struct vm_qemu_version *version, unsigned int major,
			      unsigned int minor)
{
	if (version->major != major)
		return version->major > major;
	return version->minor >= minor;
}
