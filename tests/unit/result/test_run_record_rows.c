// SPDX-License-Identifier: GPL-2.0-or-later
#include "result/run_record.h"

#include <dirent.h>
#include <stdlib.h>

#include "run_sample.h"

static void write_stats(void *context UNUSED, struct json_writer *w)
{
	json_add_u64(w, "total_workers", 3);
}

static const struct json_row stats_list[] = {
	{ .name = "total_workers", .unit = "workers" },
	{ .name = "worst_gap_ms", .unit = "ms", .direction = JSON_LOWER_IS_BETTER },
	{ .name = "name" },
};
static const struct json_rows stats_rows = { JSON_TABLE(stats_list) };

static void write_facts(void *context UNUSED, struct json_writer *w)
{
	json_add_u64(w, "time_limit_ms", 30000);
	json_add_double(w, "slowness", 1.5);
}

static const struct result_stage stages[] = {
	{ "setup", 0 },
	{ "work", 12 },
	{ "cleanup", 5000 },
};
static const char *const kept[] = { "console.log", "dmesg.txt" };
static struct exchange_metric metrics[] = {
	{ EXCHANGE_BORROW("p.latency_us"), EXCHANGE_BORROW("12.50") },
	{ EXCHANGE_BORROW("p.count"), EXCHANGE_BORROW("18446744073709551615") },
};
static struct exchange_hint hints[] = {
	{ EXCHANGE_BORROW("latency_us"), EXCHANGE_BORROW("us"), KTSTR_LOWER_IS_BETTER },
};
static const struct exchange_payload payloads[] = {
	{ .name = EXCHANGE_BORROW("p"),
	  .ended = true,
	  .exit_code = -9,
	  .stream = EXCHANGE_BORROW("stderr"),
	  .metrics = { metrics, ARRAY_SIZE(metrics), 0 },
	  .hints = { hints, ARRAY_SIZE(hints), 0 } },
	{ .name = EXCHANGE_BORROW("q") },
};
/* A guest that did all there is to do. */
static struct result_record_result sample_result(struct result_outcome *outcome)
{
	outcome->kept_dir = xstrdup("/runs/fair_share.kept");
	return (struct result_record_result){
		.outcome = outcome,
		.run.accel = "tcg",
		.run.accel_reason = "asked for",
		.run.cloned = true,
		.run.stages = { stages, ARRAY_SIZE(stages) },
		.run.has_cleanup = true,
		.run.cleanup_ms = 17,
		.run.has_host_run_delay = true,
		.run.host_run_delay_ns = 123456,
		.run.kept_files = { EXCHANGE_BORROW(kept), ARRAY_SIZE(kept) },
		.payloads = payloads,
		.n_payloads = ARRAY_SIZE(payloads),
		.stats_rows = &stats_rows,
		.write_stats = write_stats,
		.write_facts = write_facts,
	};
}

static void assert_file(const char *name, const struct strbuf *text)
{
	_cleanup_free_ char *path = xasprintf("%s/%s.ktstr.json", RECORDS_DIR, name);
	_cleanup_strbuf_ struct strbuf expected = STRBUF_INIT;

	assert_success(io_read_file(path, RESULT_LIMIT_RECORD_BYTES, &expected));
	assert_string_equal(strbuf_str(text), strbuf_str(&expected));
}

