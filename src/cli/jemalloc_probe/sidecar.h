/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_CLI_JEMALLOC_PROBE_SIDECAR_H
#define KTSTR_CLI_JEMALLOC_PROBE_SIDECAR_H

#include "base/cancel.h"
#include "cli/jemalloc_probe/report.h"

/*
 * Adds the report's numbers to a record as flat metrics under "jemalloc_probe.".
 * On error the file is as it was.
 */
struct error *sidecar_append(const char *path, const struct probe_report *report, int exit_code,
			     const struct cancel *cancel, struct error **ret_warning) MUST_CHECK;

#endif
