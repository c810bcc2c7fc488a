// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/walk/parts.h"

#include <dirent.h>
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/slice.h"

/* opendir() would take 32 KiB from the heap for every process. */
enum { ENTRIES_BYTES = 32 << 10 };

static int compare_ids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

void ctprof_id_list_sort(struct ctprof_id_list *list)
{
	size_t kept = 1;

	for (size_t i = 1; i < list->ids.n; i++)
		kept += list->ids.at[i - 1] < list->ids.at[i];
	/* The kernel lists most folders in order. */
	if (list->ids.n == 0 || kept == list->ids.n)
		return;
	qsort(list->ids.at, list->ids.n, sizeof(*list->ids.at), compare_ids);
	kept = 1;
	for (size_t i = 1; i < list->ids.n; i++)
		if (list->ids.at[kept - 1] != list->ids.at[i])
			list->ids.at[kept++] = list->ids.at[i];
	list->ids.n = kept;
}

static int take_entries(const char *at, const char *end, size_t limit, struct ctprof_id_list *into)
{
	while (at < end) {
		const struct dirent64 *entry = (const void *)at;
		struct slice name = { entry->d_name, strlen(entry->d_name) };
		uint64_t id;

		at += entry->d_reclen;
		if (!slice_u64(name, &id) || id == 0 || id > INT32_MAX)
			continue;
		if (into->ids.n >= limit)
			return E2BIG;
		vec_push(&into->ids, (pid_t)id);
	}
	return 0;
}

int ctprof_id_list_read(int folder, size_t limit, struct ctprof_id_list *ret)
{
	_Alignas(struct dirent64) char entries[ENTRIES_BYTES];
	long n;

	vec_clear(&ret->ids);
	while ((n = syscall(SYS_getdents64, folder, entries, sizeof(entries))) > 0) {
		int errnum = take_entries(entries, entries + n, limit, ret);

		if (errnum)
			return errnum;
	}
	if (n < 0)
		return errno;
	ctprof_id_list_sort(ret);
	return 0;
}

void ctprof_id_list_deinit(struct ctprof_id_list *list)
{
	vec_deinit(&list->ids);
}
