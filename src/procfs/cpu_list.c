// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/cpu_list.h"

static bool cpu_parse(struct slice text, uint32_t *ret)
{
	uint64_t value;

	if (!slice_u64(slice_trim(text), &value) || value > UINT32_MAX)
		return false;
	*ret = (uint32_t)value;
	return true;
}

static bool range_add(struct slice item, struct procfs_cpu_ids *into)
{
	struct slice first_text, last_text = item;
	uint32_t first, last;

	slice_take_until(&last_text, '-', &first_text);
	if (!cpu_parse(first_text, &first))
		return false;
	last = first;
	if (first_text.n < item.n && !cpu_parse(last_text, &last))
		return false;
	if (last < first || last - first >= PROCFS_CPU_LIST_RANGE ||
	    into->ids.n + (last - first) >= PROCFS_CPU_LIST_IDS)
		return false;
	for (uint64_t cpu = first; cpu <= last; cpu++)
		vec_push(&into->ids, (uint32_t)cpu);
	return true;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

size_t procfs_ids_sort(uint32_t *ids, size_t n)
{
	size_t kept = 1;

	for (size_t i = 1; i < n; i++)
		kept += ids[i - 1] < ids[i];
	/* The kernel lists most of them in order. */
	if (n == 0 || kept == n)
		return n;
	qsort(ids, n, sizeof(*ids), compare_ids);
	kept = 1;
	for (size_t i = 1; i < n; i++)
		if (ids[kept - 1] != ids[i])
			ids[kept++] = ids[i];
	return kept;
}

bool procfs_cpu_list_parse(const char *text, size_t n, struct procfs_cpu_ids *ret)
{
	struct slice rest = { text, n }, item;

	vec_clear(&ret->ids);
	while (slice_take_until(&rest, ',', &item)) {
		item = slice_trim(item);
		if (item.n && !range_add(item, ret)) {
			vec_clear(&ret->ids);
			return false;
		}
	}
	ret->ids.n = procfs_ids_sort(ret->ids.at, ret->ids.n);
	return ret->ids.n > 0;
}

void procfs_cpu_ids_deinit(struct procfs_cpu_ids *ids)
{
	vec_deinit(&ids->ids);
}
