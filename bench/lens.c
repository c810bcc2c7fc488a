// SPDX-License-Identifier: GPL-2.0-or-later
#include "lens.h"

#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/vec.h"

/* What the kernel takes at once (UIO_MAXIOV). */
enum { BATCH = 1024 };

enum piece_kind { PIECE_READ, PIECE_MAPPED, PIECE_PROCESS };

/* Part of a place that lies in one piece of physical memory and in one segment. */
struct piece {
	enum piece_kind kind;
	size_t place;
	size_t into; /* the buffer */
	size_t n;
	uint64_t physical;
	const uint8_t *mapped; /* PIECE_MAPPED */
	pid_t pid;	       /* PIECE_PROCESS */
	uint64_t remote;
};

struct place {
	enum kmem_status status;
	bool lost; /* it could not be found; no look changes that */
	size_t into, n;
};

/* A file is mapped from its segment's first byte on, page by page. */
struct window {
	const struct physmap_segment *segment;
	void *at; /* NULL: it is not to be mapped */
	size_t bytes, skip;
};

struct kmem_lens {
	struct kmem_space *space;
	VEC(struct place) places;
	VEC(struct piece) pieces;
	VEC(struct window) windows;
	uint8_t *buffer;
	size_t buffer_n, buffer_capacity;
	/* Pages of files that are no holes: number + 1. What a file has it keeps. */
	uint64_t data_pages[KMEM_CACHED_PAGES];
	struct iovec *local, *remote;
	size_t *of; /* the piece of each of them */
};

struct kmem_lens *kmem_lens_new(struct kmem_space *space)
{
	struct kmem_lens *lens = xnew(struct kmem_lens);

	lens->space = space;
	lens->local = xcalloc(BATCH, sizeof(*lens->local));
	lens->remote = xcalloc(BATCH, sizeof(*lens->remote));
	lens->of = xcalloc(BATCH, sizeof(*lens->of));
	return lens;
}

void kmem_lens_free(struct kmem_lens *lens)
{
	if (!lens)
		return;
	for (size_t i = 0; i < lens->windows.n; i++) {
		if (lens->windows.at[i].at)
			munmap(lens->windows.at[i].at, lens->windows.at[i].bytes);
	}
	vec_deinit(&lens->windows);
	vec_deinit(&lens->places);
	vec_deinit(&lens->pieces);
	free(lens->buffer);
	free(lens->local);
	free(lens->remote);
	free(lens->of);
	free(lens);
}

void kmem_lens_clear(struct kmem_lens *lens)
{
	lens->places.n = lens->pieces.n = lens->buffer_n = 0;
}

/*
 * Only memory without a disk behind it: there a page that cannot be had ends the process that
 * touches it, where a read would tell. Nobody makes the RAM of a guest shorter.
 */
static struct window map_segment(const struct physmap_segment *segment)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct window w = { .segment = segment, .skip = segment->offset % page };
	struct statfs fs;
	off_t size;

	if (fstatfs(segment->fd, &fs) != 0 || fs.f_type != TMPFS_MAGIC)
		return w;
	size = lseek(segment->fd, 0, SEEK_END);
	if (size < 0 || (uint64_t)size < segment->offset + segment->length)
		return w;
	w.bytes = segment->length + w.skip;
	w.at = mmap(NULL, w.bytes, PROT_READ, MAP_SHARED | MAP_NORESERVE, segment->fd,
		    (off_t)(segment->offset - w.skip));
	if (w.at == MAP_FAILED)
		w.at = NULL;
	return w;
}

static const struct window *window_of(struct kmem_lens *lens, const struct physmap_segment *segment)
{
	for (size_t i = 0; i < lens->windows.n; i++) {
		if (lens->windows.at[i].segment == segment)
			return &lens->windows.at[i];
	}
	vec_push(&lens->windows, map_segment(segment));
	return &lens->windows.at[lens->windows.n - 1];
}

static bool is_data(struct kmem_lens *lens, const struct physmap_segment *segment,
		    uint64_t physical)
{
	uint64_t number = physical / KMEM_PAGE_BYTES;
	uint64_t *known = &lens->data_pages[kmem_page_slot(number, KMEM_CACHED_PAGES)];
	off_t offset = (off_t)(segment->offset + (physical - segment->start));

	if (*known == number + 1)
		return true;
	if (lseek(segment->fd, offset, SEEK_DATA) != offset)
		return false;
	*known = number + 1;
	return true;
}

static bool is_all_data(struct kmem_lens *lens, const struct physmap_segment *segment,
			const struct piece *piece)
{
	uint64_t end = piece->physical + piece->n;

	for (uint64_t at = piece->physical; at < end;
	     at += KMEM_PAGE_BYTES - at % KMEM_PAGE_BYTES) {
		if (!is_data(lens, segment, at))
			return false;
	}
	return true;
}

static void place_in_segment(struct kmem_lens *lens, const struct physmap_segment *segment,
			     struct piece *piece)
{
	uint64_t inside = piece->physical - segment->start;
	const struct window *window;

	if (segment->kind == PHYSMAP_PROCESS) {
		piece->kind = PIECE_PROCESS;
		piece->pid = segment->pid;
		piece->remote = segment->offset + inside;
		return;
	}
	window = window_of(lens, segment);
	if (!window->at || !is_all_data(lens, segment, piece))
		return;
	piece->kind = PIECE_MAPPED;
	piece->mapped = (const uint8_t *)window->at + window->skip + inside;
}

