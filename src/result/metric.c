// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/metric.h"

#include <string.h>

void polarity_write(struct polarity polarity, struct json_writer *w)
{
	static const char *const words[] = {
		[POLARITY_UNKNOWN] = "Unknown",
		[POLARITY_HIGHER_BETTER] = "HigherBetter",
		[POLARITY_LOWER_BETTER] = "LowerBetter",
	};

	if (polarity.kind != POLARITY_TARGET_VALUE) {
		json_write_string(w, words[polarity.kind]);
		return;
	}
	json_begin_object(w);
	json_add_double(w, "TargetValue", polarity.target);
	json_end_object(w);
}

const struct metric_hint *metric_hint_find(const struct metric_hints *hints, const char *name,
					   size_t n)
{
	for (size_t i = 0; i < hints->n; i++) {
		size_t suffix = strlen(hints->at[i].name_suffix);

		if (suffix <= n && memcmp(name + n - suffix, hints->at[i].name_suffix, suffix) == 0)
			return &hints->at[i];
	}
	return NULL;
}
