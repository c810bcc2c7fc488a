/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A variant with something in every place, and what came of it. */
#ifndef KTSTR_TESTS_RESULT_RUN_SAMPLE_H
#define KTSTR_TESTS_RESULT_RUN_SAMPLE_H

#include "base/io.h"
#include "result/limits.h"
#include "result/run_record.h"
#include "unit.h"

#define SAMPLE_STEM "fair_share-0123456789abcdef"

static inline struct result_run sample_head(void)
{
	static const char *const argv[] = { "scx_ktfifo", "--slice-us", "5000", "two words" };
	static const char *const sysctls[] = { "sysctl.kernel.sched_autogroup_enabled=0" };
	static const char *const kernel_args[] = { "nosmt", "quiet" };
	static const struct result_file files[] = {
		{ "scx_ktfifo", "/opt/bin/scx_ktfifo", "00000000deadbeef", "aabbcc" },
		{ "data.txt", "/opt/data.txt", "0000000000000001", NULL },
	};

	return (struct result_run){
		.test = "fair_share",
		.id = "0123456789abcdef",
		.suite = "mytests",
		.name = "mytests:fair_share@1n2l2c1t",
		.source = "mytests.c:12",
		.topology = "1n2l2c1t",
		.memory_bytes = UINT64_C(512) << 20,
		.scheduler = "scx_ktfifo --slice-us 5000 'two words'",
		.sysctls = { EXCHANGE_BORROW(sysctls), ARRAY_SIZE(sysctls) },
		.kernel_args = { EXCHANGE_BORROW(kernel_args), ARRAY_SIZE(kernel_args) },
		.work_type = "spin",
		.kernel = { .id = "k1",
			    .release = "9.9.9-test",
			    .build_id = "0a0b",
			    .source = "cache" },
		.rerun = {
			.binary = { "mytests", "/opt/mytests", "1111111111111111", "ffee" },
			.scheduler_argv = { EXCHANGE_BORROW(argv), ARRAY_SIZE(argv) },
			.files = { files, ARRAY_SIZE(files) },
			.command = "ktstr test /opt/mytests -k fair_share --topology 1n2l2c1t",
		},
	};
}

static inline void sample_outcome(struct result_outcome *o, enum ktstr_reason reason)
{
	*o = (struct result_outcome){ 0 };
	if (reason != KTSTR_REASON_NONE)
		result_outcome_add_part(o, reason, "mytests.c", 40,
					"spread is 31 %, allowed are 15 %");
	result_outcome_add_note(o, "a \"note\" with\na newline");
	result_outcome_settle(o);
	o->wall_ns = UINT64_C(1234567890);
}

/* The file as a document; both end with the test. */
struct loaded {
	struct strbuf text;
	struct json_doc *doc;
};

static inline void loaded_deinit(struct loaded *l)
{
	json_doc_free(l->doc);
	strbuf_deinit(&l->text);
}

static inline const struct json_value *load(struct loaded *l, const char *path)
{
	*l = (struct loaded){ 0 };
	assert_success(io_read_file(path, RESULT_LIMIT_RECORD_BYTES, &l->text));
	assert_success(json_doc_parse(l->text.at, l->text.n, path, &l->doc));
	return json_doc_root(l->doc);
}

#define _cleanup_loaded_ __attribute__((cleanup(loaded_deinit)))

#define assert_member(object, key, expected) \
	assert_true(json_text_is(json_string(json_find((object), (key))), (expected)))

#endif
