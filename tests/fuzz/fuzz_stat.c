// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/procfs/thread_files.c */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "procfs/thread_files.h"

/* Its sibling in /proc/PID, too small for a fuzzer of its own. */
static void look_at_schedstat(const char *text, size_t n)
{
	struct procfs_schedstat stat;
	struct error *err = procfs_schedstat_parse(text, n, &stat);

	if (err) {
		error_free(err);
		return;
	}
	fuzz_mark_deep();
	/* Three digits, two blanks and the newline are the least it takes. */
	if (n < 6 || text[n - 1] != '\n')
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct procfs_stat stat = { 0 };
	struct error *err;

	look_at_schedstat((const char *)data, n);
	err = procfs_stat_parse((const char *)data, n, &stat);

	if (err) {
		/* A name in brackets is the first validation. */
		if (!strstr(error_message(err), "without a name"))
			fuzz_mark_deep();
		error_free(err);
		return 0;
	}
	fuzz_mark_deep();
	if (memchr(stat.comm, 0, sizeof(stat.comm)) == NULL)
		abort();
	return 0;
}
