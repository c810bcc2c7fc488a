// SPDX-License-Identifier: GPL-2.0-or-later
#include "exchange/codecs.h"

#include "exchange/report.h"
#include "unit.h"

static void a_long_text_is_cut_at_a_character_boundary(void **state UNUSED)
{
	/* The third byte of the last euro sign is past the limit. */
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, json = STRBUF_INIT;
	struct json_writer w = json_writer_to(&json, JSON_COMPACT);

	strbuf_append_repeated(&text, 'x', EXCHANGE_LIMIT_TEXT - 2);
	strbuf_append(&text, "\xe2\x82\xac!");
	exchange_text_codec.write(&text.at, &w);
	assert_int_equal(json.n, EXCHANGE_LIMIT_TEXT - 2 + strlen("\"… (4 bytes more)\""));
	assert_contains(strbuf_str(&json), "x… (4 bytes more)\"");
}

static void a_workers_end_is_a_name_with_an_optional_number(void **state UNUSED)
{
	static const char *const good[] = { "finished", "never-started", "exited 3", "exited 255" };
	static const char *const bad[] = { "",		"3",	  "exited ",  "exited 3000",
					   "exited -3", "Exited", "exited 3 " };

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_null(exchange_check_end(&good[i]));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_non_null(exchange_check_end(&bad[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_text_is_cut_at_a_character_boundary),
		cmocka_unit_test(a_workers_end_is_a_name_with_an_optional_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
