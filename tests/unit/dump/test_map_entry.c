// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/maps.h"

#include "build_view.h"

static struct dump_map_show showing(struct bpf_fixture *f, const struct dump_map *map,
				    struct dump_sink *sink)
{
	static struct dump_values values;

	values = (struct dump_values){ .kmem = f->kmem };
	return (struct dump_map_show){ .kmem = f->kmem,
				       .values = &values,
				       .map = map,
				       .sink = sink,
				       .bytes_left = DUMP_LIMIT_MAP_BYTES };
}

static void entries_are_counted_beyond_those_that_are_shown(void **state)
{
	struct bpf_fixture *f = *state;
	struct dump_sink sink = dump_sink_to_text(&f->text, 100);
	const struct dump_map map = { .key_size = 4, .value_size = 8 };
	struct dump_map_show show = showing(f, &map, &sink);

	show.walk.wanted = 1;
	assert_true(dump_map_open_index(&show, 0));
	dump_map_show_value(&show, bpf_at(f, 0x1000));
	dump_close(show.sink);
	assert_false(dump_map_open_index(&show, 1));
	assert_false(dump_map_open_owner(&show, "somebody"));
	assert_int_equal(show.walk.n_shown, 1);
	assert_int_equal(show.walk.n, 3);
	strbuf_deinit(&show.label);
}

static void a_map_past_its_budget_stops(void **state)
{
	struct bpf_fixture *f = *state;
	struct dump_sink sink = dump_sink_to_text(&f->text, 100);
	const struct dump_map map = { .key_size = 4, .value_size = DUMP_LIMIT_MAP_BYTES };
	struct dump_map_show show = showing(f, &map, &sink);

	assert_true(dump_map_open_index(&show, 0));
	dump_map_show_value(&show, bpf_at(f, 0x1000));
	assert_int_equal(show.walk.end, KMEM_WALK_STOPPED);
	assert_false(dump_map_open_index(&show, 1));
	strbuf_deinit(&show.label);
}

static void a_value_that_is_too_large_says_so(void **state)
{
	struct bpf_fixture *f = *state;
	struct dump_sink sink = dump_sink_to_text(&f->text, 100);
	const struct dump_map map = { .key_size = 4, .value_size = DUMP_LIMIT_VALUE_BYTES + 1 };
	struct dump_map_show show = showing(f, &map, &sink);

	assert_true(dump_map_open_key(&show, bpf_at(f, 0x1000)));
	dump_map_show_value(&show, bpf_at(f, 0x1000));
	assert_contains(strbuf_str(&f->text), "value: unavailable:");
	strbuf_deinit(&show.label);
}

static void key_and_value_that_cannot_be_read_have_a_reason_each(void **state)
{
	struct bpf_fixture *f = *state;
	struct json_writer writer = json_writer_to(&f->json, JSON_COMPACT);
	struct dump_sink sink = dump_sink_to_json(&writer);
	const struct dump_map map = { .key_size = DUMP_LIMIT_VALUE_BYTES + 1,
				      .value_size = DUMP_LIMIT_VALUE_BYTES + 1 };
	struct dump_map_show show = showing(f, &map, &sink);

	assert_true(dump_map_open_key(&show, bpf_at(f, 0x1000)));
	dump_map_show_value(&show, bpf_at(f, 0x1000));
	dump_close(show.sink);
	assert_contains(strbuf_str(&f->json), "{\"key_unavailable\":");
	assert_contains(strbuf_str(&f->json), ",\"unavailable\":");
	strbuf_deinit(&show.label);
}

static void an_entry_that_does_not_fit_counts_as_not_shown(void **state)
{
	struct bpf_fixture *f = *state;
	struct dump_sink sink = dump_sink_to_text(&f->text, 100);
	const struct dump_map map = { .key_size = 4, .value_size = 8 };
	struct dump_map_show show = showing(f, &map, &sink);

	show.bytes_left = 1;
	assert_false(dump_map_open_index(&show, 0));
	assert_int_equal(show.walk.n_shown, 0);
	assert_int_equal(show.walk.n, 1);
	strbuf_deinit(&show.label);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		bpf_test(entries_are_counted_beyond_those_that_are_shown),
		bpf_test(a_map_past_its_budget_stops),
		bpf_test(a_value_that_is_too_large_says_so),
		bpf_test(key_and_value_that_cannot_be_read_have_a_reason_each),
		bpf_test(an_entry_that_does_not_fit_counts_as_not_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
