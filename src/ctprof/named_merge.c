// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/named_merge.h"

void named_readings_merge(struct named_readings *into, uint32_t name, uint64_t value, size_t hint,
			  uint64_t (*merge)(uint64_t a, uint64_t b))
{
	for (size_t i = 0; i < into->rows.n; i++) {
		struct named_reading *row = &into->rows.at[(i + hint) % into->rows.n];

		if (row->name == name) {
			row->value = merge(row->value, value);
			return;
		}
	}
	vec_push(&into->rows, (struct named_reading){ name, value });
}

uint64_t named_readings_value(const struct named_readings *table, uint32_t name)
{
	for (size_t i = 0; i < table->rows.n; i++) {
		if (table->rows.at[i].name == name)
			return table->rows.at[i].value;
	}
	return 0;
}
