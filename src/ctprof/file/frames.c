// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/load.h"

#include <inttypes.h>
#include <unistd.h>

#define MAGIC	       UINT32_C(0xfd2fb528)
#define SKIPPABLE      UINT32_C(0x184d2a50)
#define SKIPPABLE_MASK UINT32_C(0xfffffff0)

enum {
	MAGIC_BYTES = 4,
	SKIPPABLE_HEADER_BYTES = 8,
	BLOCK_HEADER_BYTES = 3,
	CHECKSUM_BYTES = 4,
	BLOCK_RLE = 1,
	BLOCK_RESERVED = 3,
};

/* Reads n <= 8 bytes as a little-endian number; false at the end of the file. */
static struct error *read_number(int fd, const char *label, uint64_t offset, size_t n,
				 uint64_t *ret, bool *ret_there)
{
	uint8_t bytes[8];
	uint64_t number = 0;
	ssize_t got = pread(fd, bytes, n, (off_t)offset);

	if (got < 0)
		return base_error(BASE_IO, errno, "read %s", label);
	*ret_there = (size_t)got == n;
	for (size_t i = 0; i < (size_t)got; i++)
		number |= (uint64_t)bytes[i] << (8 * i);
	*ret = number;
	return NULL;
}

/* What the descriptor byte says about the rest of the header. */
static uint64_t header_bytes(uint8_t descriptor)
{
	static const uint8_t dictionary[] = { 0, 1, 2, 4 };
	static const uint8_t content[] = { 0, 2, 4, 8 };
	bool single_segment = descriptor >> 5 & 1;
	uint64_t size = content[descriptor >> 6];

	if (single_segment && size == 0)
		size = 1;
	return MAGIC_BYTES + 1 + !single_segment + dictionary[descriptor & 3] + size;
}

/* From the first block to the end of the frame; *ret_state is not touched when that is whole. */
static struct error *walk_blocks(int fd, const char *label, uint64_t at, uint64_t file_bytes,
				 bool checksum, uint64_t *ret_end,
				 enum ctprof_frame_state *ret_state)
{
	bool last = false, there;

	while (!last) {
		struct error *err;
		uint64_t block;

		err = read_number(fd, label, at, BLOCK_HEADER_BYTES, &block, &there);
		if (err)
			return err;
		if (!there) {
			*ret_state = CTPROF_FRAME_TORN;
			return NULL;
		}
		last = block & 1;
		if ((block >> 1 & 3) == BLOCK_RESERVED) {
			*ret_state = CTPROF_FRAME_NONE;
			return NULL;
		}
		at += BLOCK_HEADER_BYTES + ((block >> 1 & 3) == BLOCK_RLE ? 1 : block >> 3);
	}
	at += checksum ? CHECKSUM_BYTES : 0;
	if (at > file_bytes)
		*ret_state = CTPROF_FRAME_TORN;
	*ret_end = at;
	return NULL;
}

/* Whether the few bytes at the end of a file could be the beginning of a frame. */
static enum ctprof_frame_state state_of_beginning(uint64_t bytes, uint64_t n)
{
	uint64_t mask = n ? (UINT64_C(1) << (8 * n)) - 1 : 0;

	if ((bytes & mask) == (MAGIC & mask))
		return CTPROF_FRAME_TORN;
	mask &= SKIPPABLE_MASK;
	return (bytes & mask) == (SKIPPABLE & mask) ? CTPROF_FRAME_TORN : CTPROF_FRAME_NONE;
}

struct error *ctprof_frame_find(int fd, const char *label, uint64_t offset, uint64_t file_bytes,
				struct ctprof_frame_extent *ret)
{
	struct ctprof_frame_extent extent = { .state = CTPROF_FRAME_WHOLE };
	uint64_t left = file_bytes - offset, head, end = offset;
	struct error *err;
	bool there;

	err = read_number(fd, label, offset, left < MAGIC_BYTES ? left : MAGIC_BYTES, &head,
			  &there);
	if (err)
		return err;
	if (left < MAGIC_BYTES) {
		*ret = (struct ctprof_frame_extent){ .state = state_of_beginning(head, left) };
		return NULL;
	}
	if ((head & SKIPPABLE_MASK) == SKIPPABLE) {
		err = read_number(fd, label, offset + MAGIC_BYTES, 4, &head, &there);
		if (err)
			return err;
		end = offset + SKIPPABLE_HEADER_BYTES + head;
		extent.state = there && end <= file_bytes ? CTPROF_FRAME_SKIPPABLE
							  : CTPROF_FRAME_TORN;
	} else if (head == MAGIC) {
		err = read_number(fd, label, offset + MAGIC_BYTES, 1, &head, &there);
		if (err)
			return err;
		if (there)
			err = walk_blocks(fd, label, offset + header_bytes((uint8_t)head),
					  file_bytes, head >> 2 & 1, &end, &extent.state);
		else
			extent.state = CTPROF_FRAME_TORN;
		if (err)
			return err;
	} else {
		extent.state = CTPROF_FRAME_NONE;
	}
	extent.size = end - offset;
	*ret = extent;
	return NULL;
}

struct error *ctprof_frames_count(int fd, const char *label, uint64_t file_bytes, uint64_t wanted,
				  struct ctprof_frames_found *ret)
{
	struct ctprof_frames_found found = { 0 };
	uint64_t offset = 0;

	while (offset < file_bytes) {
		struct ctprof_frame_extent extent;
		struct error *err = ctprof_frame_find(fd, label, offset, file_bytes, &extent);

		if (err)
			return err;
		if (extent.state == CTPROF_FRAME_NONE && offset == 0)
			return base_error(BASE_PARSE, 0,
					  "%s is not a ctprof snapshot: no zstd frame at byte 0",
					  label);
		if (extent.state == CTPROF_FRAME_NONE)
			return base_error(BASE_PARSE, 0, "%s: no zstd frame at byte %" PRIu64,
					  label, offset);
		if (extent.state == CTPROF_FRAME_TORN) {
			found.torn_bytes = file_bytes - offset;
			break;
		}
		if (extent.state == CTPROF_FRAME_WHOLE && ++found.whole == wanted) {
			found.offset = offset;
			found.bytes = extent.size;
		}
		if (found.whole > CTPROF_LIMIT_FRAMES)
			return base_error(BASE_LIMIT, 0, "%s has more than %d frames", label,
					  CTPROF_LIMIT_FRAMES);
		offset += extent.size;
	}
	*ret = found;
	return NULL;
}
