// SPDX-License-Identifier: LGPL-2.1-or-later
#include "text/number.h"

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
