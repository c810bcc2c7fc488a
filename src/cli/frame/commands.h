/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every command there is; each is defined in the file that bears its name. */
#ifndef KTSTR_CLI_FRAME_COMMANDS_H
#define KTSTR_CLI_FRAME_COMMANDS_H

#include "cli/frame/command.h"

/* Programs. */
extern const struct command program_ktstr;
extern const struct command program_jemalloc_probe;

/* Sub-commands of ktstr. */
extern const struct command cmd_cache;
extern const struct command cmd_ctprof;
extern const struct command cmd_doctor;
extern const struct command cmd_help;
extern const struct command cmd_inspect;
extern const struct command cmd_kernel;
extern const struct command cmd_rerun;
extern const struct command cmd_results;
extern const struct command cmd_shell;
extern const struct command cmd_show_test;
extern const struct command cmd_test;
extern const struct command cmd_topo;
extern const struct command cmd_version;
extern const struct command cmd_vm;
extern const struct command cmd_vm_list;
extern const struct command cmd_vm_freeze;
extern const struct command cmd_vm_resume;
extern const struct command cmd_vm_kill;

#endif
