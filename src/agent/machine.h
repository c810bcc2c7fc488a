/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agent asks of the machine it runs on, and does to it. */
#ifndef KTSTR_AGENT_MACHINE_H
#define KTSTR_AGENT_MACHINE_H

#include "base/error.h"

struct error *machine_set_clock(uint64_t realtime_ns) MUST_CHECK;
/* Credits the bytes in full and makes the generator use them at once. */
struct error *machine_add_entropy(const uint8_t *bytes, size_t n) MUST_CHECK;
/* CLOCK_BOOTTIME */
uint64_t machine_uptime_ns(void);
/* MemAvailable of /proc/meminfo; 0 when it is not there. */
uint64_t machine_available_kb(void);
uint64_t machine_parse_available_kb(const char *meminfo) MUST_CHECK;
/* Syncs and turns the machine off; comes back only if the kernel refuses. */
void machine_power_off(void);

#endif
