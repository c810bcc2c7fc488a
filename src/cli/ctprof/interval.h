/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_CLI_CTPROF_INTERVAL_H
#define KTSTR_CLI_CTPROF_INTERVAL_H

#include "base/macros.h"

/* "500ms", "2s", "1.5m", "1h"; false when it is not one or not from 1 ms to 24 h. */
bool interval_parse(const char *text, uint64_t *ret_ns);

/*
 * When the next of a row of moments is, that begin at start_ns and are interval_ns apart: the first
 * that is not over. Counts those that are over already. A late start shifts no later moment.
 */
uint64_t interval_next(uint64_t start_ns, uint64_t interval_ns, uint64_t *slot, uint64_t now_ns,
		       uint64_t *missed);

#endif
