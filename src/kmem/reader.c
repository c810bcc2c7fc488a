// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/reader.h"

#include <unistd.h>

DEFINE_ERROR_DOMAIN(kmem, KMEM, KMEM_ERRORS);

const char *kmem_status_name(enum kmem_status status)
{
	static const char *const words[] = {
		[KMEM_READ_OK] = "ok",
		[KMEM_READ_UNMAPPED] = "unmapped",
		[KMEM_READ_OUTSIDE] = "outside RAM",
		[KMEM_READ_UNREADABLE] = "unreadable",
		[KMEM_READ_TORN] = "torn",
		[KMEM_READ_UNKNOWN] = "unknown",
	};

	return words[status];
}

static enum kmem_status read_physmap(const struct kmem_reader *reader, uint64_t physical, void *buf,
				     size_t n)
{
	switch (physmap_read(reader->map, physical, buf, n, NULL)) {
	case PHYSMAP_READ_OK:
		return KMEM_READ_OK;
	case PHYSMAP_READ_OUTSIDE:
		return KMEM_READ_OUTSIDE;
	default:
		return KMEM_READ_UNREADABLE;
	}
}

/* The data at or after `from` (in the file, below `end`); false: only a hole. */
static bool file_data(int fd, uint64_t from, uint64_t end, uint64_t *ret_start, uint64_t *ret_end)
{
	off_t start = lseek(fd, (off_t)from, SEEK_DATA), hole;

	if (start < 0 && errno == ENXIO)
		return false;
	if (start < 0) {
		/* No such question is answered here: everything may be data. */
		*ret_start = from;
		*ret_end = end;
		return true;
	}
	if ((uint64_t)start < from)
		start = (off_t)from;
	if ((uint64_t)start >= end)
		return false;
	hole = lseek(fd, start, SEEK_HOLE);
	*ret_start = (uint64_t)start;
	/* A guest that runs moves the hole; what is looked at must grow all the same. */
	*ret_end = hole <= start || (uint64_t)hole > end ? end : (uint64_t)hole;
	return true;
}

static bool next_in_physmap(const struct kmem_reader *reader, uint64_t from, uint64_t *ret_start,
			    uint64_t *ret_end)
{
	const struct physmap *map = reader->data_map ? reader->data_map : reader->map;

	for (size_t i = 0; i < map->segments.n; i++) {
		const struct physmap_segment *s = &map->segments.at[i];
		uint64_t into = from > s->start ? from - s->start : 0, start, end;

		if (into >= s->length)
			continue;
		if (s->kind != PHYSMAP_FILE) {
			*ret_start = s->start + into;
			*ret_end = s->start + s->length;
			return true;
		}
		if (file_data(s->fd, s->offset + into, s->offset + s->length, &start, &end)) {
			*ret_start = s->start + (start - s->offset);
			*ret_end = s->start + (end - s->offset);
			return true;
		}
	}
	return false;
}

struct kmem_reader kmem_reader_of_physmap(const struct physmap *map)
{
	return (struct kmem_reader){ .read = read_physmap,
				     .next_data = next_in_physmap,
				     .map = map };
}

struct kmem_reader kmem_reader_of_clone(const struct physmap *map, const struct physmap *files)
{
	struct kmem_reader reader = kmem_reader_of_physmap(map);

	reader.data_map = files;
	return reader;
}

static enum kmem_status read_bytes(const struct kmem_reader *reader, uint64_t physical, void *buf,
				   size_t n)
{
	uint64_t into = physical - reader->buffer_start;

	if (physical < reader->buffer_start || into > reader->buffer.n ||
	    n > reader->buffer.n - into)
		return KMEM_READ_OUTSIDE;
	if (n)
		memcpy(buf, reader->buffer.at + into, n);
	return KMEM_READ_OK;
}

static bool next_in_bytes(const struct kmem_reader *reader, uint64_t from, uint64_t *ret_start,
			  uint64_t *ret_end)
{
	uint64_t end = reader->buffer_start + reader->buffer.n;

	if (from >= end)
		return false;
	*ret_start = from > reader->buffer_start ? from : reader->buffer_start;
	*ret_end = end;
	return true;
}

struct kmem_reader kmem_reader_of_bytes(struct bytes buffer, uint64_t start)
{
	return (struct kmem_reader){ .read = read_bytes,
				     .next_data = next_in_bytes,
				     .buffer = buffer,
				     .buffer_start = start };
}
