// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/small_file.h"

#include <fcntl.h>

#include "staged_root.h"

static void files_that_are_not_there_are_unknown(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_close_ int dir = open(root, O_RDONLY | O_DIRECTORY);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_free_ char *large = xcalloc(1, SMALL_FILE_BYTES + 1);
	_cleanup_intern_ struct intern names;
	struct named_readings got;

	intern_init(&names);
	staged_file(root, "/number", "42\n", 3);
	staged_file(root, "/limit", "max\n", 4);
	staged_file(root, "/text", "  0-3 \n", 7);
	staged_file(root, "/rows", "a 1\n", 4);
	staged_file(root, "/large", large, SMALL_FILE_BYTES + 1);
	assert_true(reading_read(dir, "number").value == 42);
	assert_int_equal(limit_read(dir, "limit").state, LIMIT_NONE);
	assert_string_equal(intern_text(&names, text_read(dir, "text", &names)), "0-3");
	named_readings_read(dir, "rows", &names, &got);
	assert_true(got.known && got.rows.n == 1);
	named_readings_deinit(&got);
	assert_false(reading_read(dir, "absent").known);
	assert_int_equal(limit_read(dir, "absent").state, LIMIT_UNKNOWN);
	assert_int_equal(text_read(dir, "absent", &names), 0);
	named_readings_read(dir, "absent", &names, &got);
	assert_false(got.known);
	assert_true(small_file_read(dir, "number", &text));
	assert_string_equal(strbuf_str(&text), "42\n");
	/* A second read does not add to the first. */
	assert_true(small_file_read(dir, "limit", &text));
	assert_string_equal(strbuf_str(&text), "max\n");
	assert_false(small_file_read(dir, "large", &text));
	staged_root_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_that_are_not_there_are_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
