// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cursor over foreign bytes. The input is a script and the bytes it reads: first
 * the script's length, then its steps, then the range. Each step's answer is compared
 * with one computed here, byte by byte and without a cursor.
 */
/* covers: src/base/bytes.h */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "fuzz.h"

#define MUST(condition)           \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

/* Where the next read must begin, or SIZE_MAX once something was refused. */
static size_t expected;

static void check_fixed(struct cursor *c, unsigned int width)
{
	struct bytes in = c->in;
	uint64_t want = 0, got;

	if (width == 1)
		got = cursor_u8(c);
	else if (width == 2)
		got = cursor_u16(c);
	else if (width == 4)
		got = cursor_u32(c);
	else
		got = cursor_u64(c);
	if (expected == SIZE_MAX || in.n - expected < width) {
		expected = SIZE_MAX;
		MUST(c->failed && got == 0);
		return;
	}
	for (unsigned int i = width; i-- > 0;)
		want = want * 256 + in.at[expected + i];
	expected += width;
	MUST(!c->failed && got == want);
}

static void check_uleb128(struct cursor *c)
{
	struct bytes in = c->in;
	uint64_t got = cursor_uleb128(c);
	unsigned __int128 want = 0;

	for (size_t i = 0; expected != SIZE_MAX && i < 10 && i < in.n - expected; i++) {
		uint8_t byte = in.at[expected + i];

		want |= (unsigned __int128)(byte & 0x7f) << (7 * i);
		if (byte & 0x80)
			continue;
		if (want > UINT64_MAX)
			break;
		expected += i + 1;
		MUST(!c->failed && got == (uint64_t)want);
		return;
	}
	expected = SIZE_MAX;
	MUST(c->failed && got == 0);
}

static void check_string(struct cursor *c)
{
	struct bytes in = c->in;
	const char *got = cursor_string(c);
	size_t at = expected;

	while (at < in.n && in.at[at])
		at++;
	if (expected == SIZE_MAX || at == in.n) {
		expected = SIZE_MAX;
		MUST(c->failed && !got);
		return;
	}
	MUST(!c->failed && got == (const char *)in.at + expected && strlen(got) == at - expected);
	expected = at + 1;
}

static void check_seek(struct cursor *c, uint8_t to)
{
	cursor_seek(c, to);
	if (to > c->in.n)
		expected = SIZE_MAX;
	else if (expected != SIZE_MAX)
		expected = to;
	MUST(c->failed == (expected == SIZE_MAX));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	size_t steps = n ? data[0] : 0;
	struct cursor c;
	uint8_t *range;

	if (!steps || steps > n - 1)
		return 0;
	fuzz_mark_deep();
	range = malloc(n - 1 - steps ? n - 1 - steps : 1);
	if (!range)
		return 0;
	memcpy(range, data + 1 + steps, n - 1 - steps);
	c = cursor_over((struct bytes){ range, n - 1 - steps });
	expected = 0;
	for (size_t i = 1; i <= steps; i++) {
		if (data[i] >= 16)
			check_seek(&c, data[i] - 16);
		else if (data[i] % 8 < 4)
			check_fixed(&c, 1u << data[i] % 8);
		else if (data[i] % 2)
			check_uleb128(&c);
		else
			check_string(&c);
	}
	free(range);
	return 0;
}
