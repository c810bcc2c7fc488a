/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long a test may take in its guest, from `begin` to `end` of its report. Booting has limits
 * of its own.
 *
 *	slowness = 1                          KVM
 *	         = 4 + vcpus / 8              TCG: some 4 times slower, and one host CPU runs all
 *vCPUs
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
#ifndef KTSTR_HARNESS_TIME_LIMIT_H
#define KTSTR_HARNESS_TIME_LIMIT_H

#include "base/strbuf.h"
#include "exchange/declaration.h"

/* What the guest is told in KTSTR_SLOWNESS: limits of authors are multiplied by it. At least 1. */
unsigned int harness_time_limit_slowness(bool emulated, unsigned int vcpus);
uint64_t harness_time_limit_ns(const struct exchange_declared_test *test, bool emulated,
			       unsigned int vcpus);
/*
 * How long a guest with a scheduler under test may be silent, 0: no longer than any other. One that
 * starves everybody is thrown out by the kernel after 30 s at most, which looks every 15 s
 * (SCX_WATCHDOG_MAX_TIMEOUT since 6.12); then the guest speaks again and has the reason. The rest
 * is for that.
 */
uint64_t harness_time_limit_silence_ns(const struct exchange_declared_test *test);
/* The sum that gives it: "duration 5 s + 5 x (20 s + 1 s for its size + 30 s to attach)". */
void harness_time_limit_explain(const struct exchange_declared_test *test, bool emulated,
				unsigned int vcpus, struct strbuf *into);

#endif
