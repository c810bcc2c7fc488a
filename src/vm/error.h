/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a guest can fail us. Verdicts are built on these words. */
#ifndef KTSTR_VM_ERROR_H
#define KTSTR_VM_ERROR_H

#include "base/error.h"

#define VM_ERRORS(X)                                                                            \
	X(VM_QEMU_MISSING, "qemu-missing", "no usable QEMU was found")                          \
	X(VM_QEMU_FAILED, "qemu-failed", "QEMU refused its command line or ended by itself")    \
	X(VM_QEMU_KILLED, "qemu-killed", "QEMU was ended by a signal")                          \
	X(VM_QMP, "qmp", "QEMU's monitor gave an unexpected answer")                            \
	X(VM_BOOT_TIMEOUT, "boot-timeout", "the guest did not come up in time")                 \
	X(VM_PANIC, "guest-panic", "the guest's kernel panicked")                               \
	X(VM_OOM, "guest-oom", "the guest ran out of memory")                                   \
	X(VM_TRIPLE_FAULT, "triple-fault", "the guest reset without a panic")                   \
	X(VM_POWERED_OFF, "powered-off", "the guest switched itself off")                       \
	X(VM_REBOOTED, "rebooted", "the guest restarted itself on purpose")                     \
	X(VM_HANG, "guest-hang", "the guest runs but its agent is silent")                      \
	X(VM_BUSY, "guest-busy", "the guest's CPUs do not become idle")                         \
	X(VM_AGENT, "agent", "the agent could not do what it was asked, or broke the protocol") \
	X(VM_TOPOLOGY, "topology-mismatch", "the guest does not have the machine asked for")    \
	X(VM_TEMPLATE, "template", "a template could not be made or used")                      \
	X(VM_CLONE, "clone-proof", "a clone differs from its template")                         \
	X(VM_CACHE_FULL, "cache-full", "there is no room for a template")                       \
	X(VM_HOST_LIMIT, "host-limit",                                                          \
	  "a guest with a virtual clock took far too long for the host")                        \
	X(VM_MIPS, "mips", "no machine can be that fast")
DECLARE_ERROR_DOMAIN(vm, VM, VM_ERRORS);

#endif
