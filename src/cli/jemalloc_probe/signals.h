/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIGINT, SIGTERM and the deadline ask the work to end; none of them ends the
 * program. Handlers are set without SA_RESTART, so that a blocking call returns
 * and the request is seen. A second SIGINT or SIGTERM kills as usual.
 */
#ifndef KTSTR_CLI_JEMALLOC_PROBE_SIGNALS_H
#define KTSTR_CLI_JEMALLOC_PROBE_SIGNALS_H

#include "base/cancel.h"

/* `cancel` must live as long as the program. abort_after_ms 0 means no deadline. */
struct error *signals_install(struct cancel *cancel, uint64_t abort_after_ms) MUST_CHECK;
/*
 * Says that the deadline passed, if it did and nobody said so yet. The work may
 * see the deadline by the clock before the timer's signal arrives.
 */
void signals_report_deadline(void);

#endif
