/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a declared test comes to on this host, on a certain machine. */
#ifndef KTSTR_CLI_SHOW_TEST_FACTS_H
#define KTSTR_CLI_SHOW_TEST_FACTS_H

#include "harness/session.h"
#include "kernel/kernel.h"
#include "topo/cpuset.h"

struct shown_cgroup {
	const struct exchange_declared_cgroup *declared;
	bool exists; /* else the machine has no such CPUs, LLC or node */
	struct topo_cpuset cpus;
};

/* Borrows suite and test. */
struct shown_test {
	const struct exchange_declared_suite *suite;
	const struct exchange_declared_test *test;
	struct topo topology; /* its own unless another was asked for */
	uint64_t memory_bytes;
	VEC(struct shown_cgroup) cgroups;
	struct harness_test_files files; /* the binary first; without those that were not found */
	struct strbuf missing;		 /* lines about files that were not found */

	const char *accel; /* static */
	char *accel_reason;
	uint64_t limit_ns;
	struct strbuf limit_sum;

	/* NULL: there is no kernel to ask, and `unmet` says why. */
	char *kernel;
	bool met;
	enum ktstr_reason unmet_reason;
	char *unmet;
};

/* What is the same for all tests. */
struct shown_host {
	struct harness_file_finder *finder;
	const struct kernel *kernel; /* NULL */
	const char *no_kernel;	     /* why there is none */
	bool emulated;
	const char *accel, *accel_reason;
};

/* `other` is NULL, or a machine to be taken instead of the test's own. */
struct error *shown_test_init(struct shown_test *shown, const struct exchange_declared_suite *suite,
			      const struct exchange_declared_test *test, const struct topo *other,
			      const struct shown_host *host) MUST_CHECK;
void shown_test_deinit(struct shown_test *shown);
#define _cleanup_shown_test_ __attribute__((cleanup(shown_test_deinit)))

/* The CPUs that a cgroup gets there; false when the machine does not have them. */
bool shown_cpus(const struct ktstr_cpus *cpus, const struct topo *t, struct topo_cpuset *ret);

/* Where a check comes from: "declared", "default", or "" when the listing does not say. */
const char *shown_check_source(const struct exchange_declared_test *test, const char *check);

#endif
