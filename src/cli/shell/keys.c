// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

size_t keys_filter(struct keys *keys, char *bytes, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n && !keys->end; i++) {
		if (keys->escaped) {
			keys->escaped = false;
			if (bytes[i] == KEYS_ESCAPE)
				bytes[kept++] = KEYS_ESCAPE;
			/* Who is still holding Ctrl down means the same. */
			keys->end = bytes[i] == 'x' || bytes[i] == 'X' || bytes[i] == ('x' & 0x1f);
		} else if (bytes[i] == KEYS_ESCAPE) {
			keys->escaped = true;
		} else {
			bytes[kept++] = bytes[i];
		}
	}
	return kept;
}
