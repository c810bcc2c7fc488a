// SPDX-License-Identifier: GPL-2.0-or-later
#include "suite/payload.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "unit.h"

#define assert_explained(program, path, needle)                       \
	do {                                                          \
		_cleanup_strbuf_ struct strbuf text_ = STRBUF_INIT;   \
		suite_payload_missing_explain(program, path, &text_); \
		assert_contains(strbuf_str(&text_), needle);          \
	} while (0)

static void a_program_that_is_nowhere_belongs_into_files(void **state UNUSED)
{
	assert_explained("no-such-program", "/bin:/usr/bin",
			 "there is no program no-such-program here: name it in .files");
	assert_explained("/no/such/program", "/bin", "there is no program /no/such/program");
	assert_explained("no-such-program", NULL, "there is no program no-such-program");
	assert_explained("no-such-program", "", "there is no program no-such-program");
}

static void a_script_is_told_by_its_interpreter(void **state UNUSED)
{
	static const struct {
		const char *text, *needle;
	} rows[] = {
		{ "#!/no/such/interpreter\necho hi\n", "its interpreter /no/such/interpreter is" },
		{ "#! \t/no/python3 -u\n", "its interpreter /no/python3 is" },
		{ "#!/no/where", "its interpreter /no/where is" },
		{ "#!/bin/sh\r\necho hi\r\n", "first line ends with a carriage return" },
		{ "\177ELF and so on", "the loader it asks for is not" },
		{ "", "the loader it asks for is not" },
		{ "#", "the loader it asks for is not" },
	};
	char folder[] = "/tmp/ktstr-test-missing-XXXXXX";
	_cleanup_free_ char *file = NULL, *path = NULL;

	assert_non_null(mkdtemp(folder));
	file = xasprintf("%s/tool", folder);
	path = xasprintf("/no/where:%s:/bin", folder);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_success(io_replace_file(file, rows[i].text, strlen(rows[i].text)));
		assert_explained(file, NULL, rows[i].needle);
		assert_explained("tool", path, rows[i].needle);
		assert_explained("tool", path, file);
	}
	unlink(file);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_that_is_nowhere_belongs_into_files),
		cmocka_unit_test(a_script_is_told_by_its_interpreter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
