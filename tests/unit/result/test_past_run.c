// SPDX-License-Identifier: GPL-2.0-or-later
#include "result/run_record.h"

#include "run_sample.h"
#include "scratch.h"

static const struct result_stamp stamp = {
	.unix_sec = 1700000000,
	.pid = 4711,
	.start_time_jiffies = 99,
};

static struct error *parse(const char *text, struct result_run *ret)
{
	return result_run_parse(text, strlen(text), "r", ret);
}

static void format_sample(enum ktstr_reason reason, struct strbuf *into)
{
	_cleanup_(result_outcome_deinit) struct result_outcome outcome = { 0 };
	struct result_record_result result = { .outcome = &outcome };
	struct result_run head = sample_head();
	_cleanup_strbuf_ struct strbuf members = STRBUF_INIT;

	sample_outcome(&outcome, reason);
	outcome.kept_dir = xstrdup("/kept");
	result_format_head(&head, &stamp, &members);
	assert_success(result_format_finished(&members, &result, (struct json_text){ 0 }, 0,
					      "it was moved", into));
}

static void a_finished_record_is_read_back(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_result_run_ struct result_run run = { 0 };

	format_sample(KTSTR_REASON_CHECK, &text);
	assert_success(parse(strbuf_str(&text), &run));
	assert_int_equal(run.state, RESULT_FINISHED);
	assert_int_equal(run.verdict, KTSTR_FAIL);
	assert_int_equal(run.reason, KTSTR_REASON_CHECK);
	assert_string_equal(run.why, "spread is 31 %, allowed are 15 %");
	assert_string_equal(run.test, "fair_share");
	assert_string_equal(run.id, "0123456789abcdef");
	assert_string_equal(run.name, "mytests:fair_share@1n2l2c1t");
	assert_string_equal(run.kernel.release, "9.9.9-test");
	assert_string_equal(run.kept_dir, "/kept");
	assert_string_equal(run.problem, "it was moved");
	assert_true(run.has_wall);
	assert_int_equal(run.wall_ms, 1234);
	assert_int_equal(run.runner_pid, 4711);
	assert_int_equal(run.runner_start_jiffies, 99);
	assert_int_equal(run.parts.n, 1);
	assert_string_equal(run.parts.at[0].file, "mytests.c");
	assert_int_equal(run.parts.at[0].line, 40);
	assert_int_equal(run.notes.n, 1);
}

static void all_that_a_rerun_needs_is_read_back(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_result_run_ struct result_run run = { 0 };
	struct result_run head = sample_head();

	format_sample(KTSTR_REASON_NONE, &text);
	assert_success(parse(strbuf_str(&text), &run));
	assert_string_equal(run.rerun.binary.path, head.rerun.binary.path);
	assert_string_equal(run.rerun.binary.hash, head.rerun.binary.hash);
	assert_string_equal(run.rerun.binary.build_id, head.rerun.binary.build_id);
	assert_string_equal(run.rerun.test, head.test);
	assert_string_equal(run.rerun.topology, head.topology);
	assert_int_equal(run.rerun.memory_bytes, head.memory_bytes);
	assert_string_equal(run.rerun.kernel_id, "k1");
	assert_string_equal(run.rerun.kernel_build_id, "0a0b");
	assert_string_equal(run.rerun.command, head.rerun.command);
	assert_int_equal(run.rerun.kernel_args.n, 2);
	assert_string_equal(run.rerun.kernel_args.at[0], "nosmt");
	assert_int_equal(run.rerun.scheduler_argv.n, 4);
	assert_string_equal(run.rerun.scheduler_argv.at[3], "two words");
	assert_int_equal(run.rerun.files.n, 2);
	assert_string_equal(run.rerun.files.at[0].hash, "00000000deadbeef");
	assert_null(run.rerun.files.at[1].build_id);
	assert_string_equal(run.kernel.source, head.kernel.source);
	assert_int_equal(run.sysctls.n, head.sysctls.n);
	for (size_t i = 0; i < head.sysctls.n; i++)
		assert_string_equal(run.sysctls.at[i], head.sysctls.at[i]);
}

#define HEAD(state) "{\"schema\":1,\"state\":\"" state "\",\"test_name\":\"t\",\"variant_id\":\"0\""

static void a_started_record_is_unfinished(void **state UNUSED)
{
	_cleanup_result_run_ struct result_run run = { 0 };

	assert_success(parse(HEAD("started") ",\"metrics\":[]}", &run));
	assert_int_equal(run.state, RESULT_STARTED);
	assert_null(run.why);
	assert_null(run.rerun.binary.path);
}

