// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/smaps_rollup.h"

#include "base/strbuf.h"
#include "unit.h"

static bool parse(const char *text, struct intern *names, struct named_readings *ret)
{
	return smaps_rollup_parse(text, strlen(text), names, ret);
}

static void kinds_are_kept_and_the_addresses_are_not(void **state UNUSED)
{
	_cleanup_intern_ struct intern names;
	struct named_readings smaps = { 0 };

	intern_init(&names);
	assert_true(parse("55d0-7fff ---p 00000000 00:00 0    [rollup]\nRss:      12 kB\n"
			  "Foo: bar\nPss_Dirty:  7 kB\nLocked: -1 kB\n",
			  &names, &smaps));
	assert_true(smaps.known);
	assert_int_equal(smaps.rows.n, 2);
	assert_string_equal(intern_text(&names, smaps.rows.at[0].name), "Rss");
	assert_int_equal(smaps.rows.at[0].value, 12);
	assert_string_equal(intern_text(&names, smaps.rows.at[1].name), "Pss_Dirty");
	assert_int_equal(smaps.rows.at[1].value, 7);
	vec_deinit(&smaps.rows);
}

static void a_second_text_replaces_the_first(void **state UNUSED)
{
	_cleanup_intern_ struct intern names;
	struct named_readings smaps = { 0 };

	intern_init(&names);
	assert_true(parse("Rss: 1 kB\nPss: 2 kB\n", &names, &smaps));
	assert_true(parse("Rss: 3 kB\nRss: 4 kB\n", &names, &smaps));
	assert_int_equal(smaps.rows.n, 1);
	assert_int_equal(smaps.rows.at[0].value, 4);
	assert_false(parse("", &names, &smaps));
	assert_false(smaps.known);
	assert_int_equal(smaps.rows.n, 0);
	vec_deinit(&smaps.rows);
}

static void kinds_without_end_come_to_an_end(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_intern_ struct intern names;
	struct named_readings smaps = { 0 };

	intern_init(&names);
	for (int i = 0; i < 2 * SMAPS_ROLLUP_ROWS; i++)
		strbuf_appendf(&s, "K%d: 1 kB\n", i);
	assert_true(parse(strbuf_str(&s), &names, &smaps));
	assert_int_equal(smaps.rows.n, SMAPS_ROLLUP_ROWS);
	vec_deinit(&smaps.rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_are_kept_and_the_addresses_are_not),
		cmocka_unit_test(a_second_text_replaces_the_first),
		cmocka_unit_test(kinds_without_end_come_to_an_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
