// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/cmd_capture.h"

#include "base/clock.h"
#include "json/doc.h"
#include "unit.h"

static const struct cost cost = { .snapshots = 1,
				  .threads = 2,
				  .wall_ns = NS_PER_SEC,
				  .cpu_ns = NS_PER_MS,
				  .json_bytes = 2048,
				  .file_bytes = 1024 };

static void fill(struct ctprof_snapshot *s, uint64_t walked)
{
	ctprof_snapshot_init(s);
	s->captured_at_unix_ns = 5;
	s->parse = (struct ctprof_parse_summary){ .known = true, .tids_walked = walked };
	s->probe = (struct ctprof_probe_summary){ .known = true, .tgids_walked = 1 };
	s->taskstats = (struct ctprof_taskstats_summary){ .known = true, .ok = walked };
	vec_push(&s->threads, (struct metric_thread_sample){ .tid = 1 });
	vec_push(&s->threads, (struct metric_thread_sample){ .tid = 2 });
}

static void one_snapshot_ends_with_its_summaries(void **state UNUSED)
{
	_cleanup_capture_report_ struct capture_report report;
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT, text = STRBUF_INIT;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	fill(&s, 2);
	capture_report_init(&report, "a.zst", 1);
	capture_report_add(&report, &s, &cost, 1, &line);
	assert_int_equal(line.n, 0);
	capture_report_format(&report, &cost, 0, &text);
	assert_string_equal(
		strbuf_str(&text),
		"ctprof parse: 2 tids walked, 0 read failures\n"
		"ctprof probe: 1 tgids walked, 0 jemalloc detected, 0 probed OK, 0 failed\n"
		"ctprof taskstats: 2 tids queried, 2 OK, 0 failed\n"
		"ctprof cost: 1.0 s wall, 1.0 ms CPU, 1.0 KiB written (2.0 KiB of JSON), 2 threads/s\n");
}

static void a_series_has_a_line_for_each_and_the_summaries_of_the_last(void **state UNUSED)
{
	_cleanup_capture_report_ struct capture_report report;
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT, text = STRBUF_INIT;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot first, last;

	fill(&first, 2);
	fill(&last, 7);
	capture_report_init(&report, "a.zst", 3);
	capture_report_add(&report, &first, &cost, 1, &line);
	assert_string_equal(strbuf_str(&line), "ctprof snapshot 1 of 3: 2 threads, 1.0 s, 1.0 KiB");
	capture_report_add(&report, &last, &cost, 2, &line);
	capture_report_format(&report, &cost, 4, &text);
	assert_contains(strbuf_str(&text), "ctprof parse: 7 tids walked");
	assert_null(strstr(strbuf_str(&text), "2 tids walked"));
	assert_contains(strbuf_str(&text), "note: 4 snapshots of the series were skipped");
}

static void json_has_every_snapshot_and_the_sum(void **state UNUSED)
{
	_cleanup_capture_report_ struct capture_report report;
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT, text = STRBUF_INIT;
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	const struct cost total = { .snapshots = 2, .threads = 4 };
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	const struct json_value *root;
	struct json_iter it;
	uint64_t number;

	fill(&s, 2);
	capture_report_init(&report, "a.zst", 5);
	capture_report_add(&report, &s, &cost, 1, &line);
	capture_report_add(&report, &s, &cost, 2, &line);
	capture_report_finish_json(&report, &total, 3, &text);
	assert_success(json_doc_parse(text.at, text.n, "test", &doc));
	root = json_doc_root(doc);
	assert_true(json_text_is(json_string(json_find(root, "file")), "a.zst"));
	assert_true(json_get_u64(json_find(root, "wanted"), &number) && number == 5);
	assert_true(json_get_u64(json_find(root, "taken"), &number) && number == 2);
	assert_true(json_get_u64(json_find(root, "missed"), &number) && number == 3);
	assert_true(json_get_u64(json_find(root, "threads"), &number) && number == 4);
	it = json_iter_over(json_find(root, "snapshots"));
	assert_true(json_iter_next(&it));
	assert_true(json_get_u64(json_find(it.value, "captured_at_unix_ns"), &number) &&
		    number == 5);
	assert_true(json_get_u64(json_find(json_find(it.value, "taskstats_summary"), "ok_count"),
				 &number) &&
		    number == 2);
	assert_true(json_iter_next(&it));
	assert_false(json_iter_next(&it));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_snapshot_ends_with_its_summaries),
		cmocka_unit_test(a_series_has_a_line_for_each_and_the_summaries_of_the_last),
		cmocka_unit_test(json_has_every_snapshot_and_the_sum),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
