// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/procfs/stat.c */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "procfs/stat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct proc_stat stat = { 0 };
	struct error *err = proc_stat_parse((const char *)data, n, &stat);

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
