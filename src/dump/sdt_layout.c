// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/sdt.h"

#include <stdio.h>
#include <string.h>

struct wanted {
	const char *member;
	uint64_t bytes; /* 0: any */
	uint64_t *offset;
};

static struct error *place_of(const struct btf *btf, const struct btf_type *type,
			      const struct wanted *wanted)
{
	struct btf_place place;
	struct error *err = btf_path(btf, type->id, wanted->member, &place);

	if (err)
		return err;
	if (place.bits || (wanted->bytes && place.size != wanted->bytes))
		return btf_error(BTF_NO_MEMBER, 0, "struct %s: %s has %llu bytes, not %llu",
				 type->name, wanted->member, (unsigned long long)place.size,
				 (unsigned long long)wanted->bytes);
	*wanted->offset = place.offset;
	return NULL;
}

static struct error *places_of(const struct btf *btf, const char *name, const struct wanted *wanted,
			       size_t n, uint64_t *ret_size)
{
	struct btf_type type;
	struct error *err = btf_require(btf, name, &type);

	for (size_t i = 0; !err && i < n; i++)
		err = place_of(btf, &type, &wanted[i]);
	if (!err && ret_size)
		*ret_size = type.size_or_type;
	return err;
}

static struct error *not_found(const char *name)
{
	return btf_error(BTF_NOT_FOUND, 0, "there is no struct %s", name);
}

/* Both arms of its union begin at the same place: one name is enough. */
static struct error *chunk_of(const struct btf *btf, uint64_t *ret)
{
	const uint64_t bytes = 8 * DUMP_SDT_CHUNK_ENTRIES;
	struct error *err, *also;
	struct btf_type type;

	switch (btf_find_body(btf, BTF_STRUCT, "sdt_chunk", &type)) {
	case BTF_BODY_NONE:
		return not_found("sdt_chunk");
	case BTF_BODY_FORWARD:
		*ret = 0;
		return NULL;
	case BTF_BODY_FULL:
		break;
	}
	err = place_of(btf, &type, &(struct wanted){ "descs", bytes, ret });
	if (!err)
		return NULL;
	also = place_of(btf, &type, &(struct wanted){ "data", bytes, ret });
	error_free(also ? also : err);
	return also ? err : NULL;
}

static struct error *header_of(const struct btf *btf, uint64_t *ret)
{
	struct btf_type type;

	switch (btf_find_body(btf, BTF_STRUCT, "sdt_data", &type)) {
	case BTF_BODY_NONE:
		return not_found("sdt_data");
	case BTF_BODY_FORWARD:
		*ret = DUMP_SDT_ID_BYTES;
		return NULL;
	case BTF_BODY_FULL:
		break;
	}
	if (type.size_or_type < DUMP_SDT_ID_BYTES)
		return btf_error(BTF_NO_MEMBER, 0,
				 "struct sdt_data has %u bytes, no room for an id",
				 type.size_or_type);
	*ret = type.size_or_type;
	return NULL;
}

struct error *dump_sdt_layout_of(const struct btf *btf, struct dump_sdt_layout *ret)
{
	struct dump_sdt_layout at = { 0 };
	const struct wanted allocator[] = {
		{ "pool", 0, &at.allocator_pool },
		{ "root", 8, &at.allocator_root },
	};
	const struct wanted pool[] = { { "elem_size", 8, &at.pool_elem_size } };
	const struct wanted desc[] = {
		{ "allocated", 8 * DUMP_SDT_BITMAP_WORDS, &at.desc_allocated },
		{ "nr_free", 8, &at.desc_nr_free },
		{ "chunk", 8, &at.desc_chunk },
	};
	struct error *err = places_of(btf, "struct scx_allocator", allocator, ARRAY_SIZE(allocator),
				      &at.allocator_size);

	if (!err)
		err = places_of(btf, "struct sdt_pool", pool, ARRAY_SIZE(pool), NULL);
	if (!err)
		err = places_of(btf, "struct sdt_desc", desc, ARRAY_SIZE(desc), NULL);
	if (!err)
		err = chunk_of(btf, &at.chunk_union);
	if (!err)
		err = header_of(btf, &at.data_header_size);
	if (err)
		return err;
	*ret = at;
	return NULL;
}

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
