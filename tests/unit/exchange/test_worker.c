// SPDX-License-Identifier: GPL-2.0-or-later
#include "exchange/report.h"

#include "unit.h"

static void ends_say_what_a_worker_can_be_judged_by(void **state UNUSED)
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

static void what_is_unknown_is_absent(void **state UNUSED)
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

static void a_record_does_not_keep_the_set_of_the_moment(void **state UNUSED)
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
		cmocka_unit_test(ends_say_what_a_worker_can_be_judged_by),
		cmocka_unit_test(what_is_unknown_is_absent),
		cmocka_unit_test(a_record_does_not_keep_the_set_of_the_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
