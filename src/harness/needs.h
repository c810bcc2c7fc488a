/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a machine and a kernel are what a test needs; asked before anything is booted. */
#ifndef KTSTR_HARNESS_NEEDS_H
#define KTSTR_HARNESS_NEEDS_H

#include "base/bytes.h"
#include "exchange/declaration.h"
#include "kernel/kernel.h"

/*
 * True when everything is there; false, with the first thing that is missing, when not. The
 * caller owns *ret_why. Reasons:
 *
 * - NEEDS_TOPOLOGY: fewer or more CPUs, LLCs, nodes, no SMT; or a cgroup wants CPUs that this
 *   machine has not (it may be another one than the test's own).
 * - NEEDS_SCX: no sched_ext. A test with a scheduler of its own needs it without saying so.
 * - KERNEL_BTF: it has sched_ext, and its BTF is broken.
 * - NEEDS_KCONFIG: what the config says about the first option that is not as wanted.
 * - NO_EVIDENCE: nothing speaks against it, but the kernel brought no config or no BTF to tell.
 */
bool harness_needs_met(const struct exchange_declared_test *test, const struct topo *topology,
		       const struct kernel *kernel, enum ktstr_reason *ret_reason,
		       char **ret_why) MUST_CHECK;

/* With the text of the kernel's config; NULL: there is none. */
bool harness_needs_met_with(const struct exchange_declared_test *test, const struct topo *topology,
			    const struct kernel *kernel, const struct bytes *config,
			    enum ktstr_reason *ret_reason, char **ret_why) MUST_CHECK;

#endif
