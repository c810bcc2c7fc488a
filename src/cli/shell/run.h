/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_CLI_SHELL_RUN_H
#define KTSTR_CLI_SHELL_RUN_H

#include "cli/shell/config.h"

/* One guest, one command or one terminal; the value is the exit status. */
int shell_run(const struct shell_config *config);

#endif
