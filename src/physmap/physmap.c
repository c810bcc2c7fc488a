// SPDX-License-Identifier: LGPL-2.1-or-later
#include "physmap/physmap.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/uio.h>

DEFINE_ERROR_DOMAIN(physmap, PHYSMAP, PHYSMAP_ERRORS);

struct physmap *physmap_new(void)
{
	return xnew(struct physmap);
}

void physmap_free(struct physmap *map)
{
	if (!map)
		return;
	for (size_t i = 0; i < map->files.n; i++)
		close(map->files.at[i]);
	vec_deinit(&map->files);
	vec_deinit(&map->segments);
	free(map);
}

/* How many segments start at or below the address. */
static size_t count_up_to(const struct physmap *map, uint64_t address)
{
	size_t low = 0, high = map->segments.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->segments.at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct error *add(struct physmap *map, const struct physmap_segment *segment)
{
	size_t at = count_up_to(map, segment->start);
	const struct physmap_segment *before = at ? &map->segments.at[at - 1] : NULL;
	const struct physmap_segment *after = at < map->segments.n ? &map->segments.at[at] : NULL;
	uint64_t end, source_end;

	/* The end may be 2^64 nowhere: neither guest nor host has memory there. */
	if (segment->length == 0 || !add_fits_u64(segment->start, segment->length, &end) ||
	    !add_fits_u64(segment->offset, segment->length, &source_end) || source_end > INT64_MAX)
		return physmap_error(PHYSMAP_RANGE, 0, "%#llx bytes at %#llx, backed at %#llx",
				     (unsigned long long)segment->length,
				     (unsigned long long)segment->start,
				     (unsigned long long)segment->offset);
	if ((before && before->start + before->length > segment->start) ||
	    (after && end > after->start))
		return physmap_error(PHYSMAP_OVERLAP, 0, "%#llx bytes at %#llx",
				     (unsigned long long)segment->length,
				     (unsigned long long)segment->start);
	if (map->segments.n == PHYSMAP_LIMIT_SEGMENTS)
		return base_error(BASE_LIMIT, 0, "more than %d segments of physical memory",
				  PHYSMAP_LIMIT_SEGMENTS);
	vec_push(&map->segments, *segment);
	memmove(&map->segments.at[at + 1], &map->segments.at[at],
		(map->segments.n - 1 - at) * sizeof(*segment));
	map->segments.at[at] = *segment;
	return NULL;
}

struct error *physmap_add_fd(struct physmap *map, uint64_t start, uint64_t length, int fd,
			     uint64_t offset)
{
	return add(map, &(struct physmap_segment){ .start = start,
						   .length = length,
						   .kind = PHYSMAP_FILE,
						   .fd = fd,
						   .offset = offset });
}

struct error *physmap_add_file(struct physmap *map, uint64_t start, uint64_t length,
			       const char *path, uint64_t offset)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct error *err;

	if (fd < 0)
		return base_error(BASE_IO, errno, "%s", path);
	err = physmap_add_fd(map, start, length, fd, offset);
	if (err)
		return error_wrap(err, "%s", path);
	vec_push(&map->files, take_fd(fd));
	return NULL;
}

struct error *physmap_add_process(struct physmap *map, uint64_t start, uint64_t length, pid_t pid,
				  uint64_t address)
{
	return add(map, &(struct physmap_segment){ .start = start,
						   .length = length,
						   .kind = PHYSMAP_PROCESS,
						   .fd = -1,
						   .pid = pid,
						   .offset = address });
}

const struct physmap_segment *physmap_find(const struct physmap *map, uint64_t address)
{
	size_t n = count_up_to(map, address);
	const struct physmap_segment *segment = n ? &map->segments.at[n - 1] : NULL;

	return segment && address - segment->start < segment->length ? segment : NULL;
}

/* Some bytes of one segment; -1 with errno, 0 at the end of a file. */
static ssize_t read_some(const struct physmap_segment *segment, uint64_t into, void *buf, size_t n)
{
	if (segment->kind == PHYSMAP_FILE)
		return pread(segment->fd, buf, n, (off_t)(segment->offset + into));

	struct iovec local = { buf, n };
	struct iovec remote = { (void *)(uintptr_t)(segment->offset + into), n };

	return process_vm_readv(segment->pid, &local, 1, &remote, 1, 0);
}

enum physmap_status physmap_read(const struct physmap *map, uint64_t address, void *buf, size_t n,
				 uint64_t *ret_failed)
{
	const struct physmap_segment *segment = NULL;
	char *at = buf;

	while (n) {
		uint64_t into;
		size_t here;
		ssize_t got;

		if (!segment || address - segment->start >= segment->length)
			segment = physmap_find(map, address);
		if (ret_failed)
			*ret_failed = address;
		if (!segment)
			return PHYSMAP_READ_OUTSIDE;
		into = address - segment->start;
		here = segment->length - into < n ? (size_t)(segment->length - into) : n;
		if (here > SSIZE_MAX)
			here = SSIZE_MAX;
		got = read_some(segment, into, at, here);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			if (got == 0)
				errno = 0;
			return PHYSMAP_READ_UNREADABLE;
		}
		at += got;
		n -= (size_t)got;
		/* Wraps only when n is 0 or the rest is outside: no segment reaches 2^64. */
		address += (uint64_t)got;
	}
	return PHYSMAP_READ_OK;
}

