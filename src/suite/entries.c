// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/declared.h"

#include <string.h>

/* Weak: a program without tests has no such section, and shall be able to say so. */
extern const struct ktstr_entry *const __start_ktstr_entries[] __attribute__((weak));
extern const struct ktstr_entry *const __stop_ktstr_entries[] __attribute__((weak));

static int compare(const void *a, const void *b)
{
	const struct ktstr_entry *left = *(const struct ktstr_entry *const *)a;
	const struct ktstr_entry *right = *(const struct ktstr_entry *const *)b;
	int order = strcmp(left->name, right->name);

	if (order == 0)
		order = strcmp(left->file, right->file);
	return order ? order : left->line - right->line;
}

void suite_entries_collect(const struct ktstr_entry *const *first,
			   const struct ktstr_entry *const *end, struct suite_entry_list *ret)
{
	struct suite_entry_list list = { 0 };

	for (; first < end; first++)
		if (*first)
			vec_push(&list.rows, *first);
	if (list.rows.n)
		qsort(list.rows.at, list.rows.n, sizeof(*list.rows.at), compare);
	*ret = list;
}

void suite_entries_of_program(struct suite_entry_list *ret)
{
	suite_entries_collect(__start_ktstr_entries, __stop_ktstr_entries, ret);
}

void suite_entry_list_deinit(struct suite_entry_list *list)
{
	vec_deinit(&list->rows);
}

const struct ktstr_entry *suite_entries_find(const struct suite_entry_list *list, const char *name)
{
	for (size_t i = 0; i < list->rows.n; i++)
		if (strcmp(list->rows.at[i]->name, name) == 0)
			return list->rows.at[i];
	return NULL;
}
