// SPDX-License-Identifier: GPL-2.0-or-later
#include "result/new_file.h"

#include "base/io.h"
#include "scratch.h"

static const enum result_new_file_way ways[] = { RESULT_NEW_FILE_UNNAMED, RESULT_NEW_FILE_HARD_LINK,
						 RESULT_NEW_FILE_NO_REPLACE };

static void assert_holds(const char *path, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_success(io_read_file(path, 100, &text));
	assert_string_equal(strbuf_str(&text), expected);
}

static void the_file_appears_whole_and_alone(void **state)
{
	struct scratch *s = *state;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct result_new_file file;
		struct stat st;

		assert_success(result_new_file_init(&file, s->dir, ways[i], "text", 4));
		assert_int_equal(access(s->file, F_OK), -1);
		assert_success(result_new_file_publish(&file, s->file));
		result_new_file_deinit(&file);
		assert_holds(s->file, "text");
		assert_int_equal(count_entries(s->dir), 1);
		assert_int_equal(stat(s->file, &st), 0);
		assert_int_equal(st.st_nlink, 1);
		assert_int_equal(unlink(s->file), 0);
	}
}

static void a_name_that_is_taken_is_not_replaced(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *other = xasprintf("%s/other", s->dir);

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		_cleanup_error_ struct error *err = NULL;
		struct result_new_file first, second;

		assert_success(result_new_file_init(&first, s->dir, ways[i], "first", 5));
		assert_success(result_new_file_init(&second, s->dir, ways[i], "second", 6));
		assert_success(result_new_file_publish(&first, s->file));
		err = result_new_file_publish(&second, s->file);
		assert_non_null(err);
		assert_int_equal(error_errno(err), EEXIST);
		assert_holds(s->file, "first");
		/* It can still have another. */
		assert_success(result_new_file_publish(&second, other));
		assert_holds(other, "second");
		result_new_file_deinit(&first);
		result_new_file_deinit(&second);
		assert_int_equal(count_entries(s->dir), 2);
		assert_int_equal(unlink(s->file), 0);
		assert_int_equal(unlink(other), 0);
	}
}

static void what_is_not_published_leaves_nothing(void **state)
{
	struct scratch *s = *state;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct result_new_file file;

		assert_success(result_new_file_init(&file, s->dir, ways[i], "text", 4));
		result_new_file_deinit(&file);
		assert_int_equal(count_entries(s->dir), 0);
	}
}

static void a_file_is_replaced_with_its_mode_kept(void **state)
{
	struct scratch *s = *state;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct result_new_file first, second;
		struct stat st;

		assert_success(result_new_file_init(&first, s->dir, ways[i], "first", 5));
		assert_success(result_new_file_publish(&first, s->file));
		assert_int_equal(chmod(s->file, 0604), 0);
		assert_success(result_new_file_init(&second, s->dir, ways[i], "second", 6));
		assert_holds(s->file, "first");
		assert_success(result_new_file_replace(&second, s->file));
		result_new_file_deinit(&first);
		result_new_file_deinit(&second);
		assert_holds(s->file, "second");
		assert_int_equal(stat(s->file, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0604);
		assert_int_equal(count_entries(s->dir), 1);
		assert_int_equal(unlink(s->file), 0);
	}
}

static void there_must_be_something_to_replace(void **state)
{
	struct scratch *s = *state;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct result_new_file file;

		assert_success(result_new_file_init(&file, s->dir, ways[i], "text", 4));
		assert_error_tag(result_new_file_replace(&file, s->file), "io");
		result_new_file_deinit(&file);
		assert_int_equal(count_entries(s->dir), 0);
	}
}

static void a_missing_folder_is_an_error(void **state)
{
	struct scratch *s = *state;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct result_new_file file;

		assert_error_tag(result_new_file_init(&file, s->file, ways[i], "text", 4), "io");
		result_new_file_deinit(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(the_file_appears_whole_and_alone),
		scratch_test(a_name_that_is_taken_is_not_replaced),
		scratch_test(what_is_not_published_leaves_nothing),
		scratch_test(a_file_is_replaced_with_its_mode_kept),
		scratch_test(there_must_be_something_to_replace),
		scratch_test(a_missing_folder_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
