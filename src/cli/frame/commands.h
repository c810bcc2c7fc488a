/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every command there is; each is defined in the file that bears its name. */
#ifndef KTSTR_CLI_FRAME_COMMANDS_H
#define KTSTR_CLI_FRAME_COMMANDS_H

#include "cli/frame/command.h"

/* Programs. */
extern const struct cli_command cli_program_ktstr;
extern const struct cli_command cli_program_jemalloc_probe;

/* Sub-commands of ktstr. */
extern const struct cli_command cli_cmd_cache;
extern const struct cli_command cli_cmd_ctprof;
extern const struct cli_command cli_cmd_doctor;
extern const struct cli_command cli_cmd_inspect;
extern const struct cli_command cli_cmd_kernel;
extern const struct cli_command cli_cmd_rerun;
extern const struct cli_command cli_cmd_results;
extern const struct cli_command cli_cmd_shell;
extern const struct cli_command cli_cmd_show_test;
extern const struct cli_command cli_cmd_test;
extern const struct cli_command cli_cmd_topo;
extern const struct cli_command cli_cmd_trace;
extern const struct cli_command cli_cmd_vm;

/* A topology or the name of a preset; CLI_USAGE with the nearest name when it is neither. */
struct topo;
struct error *cli_parse_topology(const char *text, struct topo *ret) MUST_CHECK;
/* Each value of `option` is a directory; else CLI_USAGE. */
struct error *cli_check_directories(const char *option,
				    const struct cli_strings *values) MUST_CHECK;

#endif
