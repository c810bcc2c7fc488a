// SPDX-License-Identifier: LGPL-2.1-or-later
#include "wire/cpio.h"

#include <string.h>

DEFINE_ERROR_DOMAIN(wire_cpio, WIRE_CPIO, WIRE_CPIO_ERRORS);

void wire_cpio_writer_init(struct wire_cpio_writer *w, wire_cpio_sink *sink, void *context)
{
	*w = (struct wire_cpio_writer){ .sink = sink, .context = context };
}

struct error *wire_cpio_strbuf_sink(void *context, const void *bytes, size_t n)
{
	strbuf_append_bytes(context, bytes, n);
	return NULL;
}

struct error *wire_cpio_check_name(const char *name)
{
	size_t n = strlen(name);

	if (n == 0)
		return wire_cpio_error(WIRE_CPIO_NAME, 0, "the name is empty");
	if (n >= WIRE_LIMIT_CPIO_NAME_BYTES)
		return wire_cpio_error(WIRE_CPIO_NAME, 0, "a name of %zu bytes (at most %d)", n,
				       WIRE_LIMIT_CPIO_NAME_BYTES - 1);
	if (name[0] == '/')
		return wire_cpio_error(WIRE_CPIO_NAME, 0, "%s: the name is absolute", name);
	if (strcmp(name, WIRE_CPIO_TRAILER) == 0)
		return wire_cpio_error(WIRE_CPIO_NAME, 0, "%s: the name ends an archive", name);
	for (const char *part = name; *part;) {
		size_t length = strcspn(part, "/");

		if (length == 2 && part[0] == '.' && part[1] == '.')
			return wire_cpio_error(WIRE_CPIO_NAME, 0, "%s: '..' in a name", name);
		part += length;
		part += strspn(part, "/");
	}
	return NULL;
}

static struct error *put(struct wire_cpio_writer *w, const void *bytes, size_t n)
{
	struct error *err;

	if (n == 0)
		return NULL;
	err = w->sink(w->context, bytes, n);
	if (!err)
		w->written += n;
	return err;
}

static struct error *pad(struct wire_cpio_writer *w, size_t to)
{
	static const char zeros[WIRE_CPIO_BLOCK_BYTES];

	return put(w, zeros, (size_t)(-w->written) & (to - 1));
}

static struct error *put_header(struct wire_cpio_writer *w, const struct wire_cpio_entry *entry,
				uint32_t inode, uint32_t links)
{
	char header[WIRE_CPIO_HEADER_BYTES + 1];
	size_t name_bytes = strlen(entry->name) + 1;
	struct error *err;

	/* ino mode uid gid nlink mtime size dev(2) rdev(2) namesize check */
	(void)snprintf(header, sizeof(header),
		       "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", inode,
		       entry->mode, entry->uid, entry->gid, links, entry->mtime, entry->size, 0, 0,
		       entry->device_major, entry->device_minor, (unsigned int)name_bytes, 0);
	err = put(w, header, WIRE_CPIO_HEADER_BYTES);
	if (!err)
		err = put(w, entry->name, name_bytes);
	return err ? err : pad(w, 4);
}

static bool carries_bytes(uint32_t mode)
{
	return S_ISREG(mode) || S_ISLNK(mode);
}

static bool is_carried(uint32_t mode)
{
	return carries_bytes(mode) || S_ISDIR(mode) || S_ISCHR(mode) || S_ISBLK(mode) ||
	       S_ISFIFO(mode);
}

struct error *wire_cpio_begin(struct wire_cpio_writer *w, const struct wire_cpio_entry *entry)
{
	struct error *err;

	if (w->open)
		return wire_cpio_error(WIRE_CPIO_SIZE, 0, "%s: the entry before it is still open",
				       entry->name);
	err = wire_cpio_check_name(entry->name);
	if (err)
		return err;
	if (!is_carried(entry->mode))
		return wire_cpio_error(WIRE_CPIO_TYPE, 0, "%s: mode %o", entry->name, entry->mode);
	if (entry->size && !carries_bytes(entry->mode))
		return wire_cpio_error(WIRE_CPIO_SIZE, 0,
				       "%s: %u bytes in an entry that is not a file", entry->name,
				       entry->size);
	err = put_header(w, entry, ++w->entries, S_ISDIR(entry->mode) ? 2 : 1);
	if (err)
		return err;
	w->owed = entry->size;
	w->open = true;
	return NULL;
}

struct error *wire_cpio_data(struct wire_cpio_writer *w, const void *bytes, size_t n)
{
	struct error *err;

	if (!w->open || n > w->owed)
		return wire_cpio_error(WIRE_CPIO_SIZE, 0,
				       "%zu bytes where the entry has room for %u", n,
				       w->open ? w->owed : 0);
	err = put(w, bytes, n);
	if (!err)
		w->owed -= (uint32_t)n;
	return err;
}

struct error *wire_cpio_end(struct wire_cpio_writer *w)
{
	if (!w->open || w->owed)
		return wire_cpio_error(WIRE_CPIO_SIZE, 0, "%u bytes of the entry are missing",
				       w->owed);
	w->open = false;
	return pad(w, 4);
}

struct error *wire_cpio_write(struct wire_cpio_writer *w, const struct wire_cpio_entry *entry,
			      const void *bytes, size_t n)
{
	struct wire_cpio_entry sized = *entry;
	struct error *err;

	if (n > WIRE_LIMIT_CPIO_FILE_BYTES)
		return wire_cpio_error(WIRE_CPIO_LIMIT, 0, "%s: %zu bytes (at most %u)",
				       entry->name, n, WIRE_LIMIT_CPIO_FILE_BYTES);
	sized.size = (uint32_t)n;
	err = wire_cpio_begin(w, &sized);
	if (!err)
		err = wire_cpio_data(w, bytes, n);
	return err ? err : wire_cpio_end(w);
}

struct error *wire_cpio_write_link(struct wire_cpio_writer *w, const char *name, const char *target)
{
	struct wire_cpio_entry entry = { .name = name, .mode = S_IFLNK | 0777 };
	size_t n = strlen(target);

	if (n == 0 || n >= WIRE_LIMIT_CPIO_NAME_BYTES)
		return wire_cpio_error(WIRE_CPIO_TARGET, 0, "%s: a target of %zu bytes (1 to %d)",
				       name, n, WIRE_LIMIT_CPIO_NAME_BYTES - 1);
	return wire_cpio_write(w, &entry, target, n);
}

struct error *wire_cpio_write_trailer(struct wire_cpio_writer *w)
{
	struct wire_cpio_entry trailer = { .name = WIRE_CPIO_TRAILER };
	struct error *err;

	if (w->open)
		return wire_cpio_error(WIRE_CPIO_SIZE, 0, "the last entry is still open");
	err = put_header(w, &trailer, 0, 1);
	return err ? err : pad(w, WIRE_CPIO_BLOCK_BYTES);
}
