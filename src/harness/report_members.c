// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/report_members.h"

#include <string.h>

#include "base/alloc.h"
#include "harness/limits.h"

void members_wrong(struct members *m, const char *name, const char *what)
{
	if (!m->err)
		m->err = base_error(BASE_PARSE, 0, "%s: \"%s\" %s", m->word, name, what);
}

const struct json_value *members_find(struct members *m, const char *name)
{
	return m->err ? NULL : json_find(m->object, name);
}

struct json_text members_string(struct members *m, const char *name, bool optional)
{
	const struct json_value *value = members_find(m, name);
	struct json_text text = json_string(value);

	if (!text.at && (value || !optional))
		members_wrong(m, name, value ? "is no text" : "is missing");
	return text;
}

/* NULL when it is absent or wrong. The caller owns it. */
char *members_take_string(struct members *m, const char *name, size_t limit, bool optional)
{
	struct json_text text = members_string(m, name, optional);

	if (m->err || !text.at)
		return NULL;
	if (memchr(text.at, '\0', text.n))
		members_wrong(m, name, "holds a NUL");
	else if (text.n > limit)
		members_wrong(m, name, "is too long");
	return m->err ? NULL : xstrndup(text.at, text.n);
}

char *members_take_text(struct members *m, const char *name)
{
	return members_take_string(m, name, SIZE_MAX, false);
}

char *members_take_optional(struct members *m, const char *name)
{
	return members_take_string(m, name, SIZE_MAX, true);
}

char *members_take_name(struct members *m, const char *name)
{
	char *text = members_take_string(m, name, REPORT_NAME_BYTES_LIMIT, false);

	if (text && !*text)
		members_wrong(m, name, "is empty");
	return text;
}

uint64_t members_u64(struct members *m, const char *name)
{
	const struct json_value *value = members_find(m, name);
	uint64_t number = 0;

	if (!json_get_u64(value, &number))
		members_wrong(m, name, value ? "is no whole number" : "is missing");
	return number;
}

bool members_optional_u64(struct members *m, const char *name, uint64_t *ret)
{
	if (!members_find(m, name))
		return false;
	*ret = members_u64(m, name);
	return true;
}

int64_t members_between(struct members *m, const char *name, int64_t low, int64_t high)
{
	const struct json_value *value = members_find(m, name);
	int64_t number = 0;

	if (!json_get_i64(value, &number))
		members_wrong(m, name, value ? "is no whole number" : "is missing");
	else if (number < low || number > high)
		members_wrong(m, name, "is out of range");
	return m->err ? low : number;
}

uint32_t members_u32(struct members *m, const char *name)
{
	return (uint32_t)members_between(m, name, 0, UINT32_MAX);
}

bool members_bool(struct members *m, const char *name)
{
	const struct json_value *value = members_find(m, name);
	bool flag = false;

	if (!json_get_bool(value, &flag))
		members_wrong(m, name, value ? "is neither true nor false" : "is missing");
	return flag;
}

void members_cpus(struct members *m, const char *name, struct cpuset *ret)
{
	struct json_text text = members_string(m, name, false);
	_cleanup_error_ struct error *err = NULL;

	if (m->err)
		return;
	err = cpuset_parse(text.at, text.n, ret);
	if (err)
		members_wrong(m, name, error_message(err));
}

void members_refuse(struct members *m, const char *what)
{
	if (!m->err)
		m->err = base_error(BASE_PARSE, 0, "%s: %s", m->word, what);
}

bool members_have_room(struct members *m, size_t n, size_t limit)
{
	if (!m->err && n >= limit)
		m->err = base_error(BASE_LIMIT, 0, "%s: more than %zu of them", m->word, limit);
	return !m->err;
}
