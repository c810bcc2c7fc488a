/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A second look at a cached kernel: every byte, and the check of its BTF. */
#ifndef KTSTR_KERNEL_VERIFY_H
#define KTSTR_KERNEL_VERIFY_H

#include "kernel/kernel.h"

/* A file that is not what was recorded is KERNEL_CORRUPT. */
struct error *kernel_verify(const struct kernel *kernel, struct kernel_check *ret) MUST_CHECK;

#endif
