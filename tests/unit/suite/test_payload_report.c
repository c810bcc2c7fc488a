// SPDX-License-Identifier: GPL-2.0-or-later
#include "suite/payload.h"

#include "suite/metrics_of.h"
#include "suite/run_body.h"
#include "unit.h"

/* A payload that never was, and a report into memory. */
struct fake {
	struct ktstr_ctx ctx;
	struct suite_payload_set set;
	struct ktstr_payload payload;
	struct ktstr_metrics metrics;
	int fd;
};

static void fake_init(struct fake *f, const char *out, const char *err)
{
	*f = (struct fake){ .fd = memfd_create("report", MFD_CLOEXEC) };
	f->metrics = metrics_of(out, err);
	f->payload = (struct ktstr_payload){
		.ctx = &f->ctx,
		.name = (char *)"bench",
		.pid = 4711,
		.result = &f->metrics,
	};
	suite_report_writer_init(&f->ctx.report, f->fd, 0);
	f->ctx.payloads = &f->set;
}

static struct body_report fake_end(struct fake *f)
{
	struct body_report r = { 0 };

	lseek(f->fd, 0, SEEK_SET);
	assert_success(io_read_fd(f->fd, "report", 16 << 20, &r.text));
	/* A runner takes no longer line. */
	for (const char *at = strbuf_str(&r.text); *at; at += strcspn(at, "\n") + 1)
		assert_true(strcspn(at, "\n") + 1 <= WIRE_REPORT_LINE_BYTES);
	suite_report_writer_deinit(&f->ctx.report);
	suite_metrics_deinit(&f->metrics);
	return r;
}

static void a_payload_start_is_reported_with_its_arguments(void **state UNUSED)
{
	const char *const argv[] = { "bench", "--rate", "\"5\"\n", "", NULL };
	_cleanup_body_report_ struct body_report r = { 0 };
	struct fake f;

	fake_init(&f, "", "");
	suite_payload_report_started(&f.payload, argv);
	r = fake_end(&f);
	assert_string_equal(strbuf_str(&r.text),
			    "{\"report\":\"started\",\"name\":\"bench\",\"pid\":4711,"
			    "\"argv\":[\"bench\",\"--rate\",\"\\\"5\\\"\\n\",\"\"]}\n");
}

static void arguments_that_do_not_fit_are_cut_and_counted(void **state UNUSED)
{
	enum { COUNT = 100 };
	_cleanup_body_report_ struct body_report r = { 0 };
	const char *argv[COUNT + 1] = { 0 };
	const struct json_value *line;
	char *longest = xcalloc(1, 10001);
	struct fake f;

	/* Each byte needs six in JSON. */
	memset(longest, 1, 10000);
	for (size_t i = 0; i < COUNT; i++)
		argv[i] = longest;
	fake_init(&f, "", "");
	suite_payload_report_started(&f.payload, argv);
	r = fake_end(&f);
	line = find_line(&r, "started", 0);
	assert_true(json_length(json_find(line, "argv")) >= 8);
	assert_int_equal(json_length(json_find(line, "argv")) + number_member(line, "argv_dropped"),
			 COUNT);
	free(longest);
}

static void a_payload_end_is_reported_with_exact_numbers(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = { 0 };
	struct fake f;

	fake_init(&f, "{\"a\":{\"big\":18446744073709551615},\"b\":0.10}", "some\n");
	f.metrics.exit_code = -11;
	f.metrics.wall_ns = 1999999;
	f.metrics.err.total += 7;
	suite_payload_report_ended(&f.payload);
	r = fake_end(&f);
	assert_string_equal(
		strbuf_str(&r.text),
		"{\"report\":\"payload\",\"name\":\"bench\",\"pid\":4711,\"exit_code\":-11,"
		"\"timed_out\":false,\"by_cleanup\":false,\"wall_ms\":1,\"stdout_bytes\":43,"
		"\"stderr_bytes\":12,\"dropped_bytes\":7,\"stream\":\"stdout\",\"metrics\":["
		"{\"name\":\"a.big\",\"value\":18446744073709551615},{\"name\":\"b\",\"value\":0.10}],"
		"\"metrics_dropped\":0}\n");
}

static void the_end_of_a_payload_carries_metric_hints(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = { 0 };
	struct exchange_hint hint = { (char *)"_us", (char *)"us", KTSTR_LOWER_IS_BETTER };
	struct fake f;

	fake_init(&f, "{\"wait_us\":1}", "");
	f.payload.hints.at = &hint;
	f.payload.hints.n = 1;
	suite_payload_report_ended(&f.payload);
	r = fake_end(&f);
	assert_contains(strbuf_str(&r.text),
			"\"hints\":[{\"metric\":\"_us\",\"unit\":\"us\",\"direction\":\"lower\"}],"
			"\"metrics\":[{\"name\":\"wait_us\"");
}

static void a_payload_without_a_metric_search_has_no_stream(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = { 0 };
	struct fake f;

	fake_init(&f, "", "");
	f.metrics.stream = NULL;
	suite_payload_report_ended(&f.payload);
	r = fake_end(&f);
	assert_null(json_find(find_line(&r, "payload", 0), "stream"));
	assert_int_equal(json_length(json_find(find_line(&r, "payload", 0), "metrics")), 0);
}

