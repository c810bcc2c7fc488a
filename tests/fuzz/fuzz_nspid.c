// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/procfs/status.c */
#include "fuzz.h"

#include <stdlib.h>

#include "procfs/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct proc_nspid nspid = { 0 };
	struct error *err = proc_nspid_parse((const char *)data, n, &nspid);

	/* That there is such a line is the first validation. */
	if (!error_is(err, &base_error_domain, BASE_ABSENT))
		fuzz_mark_deep();
	if (!err && (nspid.n == 0 || nspid.n > PROC_NSPID_MAX))
		abort();
	for (size_t i = 0; !err && i < nspid.n; i++)
		if (nspid.ids[i] < 0)
			abort();
	error_free(err);
	return 0;
}
