/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The channel that needs no interrupt: bytes go out at the instruction that writes them. */
#ifndef KTSTR_AGENT_DEBUG_PORT_H
#define KTSTR_AGENT_DEBUG_PORT_H

#include "base/error.h"

/* Asks the kernel for the port of QEMU's isa-debugcon. */
struct error *agent_debug_port_open(void) MUST_CHECK;
void agent_debug_port_write(const void *bytes, size_t n);

#endif
