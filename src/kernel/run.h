/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Running apt and dpkg: output kept, progress passed on, ended when the work is cancelled. */
#ifndef KTSTR_KERNEL_RUN_H
#define KTSTR_KERNEL_RUN_H

#include "base/strbuf.h"
#include "kernel/error.h"
#include "kernel/watch.h"

struct kernel_run {
	const char *const *argv;
	const char *label; /* what messages call it; NULL: argv[0] */
	const char *cwd;   /* NULL: ours */
	/* Of a download, for the progress; with total_bytes 0 there is none. */
	const char *what;
	uint64_t total_bytes;
};

/*
 * Appends standard output to *out (may be NULL). Any end but exit status 0 is KERNEL_APT with
 * the last line the program complained with. Descriptor 3 of the child takes apt's status
 * lines.
 */
struct error *kernel_run(const struct kernel_run *run, const struct kernel_watch *watch,
			 struct strbuf *out) MUST_CHECK;
/* Percent in hundredths of a line like "dlstatus:1:33.3333:Retrieving …"; false for others. */
bool kernel_run_parse_status(const char *line, uint32_t *ret_hundredths) MUST_CHECK;

#endif
