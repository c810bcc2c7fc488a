// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include "unit.h"

/* What the guest gets of these keys. */
static const char *typed(struct keys *keys, const char *text)
{
	static char bytes[64];
	size_t n;

	snprintf(bytes, sizeof(bytes), "%s", text);
	n = keys_filter(keys, bytes, strlen(text));
	bytes[n] = '\0';
	return bytes;
}

static void other_keys_pass(void **state UNUSED)
{
	struct keys keys = { 0 };

	assert_string_equal(typed(&keys, "ls\r\003\004\033[A"), "ls\r\003\004\033[A");
	assert_false(keys.end);
}

static void escape_and_x_end(void **state UNUSED)
{
	static const char *const ways[] = { "ab\001xcd", "ab\001Xcd", "ab\001\030cd" };

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct keys keys = { 0 };

		assert_string_equal(typed(&keys, ways[i]), "ab");
		assert_true(keys.end);
		assert_string_equal(typed(&keys, "more"), "");
	}
}

static void the_two_keys_may_come_apart(void **state UNUSED)
{
	struct keys keys = { 0 };

	assert_string_equal(typed(&keys, "a\001"), "a");
	assert_false(keys.end);
	assert_string_equal(typed(&keys, "x"), "");
	assert_true(keys.end);
}

static void escape_twice_is_one_for_the_guest(void **state UNUSED)
{
	struct keys keys = { 0 };

	assert_string_equal(typed(&keys, "a\001\001x"), "a\001x");
	assert_false(keys.end);
	assert_string_equal(typed(&keys, "\001\001\001\001"), "\001\001");
	assert_false(keys.escaped);
}

static void escape_with_another_key_is_nothing(void **state UNUSED)
{
	struct keys keys = { 0 };

	assert_string_equal(typed(&keys, "a\001qx"), "ax");
	assert_false(keys.end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_keys_pass),
		cmocka_unit_test(escape_and_x_end),
		cmocka_unit_test(the_two_keys_may_come_apart),
		cmocka_unit_test(escape_twice_is_one_for_the_guest),
		cmocka_unit_test(escape_with_another_key_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
