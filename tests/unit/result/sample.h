/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small output of the jemalloc probe, and the hints its command passes. */
#ifndef KTSTR_TESTS_RESULT_SAMPLE_H
#define KTSTR_TESTS_RESULT_SAMPLE_H

#include "result/record.h"
#include "unit.h"

/* One thread was read, the other could not be: its words are no metrics. */
#define SAMPLE_OUTPUT                                                                        \
	"{\"schema_version\":3,\"pid\":42,\"tool_version\":\"0.1.0\",\"interrupted\":false," \
	"\"snapshots\":[{\"timestamp_unix_sec\":1700000000,\"threads\":["                    \
	"{\"tid\":42,\"comm\":\"worker\",\"allocated_bytes\":18446744073709551615,"          \
	"\"deallocated_bytes\":512},"                                                        \
	"{\"tid\":99,\"comm\":\"gone\",\"error\":\"ESRCH\",\"error_kind\":\"ptrace-seize\"}]}]}"

enum { SAMPLE_LEAVES = 7 };

static const struct result_metric_hint sample_hints[] = {
	{ ".allocated_bytes", { RESULT_POLARITY_LOWER_BETTER, 0 }, "bytes" },
	{ ".deallocated_bytes", { RESULT_POLARITY_LOWER_BETTER, 0 }, "bytes" },
};

static inline struct result_append sample_append(int exit_code, struct json_doc **ret_doc)
{
	assert_success(json_doc_parse(SAMPLE_OUTPUT, strlen(SAMPLE_OUTPUT), "sample", ret_doc));
	return (struct result_append){
		.output = json_doc_root(*ret_doc),
		.name_prefix = "jemalloc_probe",
		.hints = { sample_hints, ARRAY_SIZE(sample_hints) },
		.exit_code = exit_code,
	};
}

#endif
