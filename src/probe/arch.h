/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What differs between processors, apart from the arithmetic of tls.h. */
#ifndef KTSTR_PROBE_ARCH_H
#define KTSTR_PROBE_ARCH_H

#include <sys/types.h>

#include "base/macros.h"

/* EM_… of the processes this build can read, and its name. */
uint16_t arch_elf_machine(void);
const char *arch_name(void);
/* The register set the thread pointer is in, for messages. */
const char *arch_regset_name(void);
/* The thread must be stopped by us. 0, or an errno. */
int arch_thread_pointer(pid_t tid, uint64_t *ret) MUST_CHECK;

#endif
