// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/procfs/thread_files.c */
#include "fuzz.h"

#include <stdlib.h>

#include "base/strbuf.h"
#include "procfs/thread_files.h"

/* An even first byte: the rest stands behind the name of the line, which chance rarely writes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct procfs_nspid nspid = { 0 };
	struct error *err;
	pid_t pid = 0;

	if (n && data[0] % 2 == 0)
		strbuf_append(&text, "Name:\tx\nNSpid:");
	if (n)
		strbuf_append_bytes(&text, data + 1, n - 1);
	err = procfs_nspid_parse(strbuf_str(&text), text.n, &nspid);

	/* That there is such a line is the first validation. */
	if (!error_is(err, &base_error_domain, BASE_ABSENT))
		fuzz_mark_deep();
	if (!err && (nspid.n == 0 || nspid.n > PROCFS_NSPID_MAX))
		abort();
	for (size_t i = 0; !err && i < nspid.n; i++)
		if (nspid.ids[i] < 0)
			abort();
	error_free(err);
	error_free(procfs_status_pid_parse(strbuf_str(&text), text.n, "NSpid", &pid));
	if (pid < 0)
		abort();
	return 0;
}
