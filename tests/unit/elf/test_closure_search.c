// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/closure_internal.h"

#include <elf.h>

#include "unit.h"

static void words_are_replaced_with_and_without_braces(void **state UNUSED)
{
	static const struct {
		const char *text, *wanted;
	} rows[] = {
		{ "$ORIGIN/../lib", "/opt/app/bin/../lib" },
		{ "${ORIGIN}lib", "/opt/app/binlib" },
		{ "/usr/$LIB/x", "/usr/lib/x86_64-linux-gnu/x" },
		{ "/p/${PLATFORM}", "/p/x86_64" },
		{ "/a/$LIBRARY", "/a/$LIBRARY" },
		{ "/a/$LIB2", "/a/$LIB2" },
		{ "/a/$", "/a/$" },
		{ "/a/${ORIGIN", "/a/${ORIGIN" },
		{ "/a/${}", "/a/${}" },
		{ "/a/$HOME", "/a/$HOME" },
		{ "$ORIGIN$ORIGIN", "/opt/app/bin/opt/app/bin" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		assert_true(elf_closure_expand(rows[i].text, strlen(rows[i].text), "/opt/app/bin",
					       EM_X86_64, &s));
		assert_string_equal(strbuf_str(&s), rows[i].wanted);
	}
}

static void list_gives_its_absolute_folders(void **state UNUSED)
{
	const char *at = "/a::relative:$ORIGIN/b:.:/c/$PLATFORM:";
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	assert_true(elf_closure_next_directory(&at, "/o", EM_AARCH64, &s));
	assert_string_equal(strbuf_str(&s), "/a");
	assert_true(elf_closure_next_directory(&at, "/o", EM_AARCH64, &s));
	assert_string_equal(strbuf_str(&s), "/o/b");
	assert_true(elf_closure_next_directory(&at, "/o", EM_AARCH64, &s));
	assert_string_equal(strbuf_str(&s), "/c/aarch64");
	assert_false(elf_closure_next_directory(&at, "/o", EM_AARCH64, &s));
	at = NULL;
	assert_false(elf_closure_next_directory(&at, "/o", EM_AARCH64, &s));
}

static void what_grows_beyond_a_path_is_skipped(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, s = STRBUF_INIT, origin = STRBUF_INIT;
	const char *at;

	strbuf_append_char(&origin, '/');
	strbuf_append_repeated(&origin, 'o', 1000);
	for (int i = 0; i < 100; i++)
		strbuf_append(&text, "$ORIGIN");
	strbuf_append(&text, ":/after");
	at = strbuf_str(&text);
	assert_true(elf_closure_next_directory(&at, strbuf_str(&origin), EM_X86_64, &s));
	assert_string_equal(strbuf_str(&s), "/after");
}

static void default_folders_are_those_of_the_machine(void **state UNUSED)
{
	assert_string_equal(elf_closure_default_directories(EM_X86_64)[0], "/lib/x86_64-linux-gnu");
	assert_string_equal(elf_closure_default_directories(EM_AARCH64)[0],
			    "/lib/aarch64-linux-gnu");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_replaced_with_and_without_braces),
		cmocka_unit_test(list_gives_its_absolute_folders),
		cmocka_unit_test(what_grows_beyond_a_path_is_skipped),
		cmocka_unit_test(default_folders_are_those_of_the_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
