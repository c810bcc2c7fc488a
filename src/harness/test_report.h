/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a test in a guest said, as the runner knows it: filled line by line from hostile bytes.
 * Times are the guest's.
 */
#ifndef KTSTR_HARNESS_TEST_REPORT_H
#define KTSTR_HARNESS_TEST_REPORT_H

#include "base/error.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "exchange/report.h"
#include "result/outcome.h"
#include "topo/cpuset.h"
#include "wire/report.h"

struct harness_test_report {
	bool begun, ended;
	char *test;   /* the name that begin told; NULL */
	uint32_t pid; /* of the test binary */
	bool has_stage;
	enum wire_stage stage;
	VEC(struct exchange_stage) stages;
	VEC(struct exchange_part) parts;
	VEC(char *) notes;
	VEC(struct exchange_payload) payloads;
	VEC(struct exchange_worker) workers;
	VEC(struct exchange_cgroup) cgroups;
	struct exchange_scheduler scheduler;
	VEC(struct exchange_text) texts;

	struct strbuf partial_; /* a line that has not ended yet */
	uint64_t bytes_;
	uint64_t lines_;
};

void harness_test_report_deinit(struct harness_test_report *report);
#define _cleanup_harness_test_report_ __attribute__((cleanup(harness_test_report_deinit)))

/*
 * The next bytes, cut anywhere. BASE_PARSE: no report (a line that is not an object, an unknown
 * kind, a member missing or of the wrong type, something before `begin` or after `end`, a second
 * `end`, a number of parts that is not the number that came); BASE_LIMIT. What was read before
 * stays.
 */
struct error *harness_test_report_take(struct harness_test_report *report, const void *bytes,
				       size_t n) MUST_CHECK;
/* No more bytes: half a line is BASE_PARSE. A missing `end` is not an error: see `ended`. */
struct error *harness_test_report_finish(struct harness_test_report *report) MUST_CHECK;

/* Whether a test may say this about itself: the others only the host can know. */
bool harness_reason_allowed_from_guest(enum ktstr_reason reason);

#endif
