// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/walk/parts.h"

#include <fcntl.h>

#include "fake_proc.h"

static int read_list(const char *root, size_t limit, struct ctprof_id_list *ret)
{
	_cleanup_close_ int folder = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(folder >= 0);
	return ctprof_id_list_read(folder, limit, ret);
}

static void only_positive_numbers_are_listed_and_in_order(void **state UNUSED)
{
	static const char *const names[] = { "/20/x", "/3/x",  "/100/x",	"/self/x",
					     "/0/x",  "/-1/x", "/2147483648/x", "/7a/x" };
	char *root = staged_root_new();
	struct ctprof_id_list list = { VEC_INIT };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		fake_text(root, names[i], "");
	assert_int_equal(read_list(root, 100, &list), 0);
	assert_int_equal(list.ids.n, 3);
	assert_int_equal(list.ids.at[0], 3);
	assert_int_equal(list.ids.at[1], 20);
	assert_int_equal(list.ids.at[2], 100);
	assert_int_equal(read_list(root, 2, &list), E2BIG);
	ctprof_id_list_deinit(&list);
	staged_root_free(root);
}

static void more_entries_than_fit_into_one_answer(void **state UNUSED)
{
	enum { N = 1500 };
	char *root = staged_root_new();
	struct ctprof_id_list list = { VEC_INIT };

	for (int i = 1; i <= N; i++) {
		_cleanup_free_ char *path = xasprintf("%s/%d", root, i);

		close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	}
	assert_int_equal(read_list(root, N, &list), 0);
	assert_int_equal(list.ids.n, N);
	for (int i = 0; i < N; i++)
		assert_int_equal(list.ids.at[i], i + 1);
	ctprof_id_list_deinit(&list);
	staged_root_free(root);
}

static void what_is_no_folder_cannot_be_listed(void **state UNUSED)
{
	struct ctprof_id_list list = { VEC_INIT };
	_cleanup_close_ int file = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_int_equal(ctprof_id_list_read(file, 10, &list), ENOTDIR);
	assert_int_equal(ctprof_id_list_read(-1, 10, &list), EBADF);
	ctprof_id_list_deinit(&list);
}

static void a_number_given_twice_stands_once(void **state UNUSED)
{
	struct ctprof_id_list list = { VEC_INIT };

	ctprof_id_list_sort(&list);
	vec_push(&list.ids, 9);
	vec_push(&list.ids, 4);
	vec_push(&list.ids, 9);
	ctprof_id_list_sort(&list);
	assert_int_equal(list.ids.n, 2);
	assert_int_equal(list.ids.at[0], 4);
	vec_push(&list.ids, 9);
	ctprof_id_list_sort(&list);
	assert_int_equal(list.ids.n, 2);
	ctprof_id_list_deinit(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_positive_numbers_are_listed_and_in_order),
		cmocka_unit_test(more_entries_than_fit_into_one_answer),
		cmocka_unit_test(what_is_no_folder_cannot_be_listed),
		cmocka_unit_test(a_number_given_twice_stands_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
