// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/procfs/thread_files.c */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "procfs/thread_files.h"

static void must(bool condition)
{
	if (!condition)
		abort();
}

/* The milliseconds in front of the dot, as the C library reads them, are those of the time. */
static void look_at_time(const char *text, size_t n)
{
	_cleanup_strbuf_ struct strbuf copy = STRBUF_INIT;
	uint64_t ns;

	strbuf_append_bytes(&copy, text, n);
	if (procfs_dotted_time_parse((struct slice){ text, n }, &ns) != PROCFS_DOTTED_TIME_OK)
		return;
	must(memchr(text, '-', n) == NULL || strchr(strbuf_str(&copy), '.') != NULL);
	if (strchr(strbuf_str(&copy), '.'))
		must(ns / 1000000 == strtoull(strbuf_str(&copy), NULL, 10));
	else
		must(ns == strtoull(strbuf_str(&copy), NULL, 10));
}

/* An even first byte: the rest stands behind a key, which chance rarely writes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const keys[] = { "se.statistics.wait_max :", "nr_migrations :",
					    "ext.enabled :", "x (1, #threads: 1)\n" };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	static const struct procfs_field fields[] = {
		{ .key = "wait_max", .form = PROCFS_FORM_TIME, .offset = 0, .bit = 0 },
		{ .key = "nr_migrations", .offset = 8, .bit = 1 },
		{ .key = "ext.enabled", .form = PROCFS_FORM_FLAG, .offset = 16, .bit = 2 },
	};
	uint64_t seen[3] = { 0 }, known = 0;
	struct procfs_values values = { .into = seen, .known = &known };

	if (n && data[0] % 2 == 0)
		strbuf_append(&text, keys[data[0] / 2 % (sizeof(keys) / sizeof(keys[0]))]);
	if (n) {
		look_at_time((const char *)data + 1, n - 1);
		strbuf_append_bytes(&text, data + 1, n - 1);
	}
	if (procfs_sched_fields((struct slice){ strbuf_str(&text), text.n },
				(struct procfs_fields){ fields, 3 }, &values))
		fuzz_mark_deep();
	must(known >> 3 == 0 && seen[2] <= 1);
	return 0;
}
