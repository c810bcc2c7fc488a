/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_CLI_FRAME_TOPOLOGY_OPTION_H
#define KTSTR_CLI_FRAME_TOPOLOGY_OPTION_H

#include "topo/topology.h"

/* A topology or the name of a preset; CLI_USAGE with the nearest name when it is neither. */
struct error *cli_parse_topology(const char *text, struct topo *ret) MUST_CHECK;

#endif
