// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/file/load.h"

#include "unit.h"

/* Pieces as "key=text", "key[0]=text" or "key.inner=text", and "key/" at the end of an opened one.
 */
static bool opens(void *arg UNUSED, const char *key)
{
	return strcmp(key, "open") == 0;
}

static size_t limit(void *arg UNUSED, const char *key)
{
	return strcmp(key, "short") == 0 ? 5 : 1000;
}

static struct error *note_piece(void *arg, const struct ctprof_split_piece *piece)
{
	struct strbuf *into = arg;

	strbuf_append(into, piece->key);
	if (piece->opened && !piece->inner)
		strbuf_appendf(into, "[%zu]", piece->index);
	else if (piece->opened)
		strbuf_appendf(into, ".%s", piece->inner);
	strbuf_appendf(into, "=%s ", strbuf_str(piece->text));
	if (strcmp(strbuf_str(piece->text), "\"stop\"") == 0)
		return base_error(BASE_ABSENT, 0, "stopped");
	return NULL;
}

static struct error *note_end(void *arg, const char *key, bool object)
{
	strbuf_appendf(arg, "%s%s ", key, object ? "{}" : "[]");
	return NULL;
}

static struct error *split_all(const char *text, size_t step, struct strbuf *into)
{
	const struct ctprof_split_callbacks callbacks = { opens, limit, note_piece, note_end,
							  into };
	_cleanup_ctprof_split_ struct ctprof_split split;
	size_t n = strlen(text);
	struct error *err = NULL;

	ctprof_split_init(&split, &callbacks);
	for (size_t at = 0; at < n && !err; at += step)
		err = ctprof_split_feed(&split, text + at, at + step < n ? step : n - at);
	return err ? err : ctprof_split_finish(&split);
}

/* The same whatever the chunks: each byte alone, a few, all at once. */
static void assert_split(const char *text, const char *expected)
{
	for (size_t step = 1; step < 100; step += step < 8 ? 1 : 90) {
		_cleanup_strbuf_ struct strbuf pieces = STRBUF_INIT;

		assert_success(split_all(text, step, &pieces));
		assert_string_equal(strbuf_str(&pieces), expected);
	}
}

static void assert_wrong(const char *text, const char *message)
{
	_cleanup_strbuf_ struct strbuf pieces = STRBUF_INIT;
	struct error *err = split_all(text, 1, &pieces);

	if (!err)
		fail_msg("split: %s", text);
	assert_contains(error_message(err), message);
	error_free(err);
}

static void members_are_handed_out_whole(void **state UNUSED)
{
	assert_split("{}", "");
	assert_split(" { \"a\" : 1 , \"b\" : \"x\" } ", "a=1 b=\"x\" ");
	assert_split("{\"a\":{\"b\":[1,{\"c\":\"]}\"}]},\"d\":null}",
		     "a={\"b\":[1,{\"c\":\"]}\"}]} d=null ");
	assert_split("{\"a\":\"quote \\\" and \\\\\",\"b\":-1.5e3}",
		     "a=\"quote \\\" and \\\\\" b=-1.5e3 ");
}

static void an_opened_member_comes_in_elements(void **state UNUSED)
{
	assert_split("{\"open\":[]}", "open[] ");
	assert_split("{\"open\":{}}", "open{} ");
	assert_split("{\"open\":[1, {\"a\":[2]} ,\"x\"],\"b\":[3]}",
		     "open[0]=1 open[1]={\"a\":[2]} open[2]=\"x\" open[] b=[3] ");
	assert_split("{\"open\":{\"/a\":1,\"/b\":{}}}", "open./a=1 open./b={} open{} ");
	/* What is no container cannot be opened. */
	assert_split("{\"open\":5}", "open=5 ");
}

static void escaped_keys_are_decoded(void **state UNUSED)
{
	assert_split("{\"\\u006fpen\":[1]}", "open[0]=1 open[] ");
	assert_split("{\"open\":{\"a\\\"b\":1}}", "open.a\"b=1 open{} ");
}

static void malformed_json_between_members_is_refused(void **state UNUSED)
{
	assert_wrong("[]", "expected an object at byte 0, found '['");
	assert_wrong("{,}", "expected a key at byte 1");
	assert_wrong("{\"a\" 1}", "expected a colon at byte 5");
	assert_wrong("{\"a\":,}", "expected a value at byte 5");
	assert_wrong("{\"a\":1,}", "expected a key at byte 7");
	assert_wrong("{\"a\":1 2}", "expected a comma or the end at byte 7");
	assert_wrong("{\"a\":1]", "expected a comma or the end at byte 6, found ']'");
	assert_wrong("{\"open\":[1,]}", "expected a value at byte 11");
	assert_wrong("{\"open\":[1}}", "expected a comma or the end at byte 10");
	assert_wrong("{} {}", "expected nothing more at byte 3");
	assert_wrong("{\"a\":\x01}", "expected a value at byte 5");
	assert_wrong("{\"\xff\":1}", "a key: not JSON");
}

static void truncated_json_is_refused(void **state UNUSED)
{
	const char *whole = "{\"a\":[1],\"open\":[{\"b\":\"c\"}]}";
	_cleanup_free_ char *part = strdup(whole);

	for (size_t n = 0; n < strlen(whole); n++) {
		memcpy(part, whole, n);
		part[n] = '\0';
		assert_wrong(part, "not JSON: it ends after");
	}
}

static void a_piece_has_a_limit(void **state UNUSED)
{
	assert_split("{\"short\":12345}", "short=12345 ");
	assert_wrong("{\"short\":123456}", "short is longer than 5 bytes");
	assert_wrong("{\"short\":[[[[[[", "short is longer than 5 bytes");
}

static void an_error_of_the_callback_ends_the_split(void **state UNUSED)
{
	assert_wrong("{\"a\":\"stop\"", "stopped");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_handed_out_whole),
		cmocka_unit_test(an_opened_member_comes_in_elements),
		cmocka_unit_test(escaped_keys_are_decoded),
		cmocka_unit_test(malformed_json_between_members_is_refused),
		cmocka_unit_test(truncated_json_is_refused),
		cmocka_unit_test(a_piece_has_a_limit),
		cmocka_unit_test(an_error_of_the_callback_ends_the_split),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
