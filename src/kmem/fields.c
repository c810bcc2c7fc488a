// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/fields.h"

#include "base/alloc.h"
#include "base/hash.h"

enum need { NEEDED, OPTIONAL };

static const struct {
	enum kmem_view view;
	const char *type, *paths;
	enum need need;
} rows[KMEM_N_FIELDS] = {
#define KMEM_FIELD(view_, id, type_, paths_, need_)                                      \
	[KMEM_F_##id] = {                                                                \
		.view = KMEM_VIEW_##view_, .type = type_, .paths = paths_, .need = need_ \
	},
#include "kmem/fields.def"
#undef KMEM_FIELD
};

static const char *const view_words[] = {
#define WORD_(id, word) [KMEM_VIEW_##id] = word,
	KMEM_VIEWS(WORD_)
};

static struct error *find(const struct btf *btf, enum kmem_field_id id, struct btf_place *ret)
{
	struct btf_type type;
	struct error *err;

	/* A missing struct is not a typing error: no suggestion is searched. */
	if (btf_find_body(btf, BTF_STRUCT, rows[id].type, &type) != BTF_BODY_FULL)
		return kmem_error(KMEM_NO_FIELD, 0, "the kernel has no struct %s", rows[id].type);
	if (strcmp(rows[id].paths, "*") != 0)
		return btf_field(btf, rows[id].type, rows[id].paths, ret);
	err = btf_require(btf, rows[id].type, &type);
	if (err)
		return err;
	*ret = (struct btf_place){ .type = type.id, .size = type.size_or_type };
	return NULL;
}

void kmem_fields_init(struct kmem_fields *fields, const struct btf *btf, const char *reason)
{
	*fields = (struct kmem_fields){ 0 };
	for (enum kmem_field_id id = 0; id < KMEM_N_FIELDS; id++) {
		_cleanup_error_ struct error *err = NULL;
		struct kmem_field *field = &fields->at[id];

		if (btf)
			err = find(btf, id, &field->place);
		field->known = btf && !err;
		if (!field->known)
			field->missing = xstrdup(err ? error_message(err) : reason);
	}
}

void kmem_fields_deinit(struct kmem_fields *fields)
{
	for (enum kmem_field_id id = 0; id < KMEM_N_FIELDS; id++)
		free(fields->at[id].missing);
	*fields = (struct kmem_fields){ 0 };
}

uint64_t kmem_fields_version(void)
{
	uint64_t hash = HASH_INIT;

	for (enum kmem_field_id id = 0; id < KMEM_N_FIELDS; id++) {
		hash = hash_bytes(hash, rows[id].type, strlen(rows[id].type) + 1);
		hash = hash_bytes(hash, rows[id].paths, strlen(rows[id].paths) + 1);
	}
	return hash;
}

struct error *kmem_fields_require(const struct kmem_fields *fields, enum kmem_view view)
{
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;

	for (enum kmem_field_id id = 0; id < KMEM_N_FIELDS; id++) {
		if (rows[id].view == view && rows[id].need == NEEDED && !fields->at[id].known)
			strbuf_appendf(&names, "%s%s.%s", names.n ? ", " : "", rows[id].type,
				       rows[id].paths);
	}
	if (!names.n)
		return NULL;
	return kmem_error(KMEM_NO_FIELD, 0, "%s: the kernel's types lack %s", view_words[view],
			  strbuf_str(&names));
}

static uint64_t cut_bits(const struct btf_place *place, uint64_t value)
{
	if (place->bits && place->bits < 64)
		return value >> place->bit_offset & ((UINT64_C(1) << place->bits) - 1);
	return value;
}

enum kmem_status kmem_field_read(const struct kmem_fields *fields, struct kmem_space *space,
				 enum kmem_field_id id, uint64_t base, uint64_t *ret)
{
	const struct btf_place *place = &fields->at[id].place;
	enum kmem_status status;
	uint64_t value;

	if (!fields->at[id].known || place->size == 0 || place->size > 8)
		return KMEM_READ_UNKNOWN;
	status = kmem_read_uint(space, base + place->offset, (unsigned int)place->size, &value);
	if (status != KMEM_READ_OK)
		return status;
	*ret = cut_bits(place, value);
	return KMEM_READ_OK;
}

enum kmem_status kmem_field_read_signed(const struct kmem_fields *fields, struct kmem_space *space,
					enum kmem_field_id id, uint64_t base, int64_t *ret)
{
	const struct btf_place *place = &fields->at[id].place;
	uint64_t value;
	enum kmem_status status = kmem_field_read(fields, space, id, base, &value);
	unsigned int unused;

	if (status != KMEM_READ_OK)
		return status;
	unused = 64 - (place->bits ? place->bits : 8 * (unsigned int)place->size);
	*ret = (int64_t)(value << unused) >> unused;
	return KMEM_READ_OK;
}

enum kmem_status kmem_field_read_text(const struct kmem_fields *fields, struct kmem_space *space,
				      enum kmem_field_id id, uint64_t base, char *buf, size_t size)
{
	const struct btf_place *place = &fields->at[id].place;

	if (!fields->at[id].known || place->size == 0)
		return KMEM_READ_UNKNOWN;
	return kmem_read_text(space, base + place->offset, buf,
			      place->size < size ? place->size + 1 : size);
}