struct error *physmap_read_exact(const struct physmap *map, uint64_t address, void *buf, size_t n)
{
	uint64_t failed = address;

	switch (physmap_read(map, address, buf, n, &failed)) {
	case PHYSMAP_READ_OK:
		return NULL;
	case PHYSMAP_READ_OUTSIDE:
		return physmap_error(PHYSMAP_OUTSIDE, 0,
				     "%zu bytes at physical address %#llx: none at %#llx", n,
				     (unsigned long long)address, (unsigned long long)failed);
	default:
		return physmap_error(PHYSMAP_UNREADABLE, errno,
				     "%zu bytes at physical address %#llx: up to %#llx", n,
				     (unsigned long long)address, (unsigned long long)failed);
	}
}

#define FOUR_GIB     (UINT64_C(4) << 30)
#define LEGACY_START UINT64_C(0xa0000)
#define LEGACY_END   UINT64_C(0x100000)
/* Where physical addresses of today's CPUs end. */
#define LIMIT_BYTES (UINT64_C(1) << 52)

/* RAM up to `whole` (exclusive) stays in one piece, more is cut at `cut`: pc_q35.c, pc_piix.c. */
static const struct {
	uint64_t whole, cut;
} holes[] = {
	[PHYSMAP_Q35] = { UINT64_C(0xb0000000), UINT64_C(0x80000000) },
	[PHYSMAP_PC] = { UINT64_C(0xe0000000), UINT64_C(0xc0000000) },
};

void physmap_layout_deinit(struct physmap_layout *layout)
{
	vec_deinit(&layout->ranges);
}

/*
 * One backend's stretch of RAM, [from, from + length) counted from RAM's
 * beginning; guest addresses are these numbers, shifted above the hole.
 */
static void place(struct physmap_layout *layout, uint64_t low_end, unsigned int backend,
		  uint64_t from, uint64_t length)
{
	uint64_t offset = 0;

	while (length) {
		uint64_t at = from + offset, n = length;
		bool high = at >= low_end;

		if (!high && n > low_end - at)
			n = low_end - at;
		if (at < LEGACY_START && n > LEGACY_START - at)
			n = LEGACY_START - at;
		if (at >= LEGACY_START && at < LEGACY_END) {
			if (n > LEGACY_END - at)
				n = LEGACY_END - at;
		} else {
			vec_push(&layout->ranges,
				 (struct physmap_range){ high ? FOUR_GIB + (at - low_end) : at, n,
							 backend, offset });
		}
		offset += n;
		length -= n;
	}
}

struct error *physmap_from_backends(enum physmap_machine machine, const uint64_t *sizes, size_t n,
				    struct physmap_layout *ret)
{
	struct physmap_layout layout = { VEC_INIT };
	uint64_t total = 0, from = 0, low_end;

	if (n == 0 || n > PHYSMAP_LIMIT_BACKENDS)
		return base_error(BASE_LIMIT, 0, "%zu backends of RAM, from 1 to %d are possible",
				  n, PHYSMAP_LIMIT_BACKENDS);
	for (size_t i = 0; i < n; i++) {
		if (sizes[i] == 0 || sizes[i] % 4096 || !add_fits_u64(total, sizes[i], &total) ||
		    total > LIMIT_BYTES)
			return physmap_error(PHYSMAP_RANGE, 0,
					     "RAM backend %zu has an unusable size of %llu bytes",
					     i, (unsigned long long)sizes[i]);
	}
	low_end = total < holes[machine].whole ? total : holes[machine].cut;
	for (size_t i = 0; i < n; i++) {
		place(&layout, low_end, (unsigned int)i, from, sizes[i]);
		from += sizes[i];
	}
	*ret = layout;
	return NULL;
}

static struct error *bind_range(const struct physmap_range *range, const int *fds, pid_t pid,
				const uint64_t *bases, struct physmap *map)
{
	uint64_t offset = range->offset;

	if (bases && !add_fits_u64(bases[range->backend], offset, &offset))
		return physmap_error(PHYSMAP_RANGE, 0, "backend %u of RAM wraps around",
				     range->backend);
	return fds ? physmap_add_fd(map, range->start, range->length, fds[range->backend], offset)
		   : physmap_add_process(map, range->start, range->length, pid, offset);
}

struct error *physmap_layout_bind(const struct physmap_layout *layout, const int *fds, pid_t pid,
				  const uint64_t *bases, struct physmap **ret)
{
	_cleanup_physmap_ struct physmap *map = physmap_new();

	for (size_t i = 0; i < layout->ranges.n; i++) {
		struct error *err = bind_range(&layout->ranges.at[i], fds, pid, bases, map);

		if (err)
			return err;
	}
	*ret = take_ptr(map);
	return NULL;
}
