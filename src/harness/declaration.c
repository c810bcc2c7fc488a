// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/declaration.h"

#include <stdlib.h>
#include <string.h>

static void text_list_deinit(struct text_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->at[i]);
	free(list->at);
	*list = (struct text_list){ 0 };
}

void declared_test_deinit(struct declared_test *test)
{
	struct text_list *lists[] = {
		&test->scheduler.argv,	      &test->scheduler.files, &test->scheduler.sysctls,
		&test->scheduler.kernel_args, &test->files,	      &test->kconfig,
		&test->declared_checks,
	};

	free(test->name);
	free(test->file);
	free(test->description);
	free(test->scheduler.name);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		text_list_deinit(lists[i]);
	for (size_t i = 0; i < test->cgroups.n; i++) {
		free(test->cgroups.at[i].name);
		free(test->cgroups.at[i].work);
	}
	vec_deinit(&test->cgroups);
	*test = (struct declared_test){ 0 };
}

void declared_suite_deinit(struct declared_suite *suite)
{
	for (size_t i = 0; i < suite->tests.n; i++)
		declared_test_deinit(&suite->tests.at[i]);
	vec_deinit(&suite->tests);
	free(suite->path);
	free(suite->name);
	*suite = (struct declared_suite){ 0 };
}

const char *declared_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
