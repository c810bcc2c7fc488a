/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a machine and a kernel are what a test needs; asked before anything is booted. */
#ifndef KTSTR_HARNESS_NEEDS_H
#define KTSTR_HARNESS_NEEDS_H

#include "base/bytes.h"
#include "base/strbuf.h"
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

/* What a kernel was built with: the text that its build leaves as .config or /boot/config. */

enum harness_kconfig_state {
	HARNESS_KCONFIG_ABSENT,	 /* no line about it: its requirements are not met, or it is unknown
				  */
	HARNESS_KCONFIG_NOT_SET, /* "# CONFIG_X is not set" */
	HARNESS_KCONFIG_SET,	 /* "CONFIG_X=value" */
};

/* The last line about an option counts, as for the kernel's build. *ret only when it is set. */
enum harness_kconfig_state harness_kconfig_find(struct bytes config, const char *option, size_t n,
						struct bytes *ret);

/*
 * Whether "CONFIG_X" is y or m, or "CONFIG_X=value" exactly so ("=n": not set or absent). When
 * not, what the config says is appended to `why`: "CONFIG_X is not set".
 */
bool harness_kconfig_has(struct bytes config, const char *wanted, struct strbuf *why);

/*
 * How long a test may take in its guest, from `begin` to `end` of its report. Booting has limits
 * of its own.
 *
 *	slowness = 1                          KVM
 *	         = 4 + vcpus / 8              TCG, where one host CPU runs all vCPUs
 *	         = 500 / MIPS of a CPU        with a virtual clock, at least 1
 *
 *	limit    = slowness * timeout_s                                       when the test says so
 *	         = duration + slowness * (20 s + duration * vcpus / 64        else
 *	                                  + attach_timeout_s, with a scheduler)
 *	         + 90 s                       with a scheduler without attach_timeout_s
 *
 * The work of a test runs for `duration` by the clock however slow the guest is, so that part does
 * not grow. 20 s are for making cgroups, starting workers and clearing up; they cost more
 * with more CPUs and with longer work to report about. An attach has
 * 90 s of the guest's clock unless the test says otherwise. Divisions round up.
 */

/*
 * With a virtual clock all of them are the guest's time. That does not depend on the host, but its
 * CPUs are slower than real ones: the slowness comes from the speed that the machine was given. The
 * figure is that of TCG, where 4 CPUs have about 94 MIPS each when all are busy and 5 is enough.
 */

/* What the guest is told in KTSTR_SLOWNESS: limits of authors are multiplied by it. At least 1. */
unsigned int harness_slowness(bool emulated, unsigned int vcpus);
/* With a virtual clock; `cpu_mips` as in struct vm_speed. */
unsigned int harness_slowness_of_speed(double cpu_mips);
uint64_t harness_time_limit_ns(const struct exchange_declared_test *test, unsigned int slowness,
			       unsigned int vcpus);
/*
 * How long a guest with a scheduler under test may be silent, 0: no longer than any other. One that
 * starves everybody is thrown out by the kernel after 30 s at most, which looks every 15 s
 * (SCX_WATCHDOG_MAX_TIMEOUT since 6.12); then the guest speaks again and has the reason. The rest
 * is for that.
 */
uint64_t harness_time_limit_silence_ns(const struct exchange_declared_test *test);
/* The sum that gives it: "duration 5 s + 5 x (20 s + 1 s for its size + 30 s to attach)". */
void harness_time_limit_explain(const struct exchange_declared_test *test, unsigned int slowness,
				unsigned int vcpus, struct strbuf *into);

#endif
