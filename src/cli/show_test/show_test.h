/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a declared test comes to on this host, on a certain machine; on a screen and as JSON. */
#ifndef KTSTR_CLI_SHOW_TEST_SHOW_TEST_H
#define KTSTR_CLI_SHOW_TEST_SHOW_TEST_H

#include "harness/session.h"
#include "json/writer.h"
#include "kernel/kernel.h"
#include "text/table.h"
#include "topo/cpuset.h"

struct shown_cgroup {
	const struct exchange_declared_cgroup *declared;
	bool exists; /* else the machine has no such CPUs, LLC or node */
	struct topo_cpuset cpus;
};

/* Borrows suite, test and host. */
struct shown_test {
	const struct shown_host *host;
	const struct exchange_declared_suite *suite;
	const struct exchange_declared_test *test;
	struct topo topology;  /* its own unless another was asked for */
	struct vm_speed speed; /* with a virtual clock: what it is by default */
	uint64_t memory_bytes;
	VEC(struct shown_cgroup) cgroups;
	struct harness_test_files files; /* the binary first; without those that were not found */
	struct strbuf missing;		 /* lines about files that were not found */

	uint64_t limit_ns;
	struct strbuf limit_sum;

	/* Without a kernel of the host `unmet` says why there is none. */
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
	enum vm_clock_kind clock;
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

/* On a screen. */
void shown_test_format(const struct shown_test *shown, const struct text_look *look,
		       struct strbuf *into);

/* As members of an object: what the binary lists of the test, and `resolved`. */
struct error *shown_test_write(const struct shown_test *shown, const struct json_value *listed,
			       struct json_writer *w) MUST_CHECK;

#endif
