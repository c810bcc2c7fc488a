/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that a test in a guest may send, whole and right. */
#ifndef KTSTR_TESTS_REPORT_LINES_H
#define KTSTR_TESTS_REPORT_LINES_H

#include "harness/test_report.h"
#include "unit.h"

#define BEGIN		   "{\"report\":\"begin\",\"test\":\"fair\",\"api\":1,\"pid\":41}\n"
#define STAGE(at)	   "{\"report\":\"stage\",\"name\":\"" at "\",\"at_ms\":12}\n"
#define NOTE(text)	   "{\"report\":\"note\",\"text\":\"" text "\"}\n"
#define PART(reason, text) "{\"report\":\"part\",\"reason\":\"" reason "\",\"text\":\"" text "\"}\n"
#define STARTED(name, pid) \
	"{\"report\":\"started\",\"name\":\"" name "\",\"pid\":" pid ",\"argv\":[\"" name "\"]}\n"
#define PAYLOAD_WITH(name, pid, code, more)                                                 \
	"{\"report\":\"payload\",\"name\":\"" name "\",\"pid\":" pid ",\"exit_code\":" code \
	",\"timed_out\":false,\"by_cleanup\":true,\"wall_ms\":7,\"stdout_bytes\":1,"        \
	"\"stderr_bytes\":2,\"dropped_bytes\":3" more "}\n"
#define PAYLOAD(name, pid, code) PAYLOAD_WITH(name, pid, code, ",\"metrics\":[]")
#define CGROUP(name, cpus)	 "{\"report\":\"cgroup\",\"name\":\"" name "\",\"cpus\":\"" cpus "\"}\n"
#define WORKER(cgroup, pid, end, more)                                                                  \
	"{\"report\":\"worker\",\"cgroup\":\"" cgroup "\",\"kind\":\"spin\",\"pid\":" pid               \
	",\"end\":\"" end                                                                               \
	"\",\"iterations\":5,\"units\":55,\"cpu_ns\":1000,\"wall_ns\":2000,\"sleep_ns\":1,"             \
	"\"migrations\":3,\"samples\":4,\"max_gap_ns\":6,\"gap_at_ns\":8,\"gap_cpu\":1,\"stall_ns\":9," \
	"\"cpus\":\"0,2\"" more "}\n"
#define SCHEDULER(state, more) "{\"report\":\"scheduler\",\"state\":\"" state "\"" more "}\n"
#define TEXT(name, text)       "{\"report\":\"text\",\"name\":\"" name "\",\"text\":\"" text "\"}\n"
#define END(parts)	       "{\"report\":\"end\",\"parts\":" parts "}\n"

static inline struct error *take_text(struct harness_test_report *report, const char *text)
{
	return harness_test_report_take(report, text, strlen(text));
}

/* The lines before are right; the last one is refused and says why. */
static inline void assert_refused(const char *before, const char *line, const char *tag,
				  const char *why)
{
	_cleanup_harness_test_report_ struct harness_test_report report = { 0 };
	_cleanup_error_ struct error *err = NULL;

	assert_success(take_text(&report, before));
	err = take_text(&report, line);
	if (!err)
		fail_msg("taken: %s", line);
	assert_string_equal(error_tag(err), tag);
	assert_contains(error_message(err), why);
}

#endif