static void every_member_is_written_as_in_the_samples(void **state UNUSED)
{
	static const struct result_stamp stamp = { 1700000000, 4711, 99, 3 };
	static const struct result_stamp little = { 1700000000, 4711, 0, 3 };
	struct host_facts host = { .cpu_model = (char *)"Some CPU", .online_cpus = { true, 4 } };
	struct result_run head = sample_head(), empty = { .test = "t", .id = "0", .host = &host };
	_cleanup_(result_outcome_deinit) struct result_outcome failed = { 0 }, skipped = { 0 },
							       passed = { 0 };
	_cleanup_strbuf_ struct strbuf members = STRBUF_INIT, text = STRBUF_INIT;
	static const struct result_absent absent[] = {
		{ "project_commit", "no git repository is around /opt/mytests" },
	};
	struct result_record_result result;

	unsetenv("KTSTR_CI");
	head.host = &host;
	head.absent = (struct result_absences){ absent, ARRAY_SIZE(absent) };
	head.scheduler_commit = "0123456789012345678901234567890123456789";
	result_format_head(&head, &stamp, &members);
	result_format_started(&members, &text);
	assert_file("schema-2-started", &text);

	strbuf_clear(&text);
	sample_outcome(&failed, KTSTR_REASON_CHECK);
	result = sample_result(&failed);
	assert_success(
		result_format_finished(&members, &result, (struct json_text){ 0 }, 0, NULL, &text));
	assert_file("schema-2-failed", &text);

	strbuf_clear(&text);
	sample_outcome(&skipped, KTSTR_REASON_NEED);
	result = sample_result(&skipped);
	assert_success(result_format_finished(&members, &result, (struct json_text){ 0 }, 0,
					      "it was moved", &text));
	assert_file("schema-2-skipped", &text);

	strbuf_clear(&text);
	strbuf_clear(&members);
	empty.host = NULL;
	result_format_head(&empty, &little, &members);
	sample_outcome(&passed, KTSTR_REASON_NONE);
	result = (struct result_record_result){ .outcome = &passed };
	assert_success(
		result_format_finished(&members, &result, (struct json_text){ 0 }, 0, NULL, &text));
	assert_file("schema-2-sparse", &text);
}

/* A run in virtual time: how long the host kept it waiting is not measured. */
static void a_run_in_virtual_time_is_written_as_in_its_sample(void **state UNUSED)
{
	static const struct result_stamp stamp = { 1700000000, 4711, 99, 3 };
	static const struct result_absent absent[] = {
		{ "project_commit", "no git repository is around /opt/mytests" },
	};
	struct host_facts host = { .cpu_model = (char *)"Some CPU", .online_cpus = { true, 4 } };
	_cleanup_(result_outcome_deinit) struct result_outcome failed = { 0 };
	_cleanup_strbuf_ struct strbuf members = STRBUF_INIT, text = STRBUF_INIT;
	struct result_run head = sample_head();
	struct result_record_result result;

	unsetenv("KTSTR_CI");
	head.host = &host;
	head.absent = (struct result_absences){ absent, ARRAY_SIZE(absent) };
	head.scheduler_commit = "0123456789012345678901234567890123456789";
	head.clock = (struct result_clock){ RESULT_CLOCK_VIRTUAL, UINT64_MAX };
	head.has_seed = head.has_speed = true;
	head.cpu_mips = 62.5;
	head.total_mips = 250;
	result_format_head(&head, &stamp, &members);
	sample_outcome(&failed, KTSTR_REASON_CHECK);
	result = sample_result(&failed);
	result.run.has_host_run_delay = false;
	result.run.qemu_version = "10.0.2 (Debian 1:10.0.2+ds-2)";
	result.run.ktstr_hash = "00000000000000ff";
	result.run.tools_hash = "00112233445566ff";
	result.run.files_hash = "ff66554433221100";
	result.run.has_turn = result.run.has_guest_end = true;
	result.run.turn_us = 20;
	result.run.guest_end_ns = 14689000123;
	result.run.digest = "0123456789abcdef";
	result.run.frames_file = "fair_share-0123456789abcdef.frames";
	assert_success(
		result_format_finished(&members, &result, (struct json_text){ 0 }, 0, NULL, &text));
	assert_file("schema-2-virtual", &text);
}

static void the_clock_of_a_run_is_read(void **state UNUSED)
{
	_cleanup_result_run_ struct result_run run = { 0 }, old = { 0 };

	assert_success(result_run_read(RECORDS_DIR "/schema-2-virtual.ktstr.json", &run));
	assert_int_equal(run.clock.kind, RESULT_CLOCK_VIRTUAL);
	assert_true(run.has_seed && run.clock.seed == UINT64_MAX);
	assert_true(run.has_speed && run.cpu_mips == 62.5 && run.total_mips == 250);
	assert_true(run.has_turn && run.turn_us == 20);
	assert_true(run.has_guest_end && run.guest_end_ns == 14689000123);
	assert_string_equal(run.tools_hash, "00112233445566ff");
	assert_string_equal(run.files_hash, "ff66554433221100");
	assert_string_equal(run.digest, "0123456789abcdef");
	assert_string_equal(run.frames_file, "fair_share-0123456789abcdef.frames");
	assert_string_equal(run.qemu_version, "10.0.2 (Debian 1:10.0.2+ds-2)");
	assert_success(result_run_read(RECORDS_DIR "/schema-2-failed.ktstr.json", &old));
	assert_int_equal(old.clock.kind, RESULT_CLOCK_UNSAID);
	assert_false(old.has_seed || old.has_speed || old.has_turn || old.has_guest_end);
	assert_null(old.digest);
}

