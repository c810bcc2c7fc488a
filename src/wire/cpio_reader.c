// SPDX-License-Identifier: LGPL-2.1-or-later
#include "wire/cpio.h"

#include <string.h>

#include "base/alloc.h"

enum stage {
	IN_HEADER,
	IN_NAME,
	IN_NAME_PADDING,
	IN_TARGET,
	IN_DATA,
	IN_DATA_PADDING,
	AFTER_TRAILER,
	FAILED,
};

struct wire_cpio_reader {
	struct wire_cpio_events events;
	void *context;
	enum stage stage;
	uint64_t left;	 /* bytes this stage still takes */
	uint64_t offset; /* in the archive, for messages and padding */
	uint32_t entries;
	uint64_t file_bytes;
	uint32_t name_bytes;
	struct wire_cpio_entry entry;
	char header[WIRE_CPIO_HEADER_BYTES];
	char name[WIRE_LIMIT_CPIO_NAME_BYTES];
	char target[WIRE_LIMIT_CPIO_NAME_BYTES];
};

struct wire_cpio_reader *wire_cpio_reader_new(const struct wire_cpio_events *events, void *context)
{
	struct wire_cpio_reader *r = xnew(struct wire_cpio_reader);

	r->events = *events;
	r->context = context;
	r->left = WIRE_CPIO_HEADER_BYTES;
	return r;
}

void wire_cpio_reader_free(struct wire_cpio_reader *r)
{
	free(r);
}

uint64_t wire_cpio_reader_file_bytes(const struct wire_cpio_reader *r)
{
	return r->file_bytes;
}

static bool take_field(const char *at, uint32_t *ret)
{
	uint32_t value = 0;

	for (int i = 0; i < 8; i++) {
		char c = at[i];
		unsigned int digit;

		if (c >= '0' && c <= '9')
			digit = (unsigned int)(c - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned int)(c - 'a') + 10;
		else if (c >= 'A' && c <= 'F')
			digit = (unsigned int)(c - 'A') + 10;
		else
			return false;
		value = value << 4 | digit;
	}
	*ret = value;
	return true;
}

enum field {
	FIELD_INO,
	FIELD_MODE,
	FIELD_UID,
	FIELD_GID,
	FIELD_LINKS,
	FIELD_MTIME,
	FIELD_SIZE,
	FIELD_DEV_MAJOR,
	FIELD_DEV_MINOR,
	FIELD_RDEV_MAJOR,
	FIELD_RDEV_MINOR,
	FIELD_NAME_BYTES,
	FIELD_CHECK,
	N_FIELDS,
};

static struct error *header_complete(struct wire_cpio_reader *r)
{
	uint32_t fields[N_FIELDS];

	if (memcmp(r->header, "070701", 6) != 0)
		return wire_cpio_error(WIRE_CPIO_MAGIC, 0, "not an entry of a newc archive");
	for (int i = 0; i < N_FIELDS; i++) {
		if (!take_field(r->header + 6 + 8 * i, &fields[i]))
			return wire_cpio_error(WIRE_CPIO_HEADER, 0,
					       "header field %d is not a number", i);
	}
	r->name_bytes = fields[FIELD_NAME_BYTES];
	if (r->name_bytes == 0 || r->name_bytes > WIRE_LIMIT_CPIO_NAME_BYTES)
		return wire_cpio_error(WIRE_CPIO_NAME, 0, "a name of %u bytes (1 to %d)",
				       r->name_bytes, WIRE_LIMIT_CPIO_NAME_BYTES);
	r->entry = (struct wire_cpio_entry){
		.name = r->name,
		.mode = fields[FIELD_MODE],
		.uid = fields[FIELD_UID],
		.gid = fields[FIELD_GID],
		.mtime = fields[FIELD_MTIME],
		.size = fields[FIELD_SIZE],
		.device_major = fields[FIELD_RDEV_MAJOR],
		.device_minor = fields[FIELD_RDEV_MINOR],
	};
	/* Of hard links only the last carries the bytes; taken alone the first would be empty. */
	if (S_ISREG(r->entry.mode) && fields[FIELD_LINKS] > 1 && r->entry.size == 0)
		return wire_cpio_error(WIRE_CPIO_TYPE, 0, "a hard link among %u",
				       fields[FIELD_LINKS]);
	r->stage = IN_NAME;
	r->left = r->name_bytes;
	return NULL;
}

static struct error *check_entry(struct wire_cpio_reader *r)
{
	const struct wire_cpio_entry *e = &r->entry;

	if (++r->entries > WIRE_LIMIT_CPIO_ENTRIES)
		return wire_cpio_error(WIRE_CPIO_LIMIT, 0, "more than %u entries",
				       WIRE_LIMIT_CPIO_ENTRIES);
	if (e->mode & ~(uint32_t)(S_IFMT | 07777))
		return wire_cpio_error(WIRE_CPIO_TYPE, 0, "%s: mode %o", e->name, e->mode);
	if (S_ISREG(e->mode)) {
		r->file_bytes += e->size;
		return NULL;
	}
	if (S_ISLNK(e->mode)) {
		if (e->size == 0 || e->size >= WIRE_LIMIT_CPIO_NAME_BYTES)
			return wire_cpio_error(WIRE_CPIO_TARGET, 0,
					       "%s: a target of %u bytes (1 to %d)", e->name,
					       e->size, WIRE_LIMIT_CPIO_NAME_BYTES - 1);
		return NULL;
	}
	if (!S_ISDIR(e->mode) && !S_ISCHR(e->mode) && !S_ISBLK(e->mode) && !S_ISFIFO(e->mode))
		return wire_cpio_error(WIRE_CPIO_TYPE, 0, "%s: mode %o", e->name, e->mode);
	if (e->size)
		return wire_cpio_error(WIRE_CPIO_SIZE, 0,
				       "%s: %u bytes in an entry that is not a file", e->name,
				       e->size);
	return NULL;
}

