// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/version.h"

#include "base/slice.h"
#include "kernel/limits.h"

static bool take_number(struct slice *rest, uint32_t *ret)
{
	enum { LIMIT = 999999 };
	uint64_t value;

	if (!slice_take_u64(rest, &value) || value > LIMIT)
		return false;
	*ret = (uint32_t)value;
	return true;
}

/* A dot, and a number after it. */
static bool take_part(struct slice *rest, uint32_t *ret)
{
	struct slice after = { rest->at + 1, rest->n - 1 };

	if (!rest->n || rest->at[0] != '.' || !take_number(&after, ret))
		return false;
	*rest = after;
	return true;
}

bool kernel_version_parse(const char *text, struct kernel_version *ret, const char **ret_rest)
{
	struct kernel_version version = { 0 };
	struct slice rest = slice_of(text);

	if (!take_number(&rest, &version.major) || !take_part(&rest, &version.minor))
		return false;
	version.has_patch = take_part(&rest, &version.patch);
	*ret = version;
	if (ret_rest)
		*ret_rest = rest.at;
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
