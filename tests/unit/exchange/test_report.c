// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "base/io.h"
#include "exchange/report.h"

static struct error *parse(const char *text, struct exchange_line *line)
{
	*line = (struct exchange_line){ 0 };
	return exchange_line_parse(text, strlen(text), line);
}

#define assert_wrong(text, words)                            \
	do {                                                 \
		struct exchange_line line_;                  \
		struct error *err_ = parse(text, &line_);    \
                                                             \
		assert_non_null(err_);                       \
		assert_contains(error_message(err_), words); \
		error_free(err_);                            \
	} while (0)

/* As the suite writes it. */
static char *write_line(enum wire_report_kind kind, const void *of)
{
	struct strbuf text = STRBUF_INIT;
	struct json_writer w = json_writer_to(&text, JSON_COMPACT);

	json_begin_object(&w);
	json_add_string(&w, "report", wire_report_name(kind));
	json_rows_write_members(exchange_rows[kind], of, &w);
	json_end_object(&w);
	return strbuf_take(&text);
}

static void every_kind_of_line_has_rows_with_meanings(void **state UNUSED)
{
	for (size_t i = 0; i < WIRE_N_REPORT_KINDS; i++) {
		assert_non_null(exchange_rows[i]);
		for (size_t j = 0; j < exchange_rows[i]->n; j++)
			assert_non_null(exchange_rows[i]->at[j].means);
	}
}

/* "| part | reason, text, file?, line? |": what may be absent has a question mark. */
static char *row_of_the_page(enum wire_report_kind kind)
{
	struct strbuf row = STRBUF_INIT;

	strbuf_appendf(&row, "\n| %s |", wire_report_name(kind));
	for (size_t i = 0; i < exchange_rows[kind]->n; i++) {
		const struct json_row *member = &exchange_rows[kind]->at[i];
		bool required = member->presence == JSON_REQUIRED && !member->with && !member->has;

		strbuf_appendf(&row, "%s %s%s", i ? "," : "", member->name, required ? "" : "?");
	}
	strbuf_append(&row, " |\n");
	return strbuf_take(&row);
}

static void the_page_of_the_protocol_has_every_member(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf page = STRBUF_INIT;

	assert_success(io_read_file(PROTOCOL_PAGE, 1 << 20, &page));
	for (size_t i = 0; i < WIRE_N_REPORT_KINDS; i++) {
		_cleanup_free_ char *row = row_of_the_page((enum wire_report_kind)i);

		if (!strstr(strbuf_str(&page), row))
			fail_msg("PROTOCOL.md has no row%s", row);
	}
}

static void report_lines_survive_a_round_trip(void **state UNUSED)
{
	struct exchange_part part = { KTSTR_REASON_SETUP, (char *)"x", (char *)"a.c", 12 };
	_cleanup_free_ char *text = write_line(WIRE_REPORT_PART, &part);
	_cleanup_exchange_line_ struct exchange_line line;

	assert_string_equal(text, "{\"report\":\"part\",\"reason\":\"setup\",\"text\":\"x\","
				  "\"file\":\"a.c\",\"line\":12}");
	assert_success(parse(text, &line));
	assert_int_equal(line.kind, WIRE_REPORT_PART);
	assert_int_equal(line.part.reason, KTSTR_REASON_SETUP);
	assert_string_equal(line.part.file, "a.c");
	assert_int_equal(line.part.line, 12);
}

static void what_is_absent_is_not_written(void **state UNUSED)
{
	struct exchange_part part = { .reason = KTSTR_REASON_SETUP, .text = (char *)"x" };
	struct exchange_scheduler_line failed = { .state = EXCHANGE_FAILED };
	_cleanup_free_ char *one = write_line(WIRE_REPORT_PART, &part);
	_cleanup_free_ char *two = write_line(WIRE_REPORT_SCHEDULER, &failed);

	assert_string_equal(one, "{\"report\":\"part\",\"reason\":\"setup\",\"text\":\"x\"}");
	assert_string_equal(two, "{\"report\":\"scheduler\",\"state\":\"failed\"}");
}

