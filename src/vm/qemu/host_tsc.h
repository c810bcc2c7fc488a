/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How fast the host's time stamp counter runs. QEMU's translator shows a guest that very counter,
 * and a guest that finds its speed out by itself errs on a busy host, at times by a factor of
 * fifty.
 */
#ifndef KTSTR_VM_QEMU_HOST_TSC_H
#define KTSTR_VM_QEMU_HOST_TSC_H

#include <stdint.h>

/* Takes some milliseconds. 0: it cannot be told. */
uint64_t vm_host_tsc_khz(void);

#endif
