// SPDX-License-Identifier: LGPL-2.1-or-later
#include "text/terminal.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/utf8.h"

bool text_terminal_is(int fd)
{
	return isatty(fd) == 1;
}

size_t text_terminal_columns(int fd)
{
	struct winsize size;

	if (!text_terminal_is(fd) || ioctl(fd, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

bool text_terminal_has_colour(int fd)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (!text_terminal_is(fd) || (no_color && *no_color))
		return false;
	return term && *term && strcmp(term, "dumb") != 0;
}

/* 0 for combining marks, 2 for wide ones, -1 if it is not printable. */
static int codepoint_width(uint32_t codepoint)
{
	static locale_t utf8;
	locale_t before;
	int width;

	if (codepoint >= 0x20 && codepoint < 0x7f)
		return 1;
	/* wcwidth() knows nothing beyond ASCII in the C locale, which programs start in. */
	if (!utf8)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
	if (!utf8)
		return codepoint < 0xa0 ? -1 : 1;
	before = uselocale(utf8);
	width = wcwidth((wchar_t)codepoint);
	uselocale(before);
	return width;
}

static size_t next_width(const char *s, size_t n, size_t *ret_bytes)
{
	uint32_t codepoint;
	size_t bytes = utf8_decode(s, n, &codepoint);
	int width = bytes ? codepoint_width(codepoint) : -1;

	*ret_bytes = bytes ? bytes : 1;
	return width < 0 ? 1 : (size_t)width;
}

size_t text_width(const char *s)
{
	size_t n = strlen(s), width = 0, bytes;

	for (size_t i = 0; i < n; i += bytes)
		width += next_width(s + i, n - i, &bytes);
	return width;
}

size_t text_prefix(const char *s, size_t columns)
{
	size_t n = strlen(s), used = 0, i = 0, bytes;

	while (i < n) {
		used += next_width(s + i, n - i, &bytes);
		if (used > columns)
			break;
		i += bytes;
	}
	return i;
}

void text_wrap(struct strbuf *into, const char *text, size_t indent, size_t columns)
{
	size_t at = indent;
	bool line_start = true, indented = true;

	while (*text) {
		_cleanup_free_ char *word = NULL;
		size_t n, width;

		if (*text == '\n') {
			strbuf_append_char(into, '\n');
			at = indent;
			line_start = true;
			indented = false;
			text++;
			continue;
		}
		if (*text == ' ') {
			text++;
			continue;
		}
		n = strcspn(text, " \n");
		word = xstrndup(text, n);
		width = text_width(word);
		if (!line_start && at + 1 + width > columns) {
			strbuf_append_char(into, '\n');
			at = indent;
			line_start = true;
			indented = false;
		}
		if (!line_start) {
			strbuf_append_char(into, ' ');
			at++;
		} else if (!indented) {
			/* Only in front of a word, so that empty lines hold no blanks. */
			strbuf_append_repeated(into, ' ', indent);
			indented = true;
		}
		strbuf_append(into, word);
		at += width;
		line_start = false;
		text += n;
	}
}

static bool is_control(uint32_t codepoint)
{
	return codepoint < 0x20 || (codepoint >= 0x7f && codepoint < 0xa0);
}

/* Direction marks and overrides, line and paragraph separators, the byte order mark. */
static bool moves_text(uint32_t codepoint)
{
	return codepoint == 0x61c || (codepoint >= 0x200e && codepoint <= 0x200f) ||
	       (codepoint >= 0x2028 && codepoint <= 0x202e) ||
	       (codepoint >= 0x2066 && codepoint <= 0x2069) || codepoint == 0xfeff;
}

void text_escape_bytes(struct strbuf *into, const char *foreign, size_t n)
{
	for (size_t i = 0; i < n;) {
		uint32_t codepoint;
		size_t bytes = utf8_decode(foreign + i, n - i, &codepoint);

		if (bytes == 0) {
			strbuf_appendf(into, "\\x%02x", (uint8_t)foreign[i]);
			i++;
			continue;
		}
		if (codepoint == '\n')
			strbuf_append(into, "\\n");
		else if (codepoint == '\t')
			strbuf_append(into, "\\t");
		else if (codepoint == '\r')
			strbuf_append(into, "\\r");
		else if (is_control(codepoint))
			strbuf_appendf(into, "\\x%02x", codepoint);
		else if (moves_text(codepoint))
			strbuf_appendf(into, "\\u%04x", codepoint);
		else
			strbuf_append_bytes(into, foreign + i, bytes);
		i += bytes;
	}
}

void text_escape(struct strbuf *into, const char *foreign)
{
	text_escape_bytes(into, foreign, strlen(foreign));
}

static void append_bytes(struct strbuf *into, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strbuf_appendf(into, "\\x%02x", (uint8_t)bytes[i]);
}

static bool stands_for_itself(uint32_t codepoint)
{
	return codepoint >= 0x20 && (codepoint < 0x7f || codepoint >= 0xa0) &&
	       codepoint != 0x2028 && codepoint != 0x2029 && codepoint != 0xfffe &&
	       codepoint != 0xffff;
}

void text_escape_name(struct strbuf *into, const char *name, const char *forbidden)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < n;) {
		bool edge = i == 0 || i + 1 == n;
		uint32_t codepoint;
		size_t bytes = utf8_decode(name + i, n - i, &codepoint);

		if (bytes == 0)
			append_bytes(into, name + i, bytes = 1);
		else if (codepoint == '\\')
			strbuf_append(into, "\\\\");
		else if (codepoint == '\n')
			strbuf_append(into, "\\n");
		else if (!stands_for_itself(codepoint) || (codepoint == ' ' && edge) ||
			 (codepoint == '-' && i == 0) ||
			 (codepoint < 0x80 && strchr(forbidden, (int)codepoint)))
			append_bytes(into, name + i, bytes);
		else
			strbuf_append_bytes(into, name + i, bytes);
		i += bytes;
	}
}

