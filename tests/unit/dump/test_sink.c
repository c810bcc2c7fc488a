// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/dump.h"
#include "unit.h"

static void text_output_stops_at_the_line_budget(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct dump_sink sink = dump_sink_to_text(&out, 3);

	dump_line(&sink, "one %d", 1);
	sink.indent = 2;
	dump_lines(&sink, "two\n\nthree\nfour\n");
	assert_string_equal(strbuf_str(&out), "one 1\n  two\n\n");
	assert_int_equal(sink.lines_left, 0);
	assert_int_equal(sink.lines_lost, 2);
}

static void foreign_bytes_are_escaped_and_cut(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct dump_sink sink = dump_sink_to_text(&out, 10);
	char many[DUMP_LIMIT_LINE_BYTES + 5];

	dump_line_foreign(&sink, "a\nb\x1b", 4);
	assert_string_equal(strbuf_str(&out), "a\\nb\\x1b\n");
	memset(many, 'x', sizeof(many));
	dump_line_foreign(&sink, many, sizeof(many));
	assert_int_equal(out.n, 9 + DUMP_LIMIT_LINE_BYTES + 1 + strlen("… 5 bytes more\n"));
	assert_contains(strbuf_str(&out), "x\n… 5 bytes more\n");
}

static void lines_are_escaped_whole(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct dump_sink sink = dump_sink_to_text(&out, 10);

	dump_line(&sink, "%s … %s", "a\nb", "\x1b[2J");
	dump_say(&sink, "key", "label", "b\tc");
	dump_say(&sink, "key", "label", NULL);
	dump_unavailable(&sink, "key", NULL, "gone\n");
	dump_unavailable(&sink, "key", "it", "gone");
	dump_say_count(&sink, "key", 0, "things");
	dump_say_count(&sink, "key", 2, "things");
	assert_string_equal(strbuf_str(&out), "a\\nb … \\x1b[2J\nlabel: b\\tc\n"
					      "unavailable: gone\\n\nit: unavailable: gone\n"
					      "2 things\n");
}

static void both_forms_come_from_one_call(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct json_writer writer = json_writer_to(&out, JSON_COMPACT);
	struct dump_sink sink = dump_sink_to_json(&writer);

	dump_open(&sink, NULL);
	dump_say(&sink, "a", "label", "text");
	dump_say(&sink, "b", "label", NULL);
	dump_unavailable(&sink, "c", "it", "gone");
	dump_say_count(&sink, "d", 0, "things");
	dump_say_count(&sink, "e", 2, "things");
	dump_open_list(&sink, "f");
	dump_add_bool(&sink, NULL, true);
	dump_close_list(&sink);
	dump_close(&sink);
	assert_string_equal(strbuf_str(&out),
			    "{\"a\":\"text\",\"c\":\"gone\",\"e\":2,\"f\":[true]}");
}

static void text_lines_are_not_written_to_a_json_sink(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct json_writer writer = json_writer_to(&out, JSON_COMPACT);
	struct dump_sink sink = dump_sink_to_json(&writer);

	json_begin_object(&writer);
	dump_line(&sink, "line");
	dump_lines(&sink, "line");
	dump_line_foreign(&sink, "line", 4);
	dump_add_hex(&sink, "at", UINT64_MAX);
	json_end_object(&writer);
	assert_string_equal(strbuf_str(&out), "{\"at\":\"0xffffffffffffffff\"}");
	assert_int_equal(sink.lines_lost, 0);
}

static void a_walk_says_what_it_did_not_show(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct dump_sink sink = dump_sink_to_text(&out, 10);

	dump_walk(&sink, "things", &(struct kmem_walk){ .n = 3, .n_shown = 3 });
	assert_int_equal(out.n, 0);
	dump_walk(&sink, "things", &(struct kmem_walk){ .n = 3, .n_shown = 1 });
	assert_string_equal(strbuf_str(&out), "things: shown 1 of 3\n");
	/* A subtree may be missing: it is not whole. */
	strbuf_clear(&out);
	dump_walk(&sink, "things",
		  &(struct kmem_walk){ .n = 3, .n_shown = 3, .n_bad_backlinks = 1 });
	assert_string_equal(strbuf_str(&out), "things: 3; 1 links do not point back\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_output_stops_at_the_line_budget),
		cmocka_unit_test(foreign_bytes_are_escaped_and_cut),
		cmocka_unit_test(lines_are_escaped_whole),
		cmocka_unit_test(both_forms_come_from_one_call),
		cmocka_unit_test(text_lines_are_not_written_to_a_json_sink),
		cmocka_unit_test(a_walk_says_what_it_did_not_show),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
