/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The dump of CPUs and tasks that the kernel makes when it ends a scheduler (tracepoint
 * sched_ext_dump, since 6.12). It is there whether the scheduler's program prints it or not.
 */
#ifndef KTSTR_SUITE_SCX_DUMP_H
#define KTSTR_SUITE_SCX_DUMP_H

#include "base/strbuf.h"

/* `tracing` is where tracefs is mounted. From now on dumps are kept; false: there will be none. */
bool suite_scx_dump_enable(const char *tracing);
void suite_scx_dump_disable(const char *tracing);
/* What there is of a dump. Does not wait. */
void suite_scx_dump_read(const char *tracing, size_t limit_bytes, struct strbuf *into);

/* The dump's own lines out of the text of a trace. */
void suite_scx_dump_lines(const char *trace, struct strbuf *into);

#endif
