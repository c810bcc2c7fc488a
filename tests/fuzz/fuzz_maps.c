// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/procfs/maps.c */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "procfs/task.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct procfs_maps maps = { 0 };
	struct error *err = procfs_maps_parse((const char *)data, n, &maps);

	if (err) {
		/* "line 1 is not a mapping" is the first validation. */
		if (!strstr(error_message(err), "line 1 "))
			fuzz_mark_deep();
		error_free(err);
		return 0;
	}
	fuzz_mark_deep();
	for (size_t i = 0; i < maps.rows.n; i++) {
		const struct procfs_map *map = &maps.rows.at[i];

		if (map->end < map->start || strlen(map->path) > n)
			abort();
	}
	procfs_maps_deinit(&maps);
	return 0;
}
