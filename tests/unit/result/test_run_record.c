// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "begun_record.h"
#include "result/run_record.h"

static void a_record_says_started_until_it_is_finished(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_run_record_ struct result_record *record = begin_in(s->dir);
	_cleanup_free_ char *path = below(s, SAMPLE_STEM ".ktstr.json");

	assert_string_equal(result_record_path(record), path);
	assert_state(path, "started");
	assert_int_equal(count_entries(s->dir), 1);
	assert_finished(record);
	assert_string_equal(result_record_path(record), path);
	assert_state(path, "finished");
	/* No lock, no temporary file. */
	assert_int_equal(count_entries(s->dir), 1);
}

static void the_record_is_readable_as_the_umask_says(void **state)
{
	struct scratch *s = *state;
	mode_t mask = umask(027);
	_cleanup_result_run_record_ struct result_record *record = begin_in(s->dir);
	struct stat st;

	umask(mask);
	assert_int_equal(stat(result_record_path(record), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_finished(record);
	assert_int_equal(stat(result_record_path(record), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

static void the_same_variant_again_gets_the_next_name(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_run_record_ struct result_record *first = begin_in(s->dir), *second, *third;
	_cleanup_free_ char *two = below(s, SAMPLE_STEM "-2.ktstr.json");
	_cleanup_free_ char *three = below(s, SAMPLE_STEM "-3.ktstr.json");

	assert_finished(first);
	second = begin_in(s->dir);
	third = begin_in(s->dir);
	assert_string_equal(result_record_path(second), two);
	assert_string_equal(result_record_path(third), three);
	assert_state(result_record_path(first), "finished");
	assert_finished(third);
	assert_state(two, "started");
	assert_state(three, "finished");
}

static void a_link_or_directory_in_place_of_a_record_is_left_alone(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *one = below(s, SAMPLE_STEM ".ktstr.json");
	_cleanup_free_ char *two = below(s, SAMPLE_STEM "-2.ktstr.json");
	_cleanup_free_ char *three = below(s, SAMPLE_STEM "-3.ktstr.json");
	_cleanup_free_ char *elsewhere = below(s, "elsewhere");
	_cleanup_result_run_record_ struct result_record *record = NULL;

	assert_int_equal(symlink("elsewhere", one), 0);
	assert_int_equal(mkdir(two, 0700), 0);
	record = begin_in(s->dir);
	assert_string_equal(result_record_path(record), three);
	assert_int_equal(access(elsewhere, F_OK), -1);
	assert_int_equal(rmdir(two), 0);
}

static void missing_directories_are_created(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *a = below(s, "a"), *b = below(s, "a/b");
	_cleanup_result_run_record_ struct result_record *record = begin_in(b);

	assert_state(result_record_path(record), "started");
	assert_int_equal(unlink(result_record_path(record)), 0);
	assert_int_equal(rmdir(b), 0);
	assert_int_equal(rmdir(a), 0);
}

static void names_that_leave_the_directory_are_refused(void **state)
{
	struct scratch *s = *state;
	static const char *const names[] = { "", ".hidden", "../up", "a/b", NULL };
	struct result_run head = sample_head();
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct result_record *record = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		head.test = names[i];
		assert_error_tag(result_record_begin(s->dir, &head, &record), "parse");
	}
	strbuf_append_repeated(&text, 'x', RESULT_LIMIT_TEST_NAME + 1);
	head.test = strbuf_str(&text);
	assert_error_tag(result_record_begin(s->dir, &head, &record), "limit");
	head.test++;
	assert_success(result_record_begin(s->dir, &head, &record));
	assert_finished(record);
	result_record_free(record);
	head.test = "t";
	head.id = "../x";
	assert_error_tag(result_record_begin(s->dir, &head, &record), "parse");
}

static void metrics_of_others_are_kept(void **state)
{
	struct scratch *s = *state;
	static struct exchange_metric metrics[] = { { EXCHANGE_BORROW("p.big"),
						      EXCHANGE_BORROW("18446744073709551615") } };
	static const struct exchange_payload payloads[] = {
		{ .name = EXCHANGE_BORROW("p"),
		  .ended = true,
		  .exit_code = -9,
		  .metrics = { metrics, 1, 0 } },
	};
	_cleanup_(result_outcome_deinit) struct result_outcome outcome;
	struct result_record_result result = {
		.outcome = &outcome,
		.payloads = payloads,
		.n_payloads = 1,
	};
	_cleanup_result_run_record_ struct result_record *record = begin_in(s->dir);
	_cleanup_loaded_ struct loaded l;
	struct json_iter it;
	struct error *problem = NULL;
	int64_t codes[3] = { 0 };
	size_t n = 0;

	append_probe(result_record_path(record), 7);
	append_probe(result_record_path(record), 8);
	sample_outcome(&outcome, KTSTR_REASON_CHECK);
	assert_success(result_record_finish(record, &result, NULL, &problem));
	assert_null(problem);
	it = json_iter_over(json_find(load(&l, result_record_path(record)), "metrics"));
	while (json_iter_next(&it)) {
		uint64_t index;

		assert_true(n < 3);
		assert_true(json_get_u64(json_find(it.value, "payload_index"), &index));
		assert_int_equal(index, n);
		assert_true(json_get_i64(json_find(it.value, "exit_code"), &codes[n++]));
	}
	assert_int_equal(n, 3);
	assert_int_equal(codes[0], 7);
	assert_int_equal(codes[1], 8);
	assert_int_equal(codes[2], -9);
	assert_contains(strbuf_str(&l.text), "\"value\": 18446744073709551615,");
	/* Also after the end, and the lock of the one before is gone. */
	assert_int_equal(count_entries(s->dir), 1);
	append_probe(result_record_path(record), 9);
}

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

static void a_malformed_record_is_refused_naming_the_member(void **state UNUSED)
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
		{ HEAD("finished") ",\"verdict\":\"pass\",\"reason\":\"luck\"}",
		  "reason is 'luck', a word that" },
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
		scratch_test(a_record_says_started_until_it_is_finished),
		scratch_test(the_record_is_readable_as_the_umask_says),
		scratch_test(the_same_variant_again_gets_the_next_name),
		scratch_test(a_link_or_directory_in_place_of_a_record_is_left_alone),
		scratch_test(missing_directories_are_created),
		scratch_test(names_that_leave_the_directory_are_refused),
		scratch_test(metrics_of_others_are_kept),
		cmocka_unit_test(a_finished_record_is_read_back),
		cmocka_unit_test(all_that_a_rerun_needs_is_read_back),
		cmocka_unit_test(a_started_record_is_unfinished),
		cmocka_unit_test(a_malformed_record_is_refused_naming_the_member),
		cmocka_unit_test(long_texts_and_lists_are_refused),
		scratch_test(only_regular_files_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
