// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/io.h"
#include "json/doc.h"
#include "fake_engine.h"
#include "unit.h"

static const struct fake_thread good[] = { { .tid = 1, .allocated_bytes = 10 } };
static const struct fake_thread mixed[] = { { .tid = 1, .error_errno = ESRCH },
					    { .tid = 2, .allocated_bytes = 10 } };
static const struct fake_thread gone[] = { { .tid = 1, .error_errno = ESRCH },
					   { .tid = 2, .error_errno = ESRCH } };
static const struct fake_thread refused[] = { { .tid = 1, .error_errno = EPERM } };

static void assert_report(const struct fake_thread *threads, size_t n_threads, size_t n_snapshots,
			  bool any_read, bool any_refused)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, n_threads,
										n_snapshots);

	assert_int_equal(probe_report_any_read(&report), any_read);
	assert_int_equal(probe_report_any_refused(&report), any_refused);
}

static void one_thread_that_was_read_counts_as_a_reading(void **state UNUSED)
{
	assert_report(good, 1, 1, true, false);
	assert_report(mixed, 2, 1, true, false);
	assert_report(mixed, 2, 3, true, false);
}

static void a_report_of_errors_or_of_nothing_counts_as_not_read(void **state UNUSED)
{
	assert_report(gone, 2, 1, false, false);
	assert_report(gone, 2, 3, false, false);
	assert_report(good, 0, 2, false, false);
	assert_report(good, 1, 0, false, false);
}

static void a_refused_thread_differs_from_a_dead_one(void **state UNUSED)
{
	assert_report(refused, 1, 2, false, true);
}

static void a_snapshot_cut_short_is_not_a_failed_one(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(gone, 2, 2);

	assert_int_equal(probe_report_whole_snapshots(&report), 2);
	report.snapshots.at[1].interrupted = true;
	assert_int_equal(probe_report_whole_snapshots(&report), 1);
	report.snapshots.at[0].interrupted = true;
	assert_int_equal(probe_report_whole_snapshots(&report), 0);
}

static void a_report_of_zeros_differs_from_one_of_errors(void **state UNUSED)
{
	static const struct fake_thread idle[] = { { .tid = 1 }, { .tid = 2, .error_errno = 1 } };
	static const struct {
		const struct fake_thread *threads;
		size_t n;
		bool all_zero;
	} rows[] = {
		{ idle, 2, true }, { gone, 2, false }, { mixed, 2, false }, { good, 1, false }
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(probe_report_deinit) struct probe_report report = fake_report(
			rows[i].threads, rows[i].n, 1);

		assert_int_equal(probe_report_all_zero(&report), rows[i].all_zero);
	}
}

enum { NO = false, YES = true };

/* What a run was, whether the append failed, and what must follow. */
static const struct row {
	size_t n_snapshots;
	bool any_read, interrupted, wants_sidecar, output_failed, sidecar_failed;
	bool all_failed;
	enum sidecar_plan plan;
	int recorded, code;
} rows[] = {
	/* Without a sidecar. */
	{ 1, YES, NO, NO, NO, NO, NO, SIDECAR_NOTHING, 0, 0 },
	{ 5, YES, NO, NO, NO, NO, NO, SIDECAR_NOTHING, 0, 0 },
	{ 1, NO, NO, NO, NO, NO, YES, SIDECAR_NOTHING, 1, 1 },
	{ 5, NO, NO, NO, NO, NO, YES, SIDECAR_NOTHING, 1, 1 },
	/* Interrupted: before the first snapshot, after a read, after failures only. */
	{ 0, NO, YES, NO, NO, NO, NO, SIDECAR_NOTHING, 0, 0 },
	{ 2, YES, YES, NO, NO, NO, NO, SIDECAR_NOTHING, 0, 0 },
	{ 2, NO, YES, NO, NO, NO, YES, SIDECAR_NOTHING, 1, 1 },
	/* With a sidecar. */
	{ 1, YES, NO, YES, NO, NO, NO, SIDECAR_APPEND, 0, 0 },
	{ 1, YES, NO, YES, NO, YES, NO, SIDECAR_APPEND, 0, 3 },
	{ 1, NO, NO, YES, NO, NO, YES, SIDECAR_APPEND, 1, 1 },
	{ 1, NO, NO, YES, NO, YES, YES, SIDECAR_APPEND, 1, 1 },
	/* Half a run is never recorded. */
	{ 0, NO, YES, YES, NO, YES, NO, SIDECAR_REFUSE, 0, 3 },
	{ 2, YES, YES, YES, NO, YES, NO, SIDECAR_REFUSE, 0, 3 },
	{ 2, NO, YES, YES, NO, YES, YES, SIDECAR_REFUSE, 1, 3 },
	/* A full disk. */
	{ 1, YES, NO, NO, YES, NO, NO, SIDECAR_NOTHING, 0, 1 },
	{ 1, YES, NO, YES, YES, NO, NO, SIDECAR_NOTHING, 0, 1 },
	{ 1, NO, NO, YES, YES, NO, YES, SIDECAR_APPEND, 1, 1 },
	{ 2, YES, YES, YES, YES, YES, NO, SIDECAR_REFUSE, 0, 1 },
};

