/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agent asks of the machine it runs on, and does to it. */
#ifndef KTSTR_AGENT_MACHINE_H
#define KTSTR_AGENT_MACHINE_H

#include "base/error.h"

struct error *agent_machine_set_clock(uint64_t realtime_ns) MUST_CHECK;
/* Credits the bytes in full and makes the generator use them at once. */
struct error *agent_machine_add_entropy(const uint8_t *bytes, size_t n) MUST_CHECK;
/* CLOCK_BOOTTIME */
/* That this process may use, which is all of them for the first one. 0: not known. */
uint32_t agent_machine_online_cpus(void);
uint64_t agent_machine_uptime_ns(void);
/* MemAvailable of /proc/meminfo; 0 when it is not there. */
uint64_t agent_machine_available_kb(void);
uint64_t agent_machine_parse_available_kb(const char *meminfo) MUST_CHECK;
/*
 * Every CPU stands still, then the machine resets, which stops it where it does not reboot.
 * The one way to a stop after which no instruction runs: a restart halts all other CPUs with
 * interrupts off, and QEMU ends the CPU that asks for a reset at that very instruction, while it
 * acts upon power-off and isa-debug-exit (since 9.2) some time later. Comes back only if the kernel
 * refuses.
 */
void agent_machine_park(void);
/* Syncs and restarts the machine, which ends it where it does not reboot. */
void agent_machine_reboot(void);
/* Syncs and turns the machine off; comes back only if the kernel refuses. */
void agent_machine_power_off(void);

#endif