static void what_is_no_record_is_refused_with_the_member(void **state UNUSED)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "", "r" },
		{ "[]", "schema" },
		{ "7", "schema" },
		{ "{}", "schema" },
		{ "{\"schema\":\"1\"}", "schema" },
		{ "{\"schema\":3,\"state\":\"started\"}", "schema is 3, this program knows" },
		{ "{\"schema\":1,\"state\":\"done\"}", "state" },
		{ "{\"schema\":1,\"state\":\"started\"}", "test_name" },
		{ "{\"schema\":1,\"state\":\"started\",\"test_name\":7}", "test_name" },
		{ "{\"schema\":1,\"state\":\"started\",\"test_name\":\"t\"}", "variant_id" },
		{ HEAD("started") ",\"name\":\"a\\u0000b\"}", "NUL" },
		{ HEAD("started") ",\"runner\":{\"pid\":-1}}", "pid" },
		{ HEAD("started") ",\"rerun\":{\"files\":{}}}", "files" },
		{ HEAD("started") ",\"rerun\":{\"files\":[{\"name\":\"n\"}]}}", "path" },
		{ HEAD("started") ",\"rerun\":{\"kernel_args\":[\"a\",1]}}", "kernel_args" },
		{ HEAD("started") ",\"rerun\":{\"binary\":7}}", "rerun.binary" },
		{ HEAD("finished") "}", "verdict" },
		{ HEAD("finished") ",\"verdict\":\"good\",\"reason\":\"none\"}", "verdict" },
		{ HEAD("finished") ",\"verdict\":\"pass\",\"reason\":\"luck\"}", "reason" },
		{ HEAD("finished") ",\"verdict\":\"pass\",\"reason\":\"check\",\"why\":\"\"}",
		  "does not give" },
		{ HEAD("finished") ",\"verdict\":\"pass\",\"reason\":\"none\"}", "why" },
		{ HEAD("finished") ",\"verdict\":\"pass\",\"reason\":\"none\",\"why\":\"\","
				   "\"wall_ms\":1.5}",
		  "wall_ms" },
		{ HEAD("finished") ",\"verdict\":\"fail\",\"reason\":\"check\",\"why\":\"\","
				   "\"parts\":[{\"verdict\":\"fail\",\"reason\":\"check\"}]}",
		  "text" },
		{ HEAD("finished") ",\"verdict\":\"fail\",\"reason\":\"check\",\"why\":\"\","
				   "\"parts\":[{\"verdict\":\"fail\",\"reason\":\"check\","
				   "\"text\":\"\",\"line\":4294967296}]}",
		  "line" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct result_run run = { .wall_ms = 77 };
		_cleanup_error_ struct error *err = parse(rows[i].text, &run);

		assert_non_null(err);
		assert_true(error_is(err, &base_error_domain, BASE_PARSE));
		assert_contains(error_message(err), rows[i].says);
		assert_int_equal(run.wall_ms, 77);
		assert_null(run.test);
	}
}

static void long_texts_and_lists_are_refused(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf longer = STRBUF_INIT, list = STRBUF_INIT;
	struct result_run run = { 0 };

	strbuf_append(&longer, HEAD("started") ",\"name\":\"");
	strbuf_append_repeated(&longer, 'x', RESULT_LIMIT_TEXT_BYTES + 1);
	strbuf_append(&longer, "\"}");
	assert_error_tag(parse(strbuf_str(&longer), &run), "limit");
	strbuf_append(&list, HEAD("started") ",\"rerun\":{\"files\":[0");
	for (int i = 0; i < RESULT_LIMIT_LIST; i++)
		strbuf_append(&list, ",0");
	strbuf_append(&list, "]}}");
	assert_error_tag(parse(strbuf_str(&list), &run), "limit");
}

static void only_regular_files_are_read(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_run_ struct result_run run = { 0 };
	static const char text[] = HEAD("started") "}";

	assert_error_tag(result_run_read(s->file, &run), "absent");
	assert_error_tag(result_run_read(s->dir, &run), "io");
	assert_int_equal(mkfifo(s->file, 0600), 0);
	assert_error_tag(result_run_read(s->file, &run), "io");
	assert_int_equal(unlink(s->file), 0);
	assert_success(io_replace_file(s->file, text, strlen(text)));
	assert_success(result_run_read(s->file, &run));
	assert_string_equal(run.test, "t");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_finished_record_is_read_back),
		cmocka_unit_test(all_that_a_rerun_needs_is_read_back),
		cmocka_unit_test(a_started_record_is_unfinished),
		cmocka_unit_test(what_is_no_record_is_refused_with_the_member),
		cmocka_unit_test(long_texts_and_lists_are_refused),
		scratch_test(only_regular_files_are_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