static void exit_codes_and_sidecar_plan_follow_the_truth_table(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		const struct run_outcome outcome = {
			.n_snapshots = row->n_snapshots,
			.any_read = row->any_read,
			.interrupted = row->interrupted,
			.wants_sidecar = row->wants_sidecar,
			.output_failed = row->output_failed,
		};

		if (outcome_all_failed(&outcome) != row->all_failed ||
		    outcome_sidecar_plan(&outcome) != row->plan ||
		    outcome_recorded_code(&outcome) != row->recorded ||
		    outcome_exit_code(&outcome, row->sidecar_failed) != row->code)
			fail_msg("row %zu: all_failed %d, plan %d, recorded %d, code %d", i,
				 outcome_all_failed(&outcome), outcome_sidecar_plan(&outcome),
				 outcome_recorded_code(&outcome),
				 outcome_exit_code(&outcome, row->sidecar_failed));
	}
}

static const struct fake_thread threads[] = {
	{ .tid = 42, .comm = "ok", .allocated_bytes = 2048, .deallocated_bytes = 128 },
	{ .tid = 99, .comm = "bad", .error_errno = ESRCH },
};

static char dir[64], path[96];

static int set_up(void **state UNUSED)
{
	strcpy(dir, "/tmp/ktstr-test-sidecar-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/t.ktstr.json", dir);
	return 0;
}

static int tear_down(void **state UNUSED)
{
	char lock[128];

	snprintf(lock, sizeof(lock), "%s.lock", path);
	unlink(lock);
	unlink(path);
	return rmdir(dir);
}

static void write_record(const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_success(io_write_all(fd, path, text, strlen(text)));
}

static char *read_record(void)
{
	struct strbuf text = STRBUF_INIT;

	assert_success(io_read_file(path, 1 << 20, &text));
	return strbuf_take(&text);
}

/* The metric of that name in the last entry; NULL when there is none. */
static const struct json_value *find_metric(const struct json_value *entry, const char *name)
{
	struct json_iter it = json_iter_over(json_find(entry, "metrics"));

	while (json_iter_next(&it)) {
		if (json_text_is(json_string(json_find(it.value, "name")), name))
			return it.value;
	}
	return NULL;
}

static const struct json_value *last_entry(const struct json_doc *doc)
{
	struct json_iter it = json_iter_over(json_find(json_doc_root(doc), "metrics"));
	const struct json_value *last = NULL;

	while (json_iter_next(&it))
		last = it.value;
	assert_non_null(last);
	return last;
}

static void assert_metric(const struct json_value *entry, const char *name, double expected,
			  const char *polarity, const char *unit)
{
	const struct json_value *metric = find_metric(entry, name);
	double value = -1;

	assert_non_null(metric);
	assert_true(json_get_double(json_find(metric, "value"), &value));
	assert_true(value == expected);
	assert_true(json_text_is(json_string(json_find(metric, "polarity")), polarity));
	assert_true(json_text_is(json_string(json_find(metric, "unit")), unit));
}

