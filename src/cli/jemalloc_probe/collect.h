/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_CLI_JEMALLOC_PROBE_COLLECT_H
#define KTSTR_CLI_JEMALLOC_PROBE_COLLECT_H

#include "base/cancel.h"
#include "cli/jemalloc_probe/config.h"
#include "cli/jemalloc_probe/report.h"

/*
 * Attaches and takes the snapshots. An error is fatal (see fatal.h) and leaves
 * nothing to print but details, lines about what was tried (may be NULL). A cancelled run is not
 * an error: the report says interrupted; nor is a process that ends after the first snapshot.
 */
struct error *probe_collect(const struct probe_config *config, const struct cancel *cancel,
			    struct strbuf *details, struct probe_report *ret) MUST_CHECK;

#endif
