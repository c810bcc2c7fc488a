// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/layout.h"

#include <string.h>

#define LAYOUT(version_, tls_bytes_, tsd_bytes_, tsd_offset_, allocated_, next_event_, \
	       deallocated_, state_, origin_)                                          \
	{                                                                              \
		.version = version_,                                                   \
		.tls_bytes = tls_bytes_,                                               \
		.tsd_bytes = tsd_bytes_,                                               \
		.tsd_offset = tsd_offset_,                                             \
		.allocated = allocated_,                                               \
		.next_event = next_event_,                                             \
		.deallocated = deallocated_,                                           \
		.state = state_,                                                       \
		.origin = origin_,                                                     \
	},

const struct layout layouts[] = {
#include "probe/layouts.def"
};

const size_t n_layouts = ARRAY_SIZE(layouts);

/* jemalloc 5: tsd_state_nominal 0 … tsd_state_uninitialized 6. */
enum { LAST_TSD_STATE = 6 };

const struct layout *layout_find(const struct jemalloc_signs *signs, uint64_t tls_bytes)
{
	for (size_t i = 0; i < n_layouts; i++) {
		const struct layout *row = &layouts[i];

		if (strcmp(row->version, signs->version) != 0)
			continue;
		if (signs->has_symbol) {
			if (row->tsd_bytes && row->tsd_bytes == signs->symbol_bytes)
				return row;
		} else if (row->tls_bytes == tls_bytes) {
			return row;
		}
	}
	return NULL;
}

int64_t layout_shift(const struct layout *layout, const struct jemalloc_signs *signs)
{
	return signs->has_symbol ? (int64_t)(signs->symbol_offset - layout->tsd_offset) : 0;
}

bool layout_sample_fits(const struct layout_sample *sample)
{
	if (sample->state > LAST_TSD_STATE)
		return false;
	return sample->next_event == 0 || sample->next_event >= sample->allocated;
}

bool layout_samples_fit(const struct layout_sample *first, const struct layout_sample *second)
{
	return layout_sample_fits(second) && second->allocated >= first->allocated &&
	       second->deallocated >= first->deallocated;
}