static struct error *name_complete(struct wire_cpio_reader *r)
{
	struct error *err;

	if (memchr(r->name, 0, r->name_bytes) != r->name + r->name_bytes - 1)
		return wire_cpio_error(WIRE_CPIO_NAME, 0,
				       "a name does not end where its header says");
	if (strcmp(r->name, WIRE_CPIO_TRAILER) == 0) {
		if (r->entry.size)
			return wire_cpio_error(WIRE_CPIO_SIZE, 0, "%u bytes in the trailer",
					       r->entry.size);
	} else {
		err = wire_cpio_check_name(r->name);
		if (!err)
			err = check_entry(r);
		if (err)
			return err;
	}
	r->stage = IN_NAME_PADDING;
	r->left = -(uint64_t)(WIRE_CPIO_HEADER_BYTES + r->name_bytes) & 3;
	return NULL;
}

static struct error *begin(struct wire_cpio_reader *r)
{
	return r->events.begin ? r->events.begin(r->context, &r->entry) : NULL;
}

static struct error *name_padding_complete(struct wire_cpio_reader *r)
{
	if (strcmp(r->name, WIRE_CPIO_TRAILER) == 0) {
		r->stage = AFTER_TRAILER;
		r->left = UINT64_MAX;
		return NULL;
	}
	r->stage = S_ISLNK(r->entry.mode) ? IN_TARGET : IN_DATA;
	r->left = r->entry.size;
	return r->stage == IN_DATA ? begin(r) : NULL;
}

static struct error *target_complete(struct wire_cpio_reader *r)
{
	if (memchr(r->target, 0, r->entry.size))
		return wire_cpio_error(WIRE_CPIO_TARGET, 0, "%s: a target with a zero byte",
				       r->name);
	r->target[r->entry.size] = 0;
	r->entry.target = r->target;
	r->stage = IN_DATA_PADDING;
	r->left = -(uint64_t)r->entry.size & 3;
	return begin(r);
}

static struct error *data_padding_complete(struct wire_cpio_reader *r)
{
	r->stage = IN_HEADER;
	r->left = WIRE_CPIO_HEADER_BYTES;
	return r->events.end ? r->events.end(r->context) : NULL;
}

/* The stage has all its bytes: what comes next. */
static struct error *advance(struct wire_cpio_reader *r)
{
	switch (r->stage) {
	case IN_HEADER:
		return header_complete(r);
	case IN_NAME:
		return name_complete(r);
	case IN_NAME_PADDING:
		return name_padding_complete(r);
	case IN_TARGET:
		return target_complete(r);
	case IN_DATA:
		r->stage = IN_DATA_PADDING;
		r->left = -(uint64_t)r->entry.size & 3;
		return NULL;
	case IN_DATA_PADDING:
		return data_padding_complete(r);
	default:
		return NULL;
	}
}

/* At most r->left bytes, at least one. */
static struct error *take(struct wire_cpio_reader *r, const char *bytes, size_t n)
{
	switch (r->stage) {
	case IN_HEADER:
		memcpy(r->header + WIRE_CPIO_HEADER_BYTES - r->left, bytes, n);
		return NULL;
	case IN_NAME:
		memcpy(r->name + r->name_bytes - r->left, bytes, n);
		return NULL;
	case IN_TARGET:
		memcpy(r->target + r->entry.size - r->left, bytes, n);
		return NULL;
	case IN_DATA:
		return r->events.data ? r->events.data(r->context, bytes, n) : NULL;
	default:
		for (size_t i = 0; i < n; i++) {
			if (bytes[i])
				return wire_cpio_error(WIRE_CPIO_PADDING, 0,
						       "byte 0x%02x among zeros",
						       (unsigned char)bytes[i]);
		}
		return NULL;
	}
}

static struct error *feed(struct wire_cpio_reader *r, const char *at, size_t n)
{
	struct error *err = NULL;

	while (n && !err) {
		size_t part = n < r->left ? n : (size_t)r->left;

		err = take(r, at, part);
		at += part;
		n -= part;
		r->offset += part;
		r->left -= r->stage == AFTER_TRAILER ? 0 : part;
		/* Stages may be of no length at all: an empty file, no padding. */
		while (!err && r->left == 0)
			err = advance(r);
	}
	return err;
}

struct error *wire_cpio_reader_feed(struct wire_cpio_reader *r, const void *bytes, size_t n)
{
	struct error *err;

	if (r->stage == FAILED)
		return wire_cpio_error(WIRE_CPIO_TRUNCATED, 0,
				       "the archive was given up at byte %llu",
				       (unsigned long long)r->offset);
	err = feed(r, bytes, n);
	if (!err)
		return NULL;
	r->stage = FAILED;
	return error_wrap(err, "cpio archive, near byte %llu", (unsigned long long)r->offset);
}

struct error *wire_cpio_reader_finish(struct wire_cpio_reader *r)
{
	if (r->stage == AFTER_TRAILER)
		return NULL;
	return wire_cpio_error(WIRE_CPIO_TRUNCATED, 0,
			       "the archive ends at byte %llu, after %u entries, without a trailer",
			       (unsigned long long)r->offset, r->entries);
}
