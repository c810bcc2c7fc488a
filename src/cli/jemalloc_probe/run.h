/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_CLI_JEMALLOC_PROBE_RUN_H
#define KTSTR_CLI_JEMALLOC_PROBE_RUN_H

#include "cli/jemalloc_probe/config.h"

/* The whole run: probe, print, append. The value is the exit code. */
int probe_run(const struct probe_config *config);

#endif
