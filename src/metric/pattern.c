// SPDX-License-Identifier: LGPL-2.1-or-later
#include "metric/format.h"

#include <string.h>

#include "base/utf8.h"

enum {
	LONG_HEX_DIGITS = 12,	  /* what container engines print of an id */
	MOST_DECIMAL_DIGITS = 20, /* of a 64-bit number */
	UUID_DIGITS_FIRST = 8,
};

#define DIGITS	  "0123456789"
#define LOWER_HEX DIGITS "abcdef"
#define HEX	  LOWER_HEX "ABCDEF"
#define LETTERS	  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* How many characters at the beginning are of the set. */
static size_t run_of(const char *set, const char *at, size_t n)
{
	size_t i = 0;

	while (i < n && at[i] && strchr(set, at[i]))
		i++;
	return i;
}

static bool is_unicode_blank(uint32_t codepoint)
{
	return (codepoint >= 0x09 && codepoint <= 0x0d) || codepoint == 0x20 || codepoint == 0x85 ||
	       codepoint == 0xa0 || codepoint == 0x1680 ||
	       (codepoint >= 0x2000 && codepoint <= 0x200a) || codepoint == 0x2028 ||
	       codepoint == 0x2029 || codepoint == 0x202f || codepoint == 0x205f ||
	       codepoint == 0x3000;
}

/* How many bytes the separator at this place takes; 0 when there is none. */
static size_t separator_at(const char *at, size_t n)
{
	uint32_t codepoint;
	size_t taken;

	if (n == 0)
		return 0;
	if (memchr(".-_/:@+[]", at[0], 9))
		return 1;
	taken = utf8_decode(at, n, &codepoint);
	return taken && is_unicode_blank(codepoint) ? taken : 0;
}

static size_t token_length(const char *at, size_t n)
{
	size_t i = 0;

	while (i < n && !separator_at(at + i, n - i))
		i++;
	return i;
}

/* 4-4-4-12 behind the first token of a UUID, each after the same joint; 0 when it is none. */
static size_t rest_of_uuid(const char *at, size_t n)
{
	static const size_t groups[] = { 4, 4, 4, 12 };
	size_t taken = 0;

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		if (n - taken < 1 + groups[i] || (at[0] != '-' && at[0] != '_') ||
		    at[taken] != at[0] || run_of(HEX, at + taken + 1, n - taken - 1) != groups[i])
			return 0;
		taken += 1 + groups[i];
	}
	return token_length(at + taken, n - taken) == 0 ? taken : 0;
}

/* Bytes of a UUID whose first token is [at, at + token), letters in front of it included. */
static size_t uuid_at(const char *at, size_t token, size_t n, size_t *ret_letters)
{
	size_t letters = token < UUID_DIGITS_FIRST ? 0 : token - UUID_DIGITS_FIRST, rest;

	if (token < UUID_DIGITS_FIRST || run_of(LETTERS, at, letters) != letters ||
	    run_of(HEX, at + letters, UUID_DIGITS_FIRST) != UUID_DIGITS_FIRST)
		return 0;
	rest = rest_of_uuid(at + token, n - token);
	*ret_letters = letters;
	return rest ? token + rest : 0;
}

static bool is_long_hex(const char *token, size_t n)
{
	if (n < LONG_HEX_DIGITS || run_of(HEX, token, n) != n)
		return false;
	return run_of(DIGITS, token, n) != n || n > MOST_DECIMAL_DIGITS;
}

static void append_token(const char *token, size_t n, struct strbuf *into)
{
	size_t digits = run_of(DIGITS, token, n), letters = run_of(LETTERS, token, n);

	if (is_long_hex(token, n)) {
		strbuf_append(into, "{H}");
	} else if (digits == n) {
		strbuf_append(into, "{N}");
	} else if (n >= 2 && run_of(LOWER_HEX, token, n) == n && letters != n) {
		strbuf_append(into, "{H}");
	} else if (letters && letters < n &&
		   letters + run_of(DIGITS, token + letters, n - letters) == n) {
		strbuf_append_bytes(into, token, letters);
		strbuf_append(into, "{N}");
	} else if (digits && digits + run_of(LETTERS, token + digits, n - digits) == n) {
		strbuf_append(into, "{N}");
		strbuf_append_bytes(into, token + digits, n - digits);
	} else {
		strbuf_append_bytes(into, token, n);
	}
}

void metric_pattern_format(const char *name, struct strbuf *into)
{
	size_t n = strlen(name), at = 0;

	while (at < n) {
		size_t token = token_length(name + at, n - at), separator, letters, uuid;

		if (token) {
			uuid = uuid_at(name + at, token, n - at, &letters);
			if (uuid) {
				strbuf_append_bytes(into, name + at, letters);
				strbuf_append(into, "{U}");
				at += uuid;
			} else {
				append_token(name + at, token, into);
				at += token;
			}
		}
		separator = separator_at(name + at, n - at);
		strbuf_append_bytes(into, name + at, separator);
		at += separator;
	}
}
