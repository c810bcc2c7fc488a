// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/tsd_image.h"

#include <string.h>

enum {
	ALIGNMENT = 8,
	/* 5.3: the state's word, two counters and their next events. */
	WORDS_AFTER_STATE_BYTES = 5 * 8,
	/* 5.2: the state's word, counters and more, then the cache, all zero until it is used. */
	CACHE_AFTER_STATE_BYTES = 0x30,
};

static bool is_zero(struct bytes image, size_t begin, size_t n)
{
	if (begin > image.n || n > image.n - begin)
		return false;
	for (size_t i = 0; i < n; i++)
		if (image.at[begin + i])
			return false;
	return true;
}

static bool is_unused_cache(struct bytes image, size_t begin)
{
	for (size_t i = 0; i < TSD_RTREE_PAIRS; i++) {
		uint64_t pair[2];

		memcpy(pair, image.at + begin + i * sizeof(pair), sizeof(pair));
		if (pair[0] != TSD_RTREE_NO_KEY || pair[1])
			return false;
	}
	return true;
}

size_t tsd_image_find(struct bytes image, struct tsd_place *ret, size_t max)
{
	size_t found = 0;

	for (size_t at = 0; at < image.n; at += ALIGNMENT) {
		bool before;

		if (image.at[at] != TSD_STATE_UNINITIALIZED ||
		    !is_zero(image, at + 1, WORDS_AFTER_STATE_BYTES - 1))
			continue;
		before = at >= TSD_RTREE_BYTES && is_unused_cache(image, at - TSD_RTREE_BYTES);
		if (!before &&
		    !is_zero(image, at + 1, CACHE_AFTER_STATE_BYTES + TSD_RTREE_BYTES - 1))
			continue;
		if (found < max)
			ret[found] = (struct tsd_place){ at, before };
		found++;
	}
	return found;
}
