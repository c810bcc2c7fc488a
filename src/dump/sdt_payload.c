// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/sdt.h"

#include <stdio.h>
#include <string.h>

/* The most telling first. */
static const struct {
	const char *text;
	bool whole;
} patterns[] = {
	{ "task_ctx", true }, { "_arena_ctx", false }, { "_task_ctx", false }, { "_ctx", false }
};

struct hits {
	uint32_t n, last;
};

static bool fits(const char *name, size_t pattern)
{
	size_t n = strlen(name), end = strlen(patterns[pattern].text);

	return n >= end && strcmp(name + n - end, patterns[pattern].text) == 0 &&
	       (n == end || !patterns[pattern].whole);
}

struct dump_sdt_payload dump_sdt_payload_choose(const struct btf *btf, uint64_t size)
{
	struct dump_sdt_payload choice = { 0 };
	struct hits all = { 0 }, named[ARRAY_SIZE(patterns)] = { 0 };
	struct btf_type type = { 0 };

	if (size == 0) {
		snprintf(choice.reason, sizeof(choice.reason), "payload_size == 0");
		return choice;
	}
	while (btf_next(btf, BTF_STRUCT, "", type.id, &type)) {
		if (type.size_or_type != size || !type.name[0])
			continue;
		all = (struct hits){ all.n + 1, type.id };
		for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
			if (fits(type.name, i))
				named[i] = (struct hits){ named[i].n + 1, type.id };
		}
	}
	if (all.n == 1) {
		choice.type = all.last;
		choice.guess = "size";
	}
	for (size_t i = 0; !choice.type && i < ARRAY_SIZE(patterns); i++) {
		if (named[i].n != 1)
			continue;
		choice.type = named[i].last;
		choice.guess = "size and name";
	}
	if (!choice.type && all.n == 0)
		snprintf(choice.reason, sizeof(choice.reason), "no candidate of size %llu",
			 (unsigned long long)size);
	else if (!choice.type)
		snprintf(choice.reason, sizeof(choice.reason), "ambiguous: %u candidates", all.n);
	return choice;
}
