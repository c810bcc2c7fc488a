/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_CLI_CTPROF_NAME_H
#define KTSTR_CLI_CTPROF_NAME_H

#include "base/strbuf.h"

#define SNAPSHOT_SUFFIX ".ctprof.zst"

/* HOST-20260131T235959Z.ctprof.zst, of bytes that need no quotes anywhere. */
void snapshot_name_format(const char *host, uint64_t unix_sec, struct strbuf *into);
/* The same for this host and now, with -2, -3 … when such a file is there. */
char *snapshot_name_new(void) MUST_CHECK;

#endif
