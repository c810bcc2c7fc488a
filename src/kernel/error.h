/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef KTSTR_KERNEL_ERROR_H
#define KTSTR_KERNEL_ERROR_H

#include "base/error.h"

#define KERNEL_ERRORS(X)                                                                           \
	X(KERNEL_NOT_KERNEL, "not-kernel", "the file is not a kernel image for x86-64")            \
	X(KERNEL_COMPRESSION, "kernel-compression", "the payload's compression is not known")      \
	X(KERNEL_MALFORMED, "kernel-malformed", "the image contradicts itself")                    \
	X(KERNEL_NOT_CACHED, "kernel-not-cached", "no cached kernel is what was asked for")        \
	X(KERNEL_NOT_IN_REACH, "kernel-not-in-reach", "no available package contains that kernel") \
	X(KERNEL_CORRUPT, "kernel-corrupt", "a cached kernel is damaged")                          \
	X(KERNEL_NO_SCX, "kernel-no-sched-ext", "the kernel cannot run sched_ext programs")        \
	X(KERNEL_WORD, "kernel-word", "no kernel has that name")                                   \
	X(KERNEL_APT, "kernel-apt", "apt failed")
DECLARE_ERROR_DOMAIN(kernel, KERNEL, KERNEL_ERRORS);

#endif