static const char *const byte_units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
static const char *const time_units[] = { "ns", "us", "ms", "s" };

/*
 * value / step^i to one decimal in the first unit where it stays below step
 * after rounding, so that 1023.96 KiB reads 1.0 MiB and never 1024.0 KiB.
 */
static void format_scaled(struct strbuf *into, uint64_t value, uint64_t step,
			  const char *const units[], size_t n_units)
{
	unsigned __int128 divisor = 1;

	if (value < step) {
		strbuf_appendf(into, "%llu %s", (unsigned long long)value, units[0]);
		return;
	}
	for (size_t i = 1; i < n_units; i++) {
		unsigned __int128 tenths;

		divisor *= step;
		tenths = ((unsigned __int128)value * 10 + divisor / 2) / divisor;
		if (tenths >= 10 * step && i + 1 < n_units)
			continue;
		strbuf_appendf(into, "%llu.%u %s", (unsigned long long)(tenths / 10),
			       (unsigned int)(tenths % 10), units[i]);
		return;
	}
}

void text_format_bytes(struct strbuf *into, uint64_t bytes)
{
	format_scaled(into, bytes, 1024, byte_units, ARRAY_SIZE(byte_units));
}

void text_format_bytes_difference(struct strbuf *into, uint64_t after, uint64_t before)
{
	if (after < before)
		strbuf_append_char(into, '-');
	text_format_bytes(into, after < before ? before - after : after - before);
}

void text_format_rate(struct strbuf *into, uint64_t bytes, uint64_t ns)
{
	unsigned __int128 per_second;

	if (ns == 0) {
		strbuf_append_char(into, '-');
		return;
	}
	per_second = (unsigned __int128)bytes * 1000000000u / ns;
	text_format_bytes(into, per_second > UINT64_MAX ? UINT64_MAX : (uint64_t)per_second);
	strbuf_append(into, "/s");
}

void text_format_duration(struct strbuf *into, uint64_t ns)
{
	format_scaled(into, ns, 1000, time_units, ARRAY_SIZE(time_units));
}
