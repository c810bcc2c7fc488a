// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/strbuf.h"

#include <stdlib.h>

#include "unit.h"

static void empty_buffer_is_an_empty_string(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	char *taken;

	assert_string_equal(strbuf_str(&s), "");
	taken = strbuf_take(&s);
	assert_string_equal(taken, "");
	free(taken);
}

static void appending_grows_past_the_first_allocation(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	for (int i = 0; i < 100; i++)
		strbuf_appendf(&s, "%02d,", i);
	assert_int_equal(s.n, 300);
	assert_memory_equal(s.at + 297, "99,", 4);
}

static void bytes_with_nul_are_kept(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	strbuf_append_bytes(&s, "a\0b", 3);
	strbuf_append_repeated(&s, '-', 2);
	assert_int_equal(s.n, 5);
	assert_memory_equal(s.at, "a\0b--", 6);
}

static void taking_leaves_the_buffer_empty(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	char *taken;

	strbuf_append(&s, "text");
	taken = strbuf_take(&s);
	assert_string_equal(taken, "text");
	assert_string_equal(strbuf_str(&s), "");
	free(taken);
}

static void clearing_keeps_the_terminator(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	strbuf_append(&s, "text");
	strbuf_clear(&s);
	assert_string_equal(strbuf_str(&s), "");
	strbuf_append_char(&s, 'x');
	assert_string_equal(strbuf_str(&s), "x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_buffer_is_an_empty_string),
		cmocka_unit_test(appending_grows_past_the_first_allocation),
		cmocka_unit_test(bytes_with_nul_are_kept),
		cmocka_unit_test(taking_leaves_the_buffer_empty),
		cmocka_unit_test(clearing_keeps_the_terminator),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