static void a_member_that_is_wrong_is_named_with_its_line(void **state UNUSED)
{
	assert_wrong("{\"report\":\"stage\",\"name\":\"work\"}", "stage.at_ms is missing");
	assert_wrong("{\"report\":\"stage\",\"name\":\"work\",\"at_ms\":-1}",
		     "stage.at_ms is not a whole number");
	assert_wrong("{\"report\":\"stage\",\"name\":\"lunch\",\"at_ms\":1}",
		     "stage.name is none of");
	assert_wrong("{\"report\":\"cgroup\",\"name\":\"\",\"cpus\":\"0\"}",
		     "cgroup.name is empty");
	assert_wrong("{\"report\":\"cgroup\",\"name\":\"a\",\"cpus\":0}", "cgroup.cpus");
	assert_wrong("{\"report\":\"note\",\"text\":null}", "note.text");
}

static void malformed_exchange_lines_are_refused(void **state UNUSED)
{
	assert_wrong("[]", "not an object");
	assert_wrong("{}", "not the kind of a line");
	assert_wrong("{\"report\":\"gossip\"}", "not the kind of a line");
	assert_wrong("{\"report\":7}", "not the kind of a line");
	assert_wrong("{", "JSON");
}

static void names_have_a_limit(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct exchange_line line;

	strbuf_append(&text, "{\"report\":\"cgroup\",\"cpus\":\"0\",\"name\":\"");
	strbuf_append_repeated(&text, 'x', EXCHANGE_LIMIT_NAME + 1);
	strbuf_append(&text, "\"}");
	assert_error_tag(parse(strbuf_str(&text), &line), "parse");
}

static void each_scheduler_state_requires_its_members(void **state UNUSED)
{
	assert_wrong("{\"report\":\"scheduler\",\"state\":\"started\"}", "without a pid");
	assert_wrong("{\"report\":\"scheduler\",\"state\":\"attached\"}", "without its ops");
	assert_wrong("{\"report\":\"scheduler\",\"state\":\"ended\"}", "without an end");
}

