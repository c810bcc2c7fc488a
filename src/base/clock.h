/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef KTSTR_BASE_CLOCK_H
#define KTSTR_BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_MS  UINT64_C(1000000)
#define NS_PER_SEC UINT64_C(1000000000)

/* CLOCK_MONOTONIC, for durations. */
uint64_t clock_monotonic_ns(void);
/* CLOCK_REALTIME, for people and files. */
uint64_t clock_unix_sec(void);

#endif
