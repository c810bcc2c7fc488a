// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/thread_stat.h"

#include "base/slice.h"

enum stat_type { TYPE_NONE, TYPE_U64, TYPE_U32, TYPE_I32 };

/* The first field behind the name. */
enum { FIRST_FIELD = 3, LAST_FIELD = 41 };

static const struct {
	uint8_t field;
	uint8_t type;
} stat_fields[LAST_FIELD + 1] = {
#define THREAD_STAT_ROW_(id, number, type_) [number] = { THREAD_STAT_##id, TYPE_##type_ },
	THREAD_STAT_FIELDS(THREAD_STAT_ROW_)
#undef THREAD_STAT_ROW_
};

static bool number_parse(struct slice word, enum stat_type type, uint64_t *ret)
{
	uint64_t value;
	int64_t number;

	if (type == TYPE_I32) {
		if (!slice_i32(word, &number))
			return false;
		*ret = (uint64_t)number;
		return true;
	}
	if (!slice_u64(word, &value) || (type == TYPE_U32 && value > UINT32_MAX))
		return false;
	*ret = value;
	return true;
}

bool thread_stat_parse(const char *text, size_t n, struct proc_fields *ret)
{
	const char *close = n ? memrchr(text, ')', n) : NULL;
	struct slice rest, line, word;
	uint64_t value;

	ret->known = 0;
	if (!close)
		return false;
	/* A newline in the name stands before the bracket, so the line is cut only now. */
	rest = (struct slice){ close + 1, n - (size_t)(close + 1 - text) };
	if (!slice_take_line(&rest, &line))
		return true;
	for (unsigned int number = FIRST_FIELD;
	     number <= LAST_FIELD && slice_take_word(&line, &word); number++) {
		enum stat_type type = stat_fields[number].type;

		if (type != TYPE_NONE && number_parse(word, type, &value))
			proc_fields_set(ret, stat_fields[number].field, value);
	}
	return true;
}

bool thread_schedstat_parse(const char *text, size_t n, struct proc_fields *ret)
{
	struct slice rest = { text, n }, line, word;
	uint64_t value;

	ret->known = 0;
	if (!slice_take_line(&rest, &line))
		return false;
	for (unsigned int i = 0; i < N_THREAD_SCHEDSTAT_FIELDS && slice_take_word(&line, &word);
	     i++)
		if (slice_u64(word, &value))
			proc_fields_set(ret, i, value);
	return ret->known != 0;
}
