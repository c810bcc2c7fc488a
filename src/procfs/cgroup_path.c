// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/cgroup_path.h"

bool cgroup_path_parse(const char *text, size_t n, struct slice *ret)
{
	static const char v2[] = "0::";
	const size_t v2_n = sizeof(v2) - 1;
	struct slice rest = { text, n }, line;

	while (slice_take_line(&rest, &line)) {
		struct slice path;

		if (line.n < v2_n || memcmp(line.at, v2, v2_n) != 0)
			continue;
		path = slice_trim((struct slice){ line.at + v2_n, line.n - v2_n });
		if (path.n) {
			*ret = path;
			return true;
		}
	}
	return false;
}
