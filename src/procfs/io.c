// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/io.h"

#include "base/slice.h"

static const char *const io_keys[] = {
#define PROC_IO_ROW_(id, key) [PROC_IO_##id] = key,
	PROC_IO_FIELDS(PROC_IO_ROW_)
#undef PROC_IO_ROW_
};

bool proc_io_parse(const char *text, size_t n, struct proc_fields *ret)
{
	struct slice rest = { text, n }, line, key, value;
	uint64_t number;

	ret->known = 0;
	while (slice_take_line(&rest, &line)) {
		if (!slice_split_pair(line, &key, &value))
			continue;
		for (unsigned int i = 0; i < ARRAY_SIZE(io_keys); i++) {
			if (!slice_equal(key, io_keys[i]))
				continue;
			if (slice_u64(value, &number))
				proc_fields_set(ret, i, number);
			else
				proc_fields_forget(ret, i);
			break;
		}
	}
	return ret->known != 0;
}
