// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_guest.h"
#include "build_scheduler.h"

#include "json/doc.h"

static void one_unavailable_view_does_not_affect_the_others(void **state)
{
	struct build_guest *g = *state;
	_cleanup_strbuf_ struct strbuf json = STRBUF_INIT;
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	const struct json_value *root;

	/* The ring of the log is nowhere. */
	guest_attach(g);
	dump_failure(g->kmem, NULL, &(struct dump_request){ 0 }, 0, &g->out, &json);
	assert_contains(strbuf_str(&g->out), "log: the kernel's log\n  unavailable: ");
	assert_contains(strbuf_str(&g->out), "uptime: ");
	assert_contains(strbuf_str(&g->out), "\n  12.500000000 s\n");
	assert_success(json_doc_parse(json.at, json.n, "report", &doc));
	root = json_doc_root(doc);
	assert_non_null(json_find(json_find(root, "log"), "unavailable"));
	assert_non_null(json_find(json_find(root, "tasks"), "tasks"));
	assert_null(json_find(json_find(root, "tasks"), "unavailable"));
}

static void the_schedulers_maps_and_variables_are_part_of_it(void **state)
{
	struct build_scheduler *b = *state;
	_cleanup_strbuf_ struct strbuf json = STRBUF_INIT;
	_cleanup_json_doc_ struct json_doc *doc = NULL;

	put_array(b, put_circle(b));
	scheduler_attach(b);
	dump_failure(b->kmem, NULL, &(struct dump_request){ 0 }, 0, &b->out, &json);
	assert_contains(strbuf_str(&b->out), "scheduler: maps and global variables");
	assert_contains(strbuf_str(&b->out), "\n    first_ctx = 0x7f1234");
	assert_contains(strbuf_str(&b->out), "\n    [0] = task_ctx:\n      pid=66\n");
	assert_success(json_doc_parse(json.at, json.n, "report", &doc));
	assert_non_null(json_find(json_find(json_doc_root(doc), "scheduler"), "maps"));
	assert_null(json_find(json_find(json_doc_root(doc), "scheduler"), "unavailable"));
}

static void without_a_kernel_every_section_says_why(void **state)
{
	struct build_guest *g = *state;
	_cleanup_strbuf_ struct strbuf json = STRBUF_INIT;
	_cleanup_json_doc_ struct json_doc *doc = NULL;

	dump_failure(NULL, "nothing\x1b here", &(struct dump_request){ 0 }, 0, &g->out, &json);
	assert_contains(strbuf_str(&g->out), "every thread\n  unavailable: nothing\\x1b here\n");
	assert_success(json_doc_parse(json.at, json.n, "report", &doc));
	for (size_t i = 0; i < dump_n_views; i++) {
		if (!dump_views[i].argument)
			assert_non_null(json_find(json_find(json_doc_root(doc), dump_views[i].word),
						  "unavailable"));
	}
}

static void a_long_view_leaves_lines_to_those_behind_it(void **state)
{
	struct build_guest *g = *state;

	guest_attach(g);
	dump_failure(g->kmem, NULL, &(struct dump_request){ 0 }, 5 * dump_n_views, &g->out, NULL);
	for (size_t i = 0; i < dump_n_views; i++) {
		if (!dump_view_needs_argument(&dump_views[i]))
			assert_contains(strbuf_str(&g->out), dump_views[i].meaning);
	}
	/* How many depends on the number of views. */
	assert_contains(strbuf_str(&g->out), "CPUs: shown ");
	assert_contains(strbuf_str(&g->out), " of 3\n");
}

static bool log_is_cut(struct build_guest *g, size_t lines)
{
	const char *log, *cut, *tasks;

	strbuf_clear(&g->out);
	dump_failure(g->kmem, NULL, &(struct dump_request){ 0 }, lines, &g->out, NULL);
	log = strstr(strbuf_str(&g->out), "log: ");
	tasks = strstr(strbuf_str(&g->out), "\ntasks: ");
	cut = log ? strstr(log, "\n  … ") : NULL;
	assert_true(log && tasks && log < tasks);
	return cut && cut < tasks;
}

static void a_view_takes_half_of_what_is_left_and_says_where_it_was_cut(void **state)
{
	struct build_guest *g = *state;
	char text[104];

	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = i % 2 ? '\n' : 'a';
	text[sizeof(text) - 1] = 0;
	guest_put_ring(g, 8, 8);
	guest_put_record(g, 8, 2, 0, 120, 0, text);
	guest_attach(g);
	assert_false(log_is_cut(g, 1000));
	assert_true(log_is_cut(g, 110));
	/* There is room for all threads behind it. */
	assert_contains(strbuf_str(&g->out), "wor\\nker");
}

static void a_budget_of_two_lines_shows_the_first_view(void **state)
{
	struct build_guest *g = *state;

	guest_attach(g);
	dump_failure(g->kmem, NULL, &(struct dump_request){ 0 }, 2, &g->out, NULL);
	assert_contains(strbuf_str(&g->out), "uname: ");
	assert_contains(strbuf_str(&g->out), " more lines\n");
}

/* Every view closes what it has opened, and says how much it has left out. */
static void json_cut_by_its_limit_is_still_valid(void **state)
{
	struct build_guest *g = *state;

	guest_attach(g);
	for (size_t room = 0; room < 3000; room += 250) {
		struct json_writer writer = json_writer_to(&g->out, JSON_COMPACT);
		struct dump_sink sink = dump_sink_to_json(&writer);
		_cleanup_json_doc_ struct json_doc *doc = NULL;
		const struct json_value *tasks;
		uint64_t shown, total;

		strbuf_clear(&g->out);
		sink.most_json = room;
		dump_all(g->kmem, &(struct dump_request){ 0 }, &sink);
		assert_success(json_doc_parse(g->out.at, g->out.n, "report", &doc));
		tasks = json_find(json_doc_root(doc), "tasks");
		assert_true(json_get_u64(json_find(tasks, "shown"), &shown));
		assert_true(json_get_u64(json_find(tasks, "total"), &total));
		assert_int_equal(total, 3);
		assert_int_equal(shown == total, !json_find(tasks, "incomplete"));
		if (room == 0)
			assert_int_equal(shown, 0);
	}
}

static void views_are_found_by_name(void **state UNUSED)
{
	assert_string_equal(dump_view_find("rq")->word, "rq");
	assert_null(dump_view_find("r"));
	/* Each word once: a second would be a second member of that name in JSON. */
	for (size_t i = 0; i < dump_n_views; i++)
		assert_ptr_equal(dump_view_find(dump_views[i].word), &dump_views[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		guest_test(one_unavailable_view_does_not_affect_the_others),
		scheduler_test(the_schedulers_maps_and_variables_are_part_of_it),
		guest_test(without_a_kernel_every_section_says_why),
		guest_test(a_long_view_leaves_lines_to_those_behind_it),
		guest_test(a_view_takes_half_of_what_is_left_and_says_where_it_was_cut),
		guest_test(a_budget_of_two_lines_shows_the_first_view),
		guest_test(json_cut_by_its_limit_is_still_valid),
		cmocka_unit_test(views_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
