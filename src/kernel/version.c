// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/version.h"

#include <string.h>

#include "kernel/limits.h"

static bool take_number(const char **at, uint32_t *ret)
{
	enum { DIGITS_LIMIT = 6 };
	size_t n = strspn(*at, "0123456789");
	uint32_t value = 0;

	if (n == 0 || n > DIGITS_LIMIT)
		return false;
	for (size_t i = 0; i < n; i++)
		value = value * 10 + (uint32_t)((*at)[i] - '0');
	*at += n;
	*ret = value;
	return true;
}

bool kernel_version_parse(const char *text, struct kernel_version *ret, const char **ret_rest)
{
	struct kernel_version version = { 0 };
	const char *at = text;

	if (!take_number(&at, &version.major) || *at++ != '.' || !take_number(&at, &version.minor))
		return false;
	if (at[0] == '.') {
		const char *patch = at + 1;

		version.has_patch = take_number(&patch, &version.patch);
		if (version.has_patch)
			at = patch;
	}
	*ret = version;
	if (ret_rest)
		*ret_rest = at;
	return true;
}

static int compare_u32(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

int kernel_version_compare(const struct kernel_version *a, const struct kernel_version *b)
{
	int order = compare_u32(a->major, b->major);

	if (!order)
		order = compare_u32(a->minor, b->minor);
	return order ? order : compare_u32(a->patch, b->patch);
}

bool kernel_version_matches(const struct kernel_version *wanted, const struct kernel_version *have)
{
	return wanted->major == have->major && wanted->minor == have->minor &&
	       (!wanted->has_patch || wanted->patch == have->patch);
}

bool kernel_name_is_safe(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789+-._~";
	size_t n = strlen(name);

	return n > 0 && n <= KERNEL_LIMIT_RELEASE_CHARS && name[0] != '.' &&
	       strspn(name, allowed) == n;
}
