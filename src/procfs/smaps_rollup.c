// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/smaps_rollup.h"

#include "base/slice.h"

/* "55d0-7fff ---p 00000000 00:00 0 [rollup]" holds a colon, and its key these. */
static bool is_kind(struct slice key)
{
	for (size_t i = 0; i < key.n; i++)
		if (key.at[i] == '-' || slice_is_blank(key.at[i]))
			return false;
	return key.n > 0;
}

static void row_set(struct named_readings *readings, struct named_reading row)
{
	for (size_t i = 0; i < readings->rows.n; i++) {
		if (readings->rows.at[i].name == row.name) {
			readings->rows.at[i].value = row.value;
			return;
		}
	}
	vec_push(&readings->rows, row);
}

bool smaps_rollup_parse(const char *text, size_t n, struct intern *names,
			struct named_readings *ret)
{
	struct slice rest = { text, n }, line, key, value, word;
	struct named_reading row;

	vec_clear(&ret->rows);
	while (ret->rows.n < SMAPS_ROLLUP_ROWS && slice_take_line(&rest, &line)) {
		if (!slice_split_pair(line, &key, &value) || !is_kind(key) ||
		    !slice_take_word(&value, &word) || !slice_u64(word, &row.value))
			continue;
		row.name = intern_add_n(names, key.at, key.n);
		row_set(ret, row);
	}
	ret->known = ret->rows.n > 0;
	return ret->known;
}
