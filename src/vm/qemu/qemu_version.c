// SPDX-License-Identifier: LGPL-2.1-or-later
/* The text of `qemu --version`, which comes from a program we did not choose. */
#include "base/alloc.h"
#include "base/slice.h"
#include "vm/qemu/qemu_binary.h"

enum { NUMBER_LIMIT = 9999 };

/* False when there are no digits or the number is absurd. */
static bool take_number(struct slice *rest, unsigned int *ret)
{
	uint64_t value;

	if (!slice_take_u64(rest, &value) || value > NUMBER_LIMIT)
		return false;
	*ret = (unsigned int)value;
	return true;
}

static bool parse_line(struct slice text, struct vm_qemu_version *ret)
{
	struct vm_qemu_version version = { 0 };
	struct slice rest = text;
	size_t n = 0;

	if (!take_number(&rest, &version.major) || !slice_take_char(&rest, '.') ||
	    !take_number(&rest, &version.minor))
		return false;
	if (slice_take_char(&rest, '.') && !take_number(&rest, &version.micro))
		return false;
	/* "10.0.2x" is no version we know how to compare. */
	if (rest.n && *rest.at != ' ' && *rest.at != '-' && *rest.at != '\r')
		return false;
	while (n < text.n && n < VM_LIMIT_QEMU_VERSION_TEXT && text.at[n] >= ' ' &&
	       text.at[n] <= '~')
		n++;
	version.text = xstrndup(text.at, n);
	*ret = version;
	return true;
}

struct error *vm_qemu_version_parse(const char *text, size_t n, struct vm_qemu_version *ret)
{
	const size_t prefix = strlen(VM_QEMU_VERSION_PREFIX);
	struct slice rest = { text, n }, line;

	while (slice_take_line(&rest, &line))
		if (slice_starts_with(line, VM_QEMU_VERSION_PREFIX) &&
		    parse_line((struct slice){ line.at + prefix, line.n - prefix }, ret))
			return NULL;
	return base_error(BASE_PARSE, 0, "no line of its output says \"%sX.Y.Z\"",
			  VM_QEMU_VERSION_PREFIX);
}

bool vm_qemu_version_at_least(const struct vm_qemu_version *version, unsigned int major,
			      unsigned int minor)
{
	if (version->major != major)
		return version->major > major;
	return version->minor >= minor;
}
