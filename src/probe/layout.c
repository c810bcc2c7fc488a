// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/layout.h"

#include <string.h>

#define LAYOUT(version_, tls_bytes_, state_, rtree_ctx_, allocated_, next_event_, deallocated_, \
	       origin_)                                                                         \
	{                                                                                       \
		.version = version_,                                                            \
		.tls_bytes = tls_bytes_,                                                        \
		.state = state_,                                                                \
		.rtree_ctx = rtree_ctx_,                                                        \
		.allocated = allocated_,                                                        \
		.next_event = next_event_,                                                      \
		.deallocated = deallocated_,                                                    \
		.origin = origin_,                                                              \
	},

const struct probe_layout probe_layouts[] = {
#include "probe/layouts.def"
#include "probe/layouts_observed.def"
};

const size_t probe_n_layouts = ARRAY_SIZE(probe_layouts);

/* jemalloc 5.3: TE_MAX_INTERVAL, the longest way to the next event. */
#define MAX_EVENT_DISTANCE (UINT64_C(4) << 20)
/* Keys of the radix tree's cache: low bits that are zero whatever the size of pages. */
#define KEY_LOW_BITS ((UINT64_C(1) << 21) - 1)
/* User space ends below. */
#define ADDRESS_END (UINT64_C(1) << 56)

const struct probe_layout *probe_layout_find(const char *version)
{
	for (size_t i = 0; i < probe_n_layouts; i++)
		if (strncmp(probe_layouts[i].version, version, strlen(probe_layouts[i].version)) ==
		    0)
			return &probe_layouts[i];
	return NULL;
}

static bool is_within_symbol(const struct probe_jemalloc_signs *signs, uint64_t offset)
{
	return !signs->has_symbol || (offset >= signs->symbol_offset &&
				      offset - signs->symbol_offset < signs->symbol_bytes);
}

size_t probe_layout_shifts(const struct probe_layout *layout,
			   const struct probe_object_facts *facts, int64_t *ret)
{
	bool rtree_is_before = layout->rtree_ctx < layout->state;
	size_t n = 0;

	for (size_t i = 0; i < facts->n_tsd_places; i++) {
		const struct probe_tsd_place *place = &facts->tsd_places[i];

		if (place->rtree_is_before == rtree_is_before &&
		    is_within_symbol(&facts->signs, place->state))
			ret[n++] = (int64_t)(place->state - layout->state);
	}
	return n;
}

/* False when a pair is neither empty nor a key and a pointer. */
static bool check_cache(const struct probe_layout_sample *sample, size_t *ret_used)
{
	size_t used = 0;

	for (size_t i = 0; i < PROBE_TSD_RTREE_PAIRS; i++) {
		uint64_t key = sample->rtree_ctx[2 * i], leaf = sample->rtree_ctx[2 * i + 1];

		if (key == PROBE_TSD_RTREE_NO_KEY && leaf == 0)
			continue;
		if (key == 0 || key & KEY_LOW_BITS || key >= ADDRESS_END || leaf == 0 || leaf % 8 ||
		    leaf >= ADDRESS_END)
			return false;
		used++;
	}
	*ret_used = used;
	return true;
}

static bool is_untouched(const struct probe_layout *layout,
			 const struct probe_layout_sample *sample)
{
	bool has_events = layout->next_event;

	for (size_t i = 0; i < PROBE_TSD_RTREE_PAIRS; i++)
		if (sample->rtree_ctx[2 * i] != (has_events ? PROBE_TSD_RTREE_NO_KEY : 0) ||
		    sample->rtree_ctx[2 * i + 1])
			return false;
	return sample->allocated == 0 && sample->deallocated == 0 &&
	       (!has_events || (sample->next_event == 0 && sample->next_free_event == 0));
}

/* 0 is a thread that must not take the fast path; one that takes it always has an event ahead. */
static bool event_fits(uint64_t counter, uint64_t event, uint8_t state)
{
	if (event == 0)
		return state != 0;
	return event > counter && event - counter <= MAX_EVENT_DISTANCE;
}

enum probe_layout_verdict probe_layout_judge(const struct probe_layout *layout,
					     const struct probe_layout_sample *sample)
{
	size_t used;

	if (sample->state == PROBE_TSD_STATE_UNINITIALIZED)
		return is_untouched(layout, sample) ? PROBE_LAYOUT_FITS : PROBE_LAYOUT_MISFIT;
	if (sample->state > PROBE_TSD_STATE_UNINITIALIZED || !check_cache(sample, &used))
		return PROBE_LAYOUT_MISFIT;
	if (layout->next_event &&
	    (!event_fits(sample->allocated, sample->next_event, sample->state) ||
	     !event_fits(sample->deallocated, sample->next_free_event, sample->state)))
		return PROBE_LAYOUT_MISFIT;
	/* An event ahead proves as much as a key that was looked up. */
	return sample->state <= PROBE_TSD_STATE_LAST_NOMINAL && sample->allocated &&
			       (used || sample->next_event)
		       ? PROBE_LAYOUT_PROVEN
		       : PROBE_LAYOUT_FITS;
}

bool probe_layout_samples_fit(const struct probe_layout_sample *first,
			      const struct probe_layout_sample *second)
{
	return second->allocated >= first->allocated && second->deallocated >= first->deallocated;
}
