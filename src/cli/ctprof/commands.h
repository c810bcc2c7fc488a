/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sub-commands of `ktstr ctprof`. */
#ifndef KTSTR_CLI_CTPROF_COMMANDS_H
#define KTSTR_CLI_CTPROF_COMMANDS_H

#include "cli/frame/command.h"

extern const struct cli_command cmd_ctprof_capture;
extern const struct cli_command cmd_ctprof_metric_list;
extern const struct cli_command cmd_ctprof_show;

#endif