/* Up to n bytes at a physical address; how many is returned, at least 1. */
static size_t add_piece(struct kmem_lens *lens, size_t place, uint64_t physical, size_t into,
			size_t n)
{
	const struct kmem_reader *reader = lens->space->pages.reader;
	const struct physmap_segment *segment = NULL;
	struct piece piece = { .place = place, .into = into, .n = n, .physical = physical };

	if (reader->read == kmem_reader_of_physmap(reader->map).read && !reader->touched)
		segment = physmap_find(reader->map, physical);
	if (segment) {
		uint64_t left = segment->start + segment->length - physical;

		if (piece.n > left)
			piece.n = (size_t)left;
		place_in_segment(lens, segment, &piece);
	}
	vec_push(&lens->pieces, piece);
	return piece.n;
}

static enum kmem_status find_pieces(struct kmem_lens *lens, size_t place, uint64_t address,
				    size_t into, size_t n)
{
	while (n) {
		uint64_t physical, left;
		enum kmem_status status = kmem_translate(lens->space, address, &physical, &left);
		size_t here = left < n ? (size_t)left : n;

		if (status != KMEM_READ_OK)
			return status;
		here = add_piece(lens, place, physical, into, here);
		into += here;
		address += here;
		n -= here;
		if (n && address == 0)
			return KMEM_READ_UNMAPPED;
	}
	return KMEM_READ_OK;
}

static void reserve(struct kmem_lens *lens, size_t n)
{
	if (lens->buffer_n + n <= lens->buffer_capacity)
		return;
	lens->buffer_capacity = 2 * (lens->buffer_n + n);
	lens->buffer = xreallocarray(lens->buffer, lens->buffer_capacity, 1);
}

struct error *kmem_lens_add(struct kmem_lens *lens, uint64_t address, size_t n, size_t *ret)
{
	struct place place = { .status = KMEM_READ_UNKNOWN, .into = lens->buffer_n, .n = n };
	size_t before = lens->pieces.n;
	enum kmem_status status;

	if (lens->places.n >= KMEM_LIMIT_LENS_PLACES || n > KMEM_LIMIT_LENS_BYTES ||
	    lens->buffer_n > KMEM_LIMIT_LENS_BYTES - n)
		return base_error(BASE_LIMIT, 0, "%zu bytes more to read, in addition to %zu", n,
				  lens->buffer_n);
	status = find_pieces(lens, lens->places.n, address, place.into, n);
	if (status != KMEM_READ_OK) {
		lens->pieces.n = before;
		place.lost = true;
		place.status = status;
	}
	reserve(lens, n);
	lens->buffer_n += n;
	*ret = lens->places.n;
	vec_push(&lens->places, place);
	return NULL;
}

static void read_piece(struct kmem_lens *lens, const struct piece *piece)
{
	const struct kmem_reader *reader = lens->space->pages.reader;
	enum kmem_status status;

	if (reader->touched)
		reader->touched(reader->context, piece->physical, piece->n);
	status = reader->read(reader, piece->physical, lens->buffer + piece->into, piece->n);
	if (status != KMEM_READ_OK)
		lens->places.at[piece->place].status = status;
}

/* One call; what it did not reach is read piece by piece, which tells why. */
static void read_batch(struct kmem_lens *lens, pid_t pid, size_t n, size_t bytes)
{
	ssize_t got = process_vm_readv(pid, lens->local, n, lens->remote, n, 0);
	size_t left = got > 0 ? (size_t)got : 0;

	if (left == bytes)
		return;
	for (size_t i = 0; i < n; i++) {
		if (left >= lens->local[i].iov_len) {
			left -= lens->local[i].iov_len;
			continue;
		}
		left = 0;
		read_piece(lens, &lens->pieces.at[lens->of[i]]);
	}
}

static void read_processes(struct kmem_lens *lens)
{
	size_t n = 0, bytes = 0;
	pid_t pid = 0;

	for (size_t i = 0; i < lens->pieces.n; i++) {
		const struct piece *piece = &lens->pieces.at[i];

		if (piece->kind != PIECE_PROCESS)
			continue;
		if (n && (n == BATCH || piece->pid != pid)) {
			read_batch(lens, pid, n, bytes);
			n = bytes = 0;
		}
		pid = piece->pid;
		lens->local[n] = (struct iovec){ lens->buffer + piece->into, piece->n };
		lens->remote[n] = (struct iovec){ (void *)(uintptr_t)piece->remote, piece->n };
		lens->of[n++] = i;
		bytes += piece->n;
	}
	if (n)
		read_batch(lens, pid, n, bytes);
}

void kmem_lens_look(struct kmem_lens *lens)
{
	bool processes = false;

	for (size_t i = 0; i < lens->places.n; i++) {
		if (!lens->places.at[i].lost)
			lens->places.at[i].status = KMEM_READ_OK;
	}
	for (size_t i = 0; i < lens->pieces.n; i++) {
		const struct piece *piece = &lens->pieces.at[i];

		if (piece->kind == PIECE_MAPPED)
			memcpy(lens->buffer + piece->into, piece->mapped, piece->n);
		else if (piece->kind == PIECE_READ)
			read_piece(lens, piece);
		else
			processes = true;
	}
	if (processes)
		read_processes(lens);
}

enum kmem_status kmem_lens_at(const struct kmem_lens *lens, size_t i, struct bytes *ret)
{
	const struct place *place = &lens->places.at[i];

	if (place->status == KMEM_READ_OK)
		*ret = (struct bytes){ lens->buffer + place->into, place->n };
	return place->status;
}
