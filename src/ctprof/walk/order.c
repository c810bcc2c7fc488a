// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/walk/thread.h"

#include <string.h>

struct place {
	uint64_t key;
	size_t from;
};

void ctprof_walk_append(struct ctprof_snapshot *snapshot, struct ctprof_sample_list *list)
{
	size_t n = snapshot->threads.n, more = list->samples.n;

	if (snapshot->threads.capacity == 0) {
		snapshot->threads.at = list->samples.at;
		snapshot->threads.n = list->samples.n;
		snapshot->threads.capacity = list->samples.capacity;
		*list = (struct ctprof_sample_list){ 0 };
		return;
	}
	if (more) {
		if (n + more > snapshot->threads.capacity) {
			snapshot->threads.at = xreallocarray(snapshot->threads.at, n + more,
							     sizeof(*snapshot->threads.at));
			snapshot->threads.capacity = n + more;
		}
		memcpy(snapshot->threads.at + n, list->samples.at,
		       more * sizeof(*snapshot->threads.at));
		snapshot->threads.n = n + more;
	}
	vec_deinit(&list->samples);
}

static uint64_t key_of(const struct metric_thread_sample *sample)
{
	return (uint64_t)sample->tgid << 32 | sample->tid;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

/* In place: each cycle of the permutation is followed once, with one sample set aside. */
static void permute(struct metric_thread_sample *samples, struct place *places, size_t n)
{
	struct metric_thread_sample aside;

	for (size_t start = 0; start < n; start++) {
		size_t to = start;

		if (places[start].from == start)
			continue;
		aside = samples[start];
		while (places[to].from != start) {
			size_t from = places[to].from;

			samples[to] = samples[from];
			places[to].from = to;
			to = from;
		}
		samples[to] = aside;
		places[to].from = to;
	}
}

void ctprof_walk_sort(struct metric_thread_sample *samples, size_t n)
{
	_cleanup_free_ struct place *places = NULL;
	size_t in_order = 1;

	while (in_order < n && key_of(&samples[in_order - 1]) < key_of(&samples[in_order]))
		in_order++;
	if (in_order >= n)
		return;
	places = xcalloc(n, sizeof(*places));
	for (size_t i = 0; i < n; i++)
		places[i] = (struct place){ key_of(&samples[i]), i };
	qsort(places, n, sizeof(*places), compare_places);
	permute(samples, places, n);
}

size_t ctprof_walk_unique(struct metric_thread_sample *samples, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept && key_of(&samples[kept - 1]) == key_of(&samples[i]))
			kept--;
		if (kept != i)
			samples[kept] = samples[i];
		kept++;
	}
	return kept;
}