static void numbers_become_flat_metrics(void **state UNUSED)
{
	struct error *warning = NULL;
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 2, 1);
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	_cleanup_free_ char *text = NULL;
	const struct json_value *entry;
	uint64_t code = 0;

	write_record("{\"test_name\": \"t\", \"metrics\": []}");
	assert_success(sidecar_append(path, &report, 7, NULL, &warning));
	text = read_record();
	assert_success(json_doc_parse(text, strlen(text), path, &doc));
	entry = last_entry(doc);
	assert_true(json_get_u64(json_find(entry, "exit_code"), &code));
	assert_int_equal(code, 7);
	assert_metric(entry, "jemalloc_probe.snapshots.0.threads.0.allocated_bytes", 2048,
		      "LowerBetter", "bytes");
	assert_metric(entry, "jemalloc_probe.snapshots.0.threads.0.deallocated_bytes", 128,
		      "LowerBetter", "bytes");
	assert_metric(entry, "jemalloc_probe.snapshots.0.threads.1.tid", 99, "Unknown", "");
	assert_metric(entry, "jemalloc_probe.pid", 100, "Unknown", "");
	assert_null(find_metric(entry, "jemalloc_probe.snapshots.0.threads.1.error"));
	assert_null(find_metric(entry, "jemalloc_probe.snapshots.0.threads.1.allocated_bytes"));
}

static void repeated_appends_keep_earlier_metrics(void **state UNUSED)
{
	struct error *warning = NULL;
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 2, 1);
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	_cleanup_free_ char *text = NULL;
	uint64_t index = 0;

	write_record("{\"metrics\": [{\"kept\": 18446744073709551615}]}");
	assert_success(sidecar_append(path, &report, 0, NULL, &warning));
	assert_success(sidecar_append(path, &report, 1, NULL, &warning));
	text = read_record();
	assert_contains(text, "18446744073709551615");
	assert_success(json_doc_parse(text, strlen(text), path, &doc));
	assert_int_equal(json_length(json_find(json_doc_root(doc), "metrics")), 3);
	assert_true(json_get_u64(json_find(last_entry(doc), "payload_index"), &index));
	assert_int_equal(index, 2);
}

static void a_file_that_is_not_a_record_is_not_changed(void **state UNUSED)
{
	struct error *warning = NULL;
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 2, 1);
	_cleanup_error_ struct error *err = NULL;
	_cleanup_free_ char *text = NULL;

	write_record("{ this is not valid json }");
	err = sidecar_append(path, &report, 0, NULL, &warning);
	assert_non_null(err);
	assert_contains(error_message(err), "regenerate");
	text = read_record();
	assert_string_equal(text, "{ this is not valid json }");
}

static void a_cancelled_run_appends_nothing(void **state UNUSED)
{
	struct error *warning = NULL;
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 2, 1);
	_cleanup_error_ struct error *err = NULL;
	_cleanup_free_ char *text = NULL;
	struct cancel cancel = { 0 };

	write_record("{\"metrics\": []}");
	cancel_request(&cancel);
	err = sidecar_append(path, &report, 0, &cancel, &warning);
	assert_non_null(err);
	assert_true(error_is(err, &base_error_domain, BASE_CANCELLED));
	text = read_record();
	assert_string_equal(text, "{\"metrics\": []}");
}

#define with_dir(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thread_that_was_read_counts_as_a_reading),
		cmocka_unit_test(a_report_of_errors_or_of_nothing_counts_as_not_read),
		cmocka_unit_test(a_refused_thread_differs_from_a_dead_one),
		cmocka_unit_test(a_snapshot_cut_short_is_not_a_failed_one),
		cmocka_unit_test(a_report_of_zeros_differs_from_one_of_errors),
		cmocka_unit_test(exit_codes_and_sidecar_plan_follow_the_truth_table),
		with_dir(numbers_become_flat_metrics),
		with_dir(repeated_appends_keep_earlier_metrics),
		with_dir(a_file_that_is_not_a_record_is_not_changed),
		with_dir(a_cancelled_run_appends_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