static void the_head_of_a_line_is_written_without_its_lists(void **state UNUSED)
{
	struct exchange_started started = { .name = (char *)"p", .pid = 7 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct json_writer w = json_writer_to(&text, JSON_COMPACT);

	json_rows_write(&exchange_started_head, &started, &w);
	assert_string_equal(strbuf_str(&text), "{\"name\":\"p\",\"pid\":7}");
	assert_string_equal(exchange_payload_head.at[exchange_payload_head.n].name, "metrics");
}

#define PAYLOAD_WITH(hints)                                                                             \
	"{\"report\":\"payload\",\"name\":\"p\",\"pid\":7,\"exit_code\":0,\"timed_out\":false,"         \
	"\"by_cleanup\":false,\"wall_ms\":1,\"stdout_bytes\":1,\"stderr_bytes\":0,\"dropped_bytes\":0," \
	"\"hints\":" hints ",\"metrics\":[]}"

static void a_payload_may_say_how_its_metrics_compare(void **state UNUSED)
{
	_cleanup_exchange_line_ struct exchange_line line = { 0 };

	assert_success(parse(PAYLOAD_WITH("[{\"metric\":\"_us\",\"unit\":\"us\","
					  "\"direction\":\"higher\"}]"),
			     &line));
	assert_int_equal(line.payload.hints.n, 1);
	assert_string_equal(line.payload.hints.at[0].unit, "us");
	assert_int_equal(line.payload.hints.at[0].direction, KTSTR_HIGHER_IS_BETTER);
	assert_wrong(PAYLOAD_WITH("[{\"metric\":\"_us\",\"unit\":\"us\",\"direction\":\"up\"}]"),
		     "payload.hints[0].direction is none of");
	assert_wrong(PAYLOAD_WITH("[{\"metric\":\"\",\"unit\":\"us\",\"direction\":\"lower\"}]"),
		     "payload.hints[0].metric is empty");
}

static void work_per_second_is_a_rate(void **state UNUSED)
{
	static const struct exchange_hint all[] = {
		{ EXCHANGE_BORROW("ops"), EXCHANGE_BORROW("ops/s"), KTSTR_HIGHER_IS_BETTER },
		{ EXCHANGE_BORROW("rate"), EXCHANGE_BORROW("1/s"), KTSTR_NO_DIRECTION },
		{ EXCHANGE_BORROW("errors"), EXCHANGE_BORROW("1/s"), KTSTR_LOWER_IS_BETTER },
		{ EXCHANGE_BORROW("latency"), EXCHANGE_BORROW("s"), KTSTR_LOWER_IS_BETTER },
	};
	static const struct {
		const char *metric;
		bool is_rate;
	} cases[] = { { "disk.ops", true },
		      { "rate", true },
		      { "errors", false },
		      { "latency", false },
		      { "unknown", false } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(exchange_hint_is_rate(
					 exchange_hint_find(all, ARRAY_SIZE(all), cases[i].metric)),
				 cases[i].is_rate);
}

static void a_workers_end_decides_what_is_checked(void **state UNUSED)
{
	static const struct {
		const char *end;
		bool never_started, killed, to_the_end;
	} cases[] = {
		{ "never-started", true, false, false }, { "finished", false, false, true },
		{ "killed", false, true, true },	 { "stuck", false, true, true },
		{ "exited 3", false, false, false },	 { "signalled 9", false, false, false },
		{ "lost", false, false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct exchange_worker w = { .end = (char *)(uintptr_t)cases[i].end };

		assert_int_equal(exchange_worker_never_started(&w), cases[i].never_started);
		assert_int_equal(exchange_worker_was_killed(&w), cases[i].killed);
		assert_int_equal(exchange_worker_worked_to_the_end(&w), cases[i].to_the_end);
	}
}

static void unknown_figures_of_a_worker_are_not_written(void **state UNUSED)
{
	struct exchange_worker w = { .cgroup = (char *)"a",
				     .kind = (char *)"spin",
				     .end = (char *)"finished" };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct json_writer json = json_writer_to(&text, JSON_COMPACT);

	json_rows_write(&exchange_worker_table, &w, &json);
	assert_null(strstr(strbuf_str(&text), "gap_cpu"));
	assert_null(strstr(strbuf_str(&text), "run_delay_ns"));
	assert_null(strstr(strbuf_str(&text), "outside"));
	assert_null(strstr(strbuf_str(&text), "ext_samples"));
}

static void a_workers_record_leaves_out_the_set_it_was_compared_with(void **state UNUSED)
{
	struct exchange_worker w = { .cgroup = (char *)"a",
				     .kind = (char *)"spin",
				     .end = (char *)"finished",
				     .has_outside = true,
				     .has_class = true };
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT, record = STRBUF_INIT;
	struct json_writer one = json_writer_to(&line, JSON_COMPACT);
	struct json_writer two = json_writer_to(&record, JSON_COMPACT);

	json_rows_write(&exchange_worker_table, &w, &one);
	json_rows_write(&exchange_worker_record, &w, &two);
	assert_contains(strbuf_str(&line), "\"outside_had\":\"\",\"outside_at_ns\":0}");
	assert_contains(strbuf_str(&record), "\"outside\":\"\",\"ext_samples\":0");
	assert_null(strstr(strbuf_str(&record), "outside_had"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_line_has_rows_with_meanings),
		cmocka_unit_test(the_page_of_the_protocol_has_every_member),
		cmocka_unit_test(report_lines_survive_a_round_trip),
		cmocka_unit_test(a_payload_may_say_how_its_metrics_compare),
		cmocka_unit_test(work_per_second_is_a_rate),
		cmocka_unit_test(what_is_absent_is_not_written),
		cmocka_unit_test(a_member_that_is_wrong_is_named_with_its_line),
		cmocka_unit_test(malformed_exchange_lines_are_refused),
		cmocka_unit_test(names_have_a_limit),
		cmocka_unit_test(each_scheduler_state_requires_its_members),
		cmocka_unit_test(the_head_of_a_line_is_written_without_its_lists),
		cmocka_unit_test(a_workers_end_decides_what_is_checked),
		cmocka_unit_test(unknown_figures_of_a_worker_are_not_written),
		cmocka_unit_test(a_workers_record_leaves_out_the_set_it_was_compared_with),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