static void metrics_that_do_not_fit_are_counted(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_body_report_ struct body_report r = { 0 };
	const struct json_value *line;
	struct fake f;

	strbuf_append(&text, "{\"");
	strbuf_append_repeated(&text, 'n', 300000);
	strbuf_append(&text, "\":1,\"all\":[0");
	for (int i = 1; i < 50000; i++)
		strbuf_append(&text, ",1.5");
	strbuf_append(&text, "]}");
	fake_init(&f, strbuf_str(&text), "");
	suite_payload_report_ended(&f.payload);
	r = fake_end(&f);
	line = find_line(&r, "payload", 0);
	/* The line is well used, and the sum is all of them. */
	assert_true(r.text.n > WIRE_REPORT_LINE_BYTES - 1000);
	assert_true(json_length(json_find(line, "metrics")) > 5000);
	assert_int_equal(json_length(json_find(line, "metrics")) +
				 number_member(line, "metrics_dropped"),
			 50001);
}

/* The runner would take the whole report for damaged. */
static void metrics_the_runner_would_refuse_are_left_out(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = { 0 }, unknown = { 0 };
	const struct json_value *line;
	struct fake f;

	fake_init(&f, "{\"a\\u0000b\":1,\"c\":2,\"d\":3}", "");
	f.set.reported_metrics = SUITE_LIMIT_PAYLOAD_REPORTED_METRICS - 1;
	suite_payload_report_ended(&f.payload);
	r = fake_end(&f);
	line = find_line(&r, "payload", 0);
	assert_int_equal(json_length(json_find(line, "metrics")), 1);
	assert_int_equal(number_member(line, "metrics_dropped"), 2);

	fake_init(&f, "", "");
	f.metrics.exit_known = false;
	suite_payload_report_ended(&f.payload);
	unknown = fake_end(&f);
	assert_int_equal(unknown.text.n, 0);
}

static void many_payloads_together_leave_room_for_the_rest(void **state UNUSED)
{
	const char *const argv[] = { "bench", "argument", NULL };
	_cleanup_body_report_ struct body_report r = { 0 };
	struct fake f;

	fake_init(&f, "{\"c\":2}", "");
	f.set.reported_bytes = SUITE_LIMIT_PAYLOAD_REPORTED_BYTES;
	suite_payload_report_started(&f.payload, argv);
	suite_payload_report_ended(&f.payload);
	r = fake_end(&f);
	assert_int_equal(json_length(json_find(find_line(&r, "started", 0), "argv")), 1);
	assert_int_equal(number_member(find_line(&r, "started", 0), "argv_dropped"), 1);
	assert_int_equal(number_member(find_line(&r, "payload", 0), "metrics_dropped"), 1);
}

static void payload_output_is_reported_as_a_text_to_keep(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = { 0 };
	struct fake f;

	fake_init(&f, "out", "");
	f.payload.name = (char *)"./some where/pro be";
	suite_payload_report_output(&f.payload);
	r = fake_end(&f);
	assert_string_equal(strbuf_str(&r.text),
			    "{\"report\":\"text\",\"name\":\"payload-4711-pro_be.stdout\","
			    "\"text\":\"out\"}\n");
}

static void long_payload_output_is_reported_by_its_end(void **state UNUSED)
{
	_cleanup_free_ char *much = xcalloc(SUITE_PAYLOAD_REPORTED_TEXT_BYTES + 8, 1);
	_cleanup_body_report_ struct body_report r = { 0 };
	struct fake f;

	memset(much, 'x', SUITE_PAYLOAD_REPORTED_TEXT_BYTES + 7);
	memcpy(much, "BEGIN", 5);
	fake_init(&f, "", much);
	suite_payload_report_output(&f.payload);
	r = fake_end(&f);
	assert_non_null(strstr(strbuf_str(&r.text), "[7 bytes before this]"));
	assert_null(strstr(strbuf_str(&r.text), "BEGIN"));
}

static void reported_payload_texts_are_limited(void **state UNUSED)
{
	_cleanup_body_report_ struct body_report r = { 0 };
	struct fake f;
	size_t n = 0;

	fake_init(&f, "o", "e");
	for (int i = 0; i < SUITE_LIMIT_PAYLOAD_REPORTED_TEXTS; i++)
		suite_payload_report_output(&f.payload);
	r = fake_end(&f);
	for (const char *at = strbuf_str(&r.text); (at = strchr(at, '\n')); at++)
		n++;
	assert_int_equal(n, SUITE_LIMIT_PAYLOAD_REPORTED_TEXTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_payload_start_is_reported_with_its_arguments),
		cmocka_unit_test(arguments_that_do_not_fit_are_cut_and_counted),
		cmocka_unit_test(a_payload_end_is_reported_with_exact_numbers),
		cmocka_unit_test(the_end_of_a_payload_carries_metric_hints),
		cmocka_unit_test(a_payload_without_a_metric_search_has_no_stream),
		cmocka_unit_test(metrics_that_do_not_fit_are_counted),
		cmocka_unit_test(metrics_the_runner_would_refuse_are_left_out),
		cmocka_unit_test(many_payloads_together_leave_room_for_the_rest),
		cmocka_unit_test(payload_output_is_reported_as_a_text_to_keep),
		cmocka_unit_test(long_payload_output_is_reported_by_its_end),
		cmocka_unit_test(reported_payload_texts_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
