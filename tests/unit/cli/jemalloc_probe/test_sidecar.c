// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/io.h"
#include "fake_engine.h"
#include "json/doc.h"
#include "unit.h"

static const struct fake_thread threads[] = {
	{ .tid = 42, .comm = "ok", .allocated_bytes = 2048, .deallocated_bytes = 128 },
	{ .tid = 99, .comm = "bad", .error_errno = ESRCH },
};

static char folder[64], path[96];

static int set_up(void **state UNUSED)
{
	strcpy(folder, "/tmp/ktstr-test-sidecar-XXXXXX");
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof(path), "%s/t.ktstr.json", folder);
	return 0;
}

static int tear_down(void **state UNUSED)
{
	char lock[128];

	snprintf(lock, sizeof(lock), "%s.lock", path);
	unlink(lock);
	unlink(path);
	return rmdir(folder);
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

static void appends_stack(void **state UNUSED)
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

static void what_is_no_record_is_left_alone(void **state UNUSED)
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

#define with_folder(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_folder(numbers_become_flat_metrics),
		with_folder(appends_stack),
		with_folder(what_is_no_record_is_left_alone),
		with_folder(a_cancelled_run_appends_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
