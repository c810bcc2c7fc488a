// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/pressure.h"

#include <fcntl.h>
#include <string.h>

#include "procfs/small_file.h"

const char *pressure_resource_word(enum pressure_resource resource)
{
#define WORD(id, word) [PRESSURE_##id] = word,
	static const char *const words[] = { PRESSURE_RESOURCES(WORD) };
#undef WORD

	return words[resource];
}

static bool are_digits(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (text[i] < '0' || text[i] > '9')
			return false;
	return true;
}

/* "12.34" in hundredths; what does not parse is 0, what does not fit is the largest. */
static uint16_t hundredths(const char *text, size_t n)
{
	const char *dot = memchr(text, '.', n);
	size_t whole_n = dot ? (size_t)(dot - text) : n;
	size_t fraction_n = dot ? n - whole_n - 1 : 0;
	uint64_t whole = 0, fraction = 0;

	if (whole_n == 0 || !are_digits(text, whole_n) || (dot && !are_digits(dot + 1, fraction_n)))
		return 0;
	if (fraction_n)
		fraction = (uint64_t)(dot[1] - '0') * 10;
	if (fraction_n > 1)
		fraction += (uint64_t)(dot[2] - '0');
	if (!decimal_parse(text, whole_n, &whole) || whole > UINT16_MAX / 100)
		return UINT16_MAX;
	return whole * 100 + fraction < UINT16_MAX ? (uint16_t)(whole * 100 + fraction)
						   : UINT16_MAX;
}

static bool is_word(const char *text, size_t n, const char *word)
{
	return n == strlen(word) && memcmp(text, word, n) == 0;
}

static void take_value(const char *token, size_t n, struct pressure_half *half)
{
	const char *equals = memchr(token, '=', n);
	size_t key_n, value_n;

	if (!equals)
		return;
	key_n = (size_t)(equals - token);
	value_n = n - key_n - 1;
	if (is_word(token, key_n, "avg10"))
		half->avg10 = hundredths(equals + 1, value_n);
	else if (is_word(token, key_n, "avg60"))
		half->avg60 = hundredths(equals + 1, value_n);
	else if (is_word(token, key_n, "avg300"))
		half->avg300 = hundredths(equals + 1, value_n);
	else if (is_word(token, key_n, "total") &&
		 !decimal_parse(equals + 1, value_n, &half->total_usec))
		half->total_usec = 0;
}

static void take_line(const char *line, const char *end, struct pressure_file *file)
{
	struct pressure_half *half = NULL;

	for (const char *at = line; at < end;) {
		size_t n = 0;

		while (at + n < end && at[n] != ' ' && at[n] != '\t')
			n++;
		if (half)
			take_value(at, n, half);
		else if (is_word(at, n, "some"))
			half = &file->some;
		else if (is_word(at, n, "full"))
			half = &file->full;
		else if (n)
			return;
		at += n + 1;
	}
	if (half)
		half->known = true;
}

void pressure_file_parse(const char *text, size_t n, struct pressure_file *ret)
{
	struct pressure_file file = { .known = true };

	for (const char *at = text, *end = text + n; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		take_line(at, newline ? newline : end, &file);
		at = newline ? newline + 1 : end;
	}
	*ret = file;
}

void pressure_read_at(int dir, const char *suffix, struct pressure *ret)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct pressure pressure = { 0 };

	for (int i = 0; i < N_PRESSURE_RESOURCES; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%s%s",
			 pressure_resource_word((enum pressure_resource)i), suffix);
		/* With psi=0 the files are there and refuse to be read. */
		if (small_file_read(dir, name, &text))
			pressure_file_parse(strbuf_str(&text), text.n, &pressure.resources[i]);
	}
	*ret = pressure;
}

void pressure_read(const char *dir, const char *suffix, struct pressure *ret)
{
	_cleanup_close_ int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	*ret = (struct pressure){ 0 };
	if (fd >= 0)
		pressure_read_at(fd, suffix, ret);
}