static void digests_and_names_that_cannot_be_are_refused(void **state UNUSED)
{
	static const char *const members[] = {
		"\"digest\":\"0123456789abcde\"",  "\"digest\":\"0123456789abcdefa\"",
		"\"digest\":\"0123456789ABCDEF\"", "\"frames_file\":\"\"",
		"\"frames_file\":\"../x\"",	   "\"frames_file\":\"/etc/passwd\"",
		"\"frames_file\":\".hidden\"",	   "\"clock\":\"sundial\"",
	};

	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		_cleanup_free_ char *text = xasprintf(
			"{\"schema\":2,\"state\":\"finished\",\"verdict\":\"pass\",\"reason\":"
			"\"none\",\"why\":\"\",\"test_name\":\"t\",\"variant_id\":\"0\",%s}",
			members[i]);
		struct result_run run;

		assert_error_tag(result_run_parse(text, strlen(text), "it", &run), "parse");
	}
}

/* Also those that older versions wrote. */
static void every_kept_record_can_be_read(void **state UNUSED)
{
	_cleanup_dir_ DIR *dir = opendir(RECORDS_DIR);
	struct dirent *entry;
	int n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		_cleanup_free_ char *path = xasprintf("%s/%s", RECORDS_DIR, entry->d_name);
		_cleanup_result_run_ struct result_run run = { 0 };

		if (!strstr(entry->d_name, ".ktstr.json"))
			continue;
		assert_success(result_run_read(path, &run));
		assert_int_equal(run.runner_pid, 4711);
		n++;
	}
	assert_true(n >= 9);
}

static void what_is_new_in_schema_2_is_read(void **state UNUSED)
{
	_cleanup_result_run_ struct result_run run = { 0 };

	assert_success(result_run_read(RECORDS_DIR "/schema-2-failed.ktstr.json", &run));
	assert_string_equal(run.scheduler_commit, "0123456789012345678901234567890123456789");
	assert_int_equal(run.absent.n, 7);
	assert_string_equal(run.absent.at[0].member, "project_commit");
	assert_string_equal(run.absent.at[0].why, "no git repository is around /opt/mytests");
}

static void all_that_a_record_says_is_read(void **state UNUSED)
{
	_cleanup_result_run_ struct result_run run = { 0 };

	assert_success(result_run_read(RECORDS_DIR "/schema-1-failed.ktstr.json", &run));
	assert_int_equal(run.verdict, KTSTR_FAIL);
	assert_string_equal(run.host->cpu_model, "Some CPU");
	assert_string_equal(run.run_id, "2023-11-14T22:13:20Z-4711-3");
	assert_string_equal(run.work_type, "spin");
	assert_true(run.has_cleanup && run.cleanup_ms == 17);
	assert_true(run.has_host_run_delay && run.host_run_delay_ns == 123456);
	assert_true(run.cloned);
	assert_string_equal(run.accel_reason, "asked for");
	assert_int_equal(run.stages.n, 3);
	assert_string_equal(run.stages.at[1].name, "work");
	assert_int_equal(run.stages.at[2].at_ms, 5000);
	assert_int_equal(run.kept_files.n, 2);
	assert_null(run.scheduler_commit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_is_written_as_in_the_samples),
		cmocka_unit_test(a_run_in_virtual_time_is_written_as_in_its_sample),
		cmocka_unit_test(the_clock_of_a_run_is_read),
		cmocka_unit_test(digests_and_names_that_cannot_be_are_refused),
		cmocka_unit_test(every_kept_record_can_be_read),
		cmocka_unit_test(all_that_a_record_says_is_read),
		cmocka_unit_test(what_is_new_in_schema_2_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
