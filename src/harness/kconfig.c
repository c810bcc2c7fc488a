// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/needs.h"

#include <string.h>

enum { VALUE_SHOWN = 64 };

static bool starts_with(const char *line, size_t n, const char *text, size_t text_n)
{
	return n >= text_n && memcmp(line, text, text_n) == 0;
}

/* A line without its newline. False: not about this option. */
static bool read_line(const char *line, size_t n, const char *option, size_t option_n,
		      enum harness_kconfig_state *state, struct bytes *value)
{
	static const char before[] = "# ", behind[] = " is not set";

	while (n && (line[n - 1] == '\r' || line[n - 1] == ' ' || line[n - 1] == '\t'))
		n--;
	if (starts_with(line, n, option, option_n) && n > option_n && line[option_n] == '=') {
		*state = HARNESS_KCONFIG_SET;
		*value = (struct bytes){ (const uint8_t *)line + option_n + 1, n - option_n - 1 };
		return true;
	}
	if (n != strlen(before) + option_n + strlen(behind) ||
	    !starts_with(line, n, before, strlen(before)) ||
	    memcmp(line + strlen(before), option, option_n) != 0 ||
	    memcmp(line + strlen(before) + option_n, behind, strlen(behind)) != 0)
		return false;
	*state = HARNESS_KCONFIG_NOT_SET;
	return true;
}

enum harness_kconfig_state harness_kconfig_find(struct bytes config, const char *option, size_t n,
						struct bytes *ret)
{
	enum harness_kconfig_state state = HARNESS_KCONFIG_ABSENT;
	struct bytes value = { 0 };
	const char *at = (const char *)config.at, *end;

	if (!config.n)
		return HARNESS_KCONFIG_ABSENT;
	end = at + config.n;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;

		read_line(at, (size_t)(stop - at), option, n, &state, &value);
		at = stop + 1;
	}
	if (state == HARNESS_KCONFIG_SET)
		*ret = value;
	return state;
}

static bool value_is(struct bytes value, const char *text)
{
	return value.n == strlen(text) && memcmp(value.at, text, value.n) == 0;
}

bool harness_kconfig_has(struct bytes config, const char *wanted, struct strbuf *why)
{
	size_t option_n = strcspn(wanted, "=");
	const char *want = wanted[option_n] ? wanted + option_n + 1 : NULL;
	struct bytes value = { 0 };
	enum harness_kconfig_state state = harness_kconfig_find(config, wanted, option_n, &value);

	if (state == HARNESS_KCONFIG_SET) {
		if (want ? value_is(value, want) : value_is(value, "y") || value_is(value, "m"))
			return true;
		strbuf_appendf(why, "%.*s is %.*s, not %s", (int)option_n, wanted,
			       value.n > VALUE_SHOWN ? VALUE_SHOWN : (int)value.n,
			       (const char *)value.at, want ? want : "y or m");
		return false;
	}
	if (want && strcmp(want, "n") == 0)
		return true;
	if (state == HARNESS_KCONFIG_NOT_SET)
		strbuf_appendf(why, "%.*s is not set", (int)option_n, wanted);
	else
		strbuf_appendf(why, "the config of the kernel does not mention %.*s", (int)option_n,
			       wanted);
	return false;
}
