// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/show_test/show_test.h"
#include "declared.h"

static const struct json_value *first_listed(const struct json_doc *doc)
{
	struct json_iter it = json_iter_over(json_find(json_doc_root(doc), "tests"));

	assert_true(json_iter_next(&it));
	return it.value;
}

static struct error *write_shown(struct declared *d, const struct json_value *listed,
				 struct strbuf *into)
{
	struct json_writer w = json_writer_to(into, JSON_COMPACT);
	_cleanup_shown_test_ struct shown_test shown = { 0 };
	struct error *err;

	assert_success(shown_test_init(&shown, &d->suite, &d->suite.tests.at[0], NULL, &d->host));
	shown.memory_bytes = 7;
	json_begin_object(&w);
	err = shown_test_write(&shown, listed, &w);
	json_end_object(&w);
	return err;
}

static void the_listing_comes_first_as_it_is(void **state)
{
	struct declared *d = *state;
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *listed = strstr(LISTED_TESTS, "{\"name\"");
	size_t n = (size_t)(strstr(LISTED_TESTS, "]},{\"name\":\"plain\"") + 1 - listed);
	_cleanup_free_ char *resolved = xasprintf(
		",\"resolved\":{\"topology\":\"2n4l2c1t\",\"cpus\":8,\"memory_bytes\":7,"
		"\"cgroups\":[{\"name\":\"left\",\"cpus\":\"2-3\"},{\"name\":\"right\",\"cpus\":"
		"\"4-7\"}],\"files\":[{\"name\":\"my\",\"path\":\"%1$s/my\",\"bytes\":6},"
		"{\"name\":\"scx_x\",\"path\":\"%1$s/scx_x\",\"bytes\":1}],\"files_missing\":"
		"\"my.c:12: fair: no file gone: searched in %1$s, PATH\\n\",\"kernel\":\"9.9.9\","
		"\"needs_met\":false,\"needs_reason\":\"needs-sched-ext\",\"needs_why\":\"kernel "
		"9.9.9 has no sched_ext\",\"accel\":\"tcg\",\"accel_reason\":\"asked for\",\"clock\":\"real\","
		"\"time_limit_ms\":155000,\"time_limit_sum\":\"duration 5 s + 5 x (20 s + 1 s for "
		"its size + 9 s to attach)\"}}",
		d->root);

	assert_success(json_doc_parse(LISTED_TESTS, strlen(LISTED_TESTS), "l", &doc));
	assert_success(write_shown(d, first_listed(doc), &text));
	assert_true(text.n > n);
	assert_memory_equal(text.at, listed, n);
	assert_string_equal(text.at + n, resolved);
}

static void a_listing_that_is_too_deep_is_refused_and_stays_json(void **state)
{
	struct declared *d = *state;
	_cleanup_json_doc_ struct json_doc *doc = NULL, *written = NULL;
	_cleanup_strbuf_ struct strbuf deep = STRBUF_INIT, text = STRBUF_INIT;

	strbuf_append(&deep, "{\"tests\":[{\"a\":");
	for (int i = 0; i < 400; i++)
		strbuf_append(&deep, "{\"b\":[");
	for (int i = 0; i < 400; i++)
		strbuf_append(&deep, "]}");
	strbuf_append(&deep, "}]}");
	/* More than the reader takes. */
	assert_error_tag(json_doc_parse(strbuf_str(&deep), deep.n, "l", &doc), "limit");
	strbuf_clear(&deep);
	strbuf_append(&deep, "{\"tests\":[{\"a\":");
	for (int i = 0; i < 200; i++)
		strbuf_append(&deep, "{\"b\":[");
	for (int i = 0; i < 200; i++)
		strbuf_append(&deep, "]}");
	strbuf_append(&deep, "}]}");
	assert_success(json_doc_parse(strbuf_str(&deep), deep.n, "l", &doc));
	assert_error_tag(write_shown(d, first_listed(doc), &text), "limit");
	assert_success(json_doc_parse(strbuf_str(&text), text.n, "w", &written));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DECLARED_TEST(the_listing_comes_first_as_it_is),
		DECLARED_TEST(a_listing_that_is_too_deep_is_refused_and_stays_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
