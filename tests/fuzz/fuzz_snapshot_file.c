// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/ctprof/file/frames.c src/ctprof/file/read.c */
/*
 * Any bytes as a file of snapshots. Where libzstd finds a whole frame we find the same one, and
 * what loads is one of those that were counted.
 */
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "ctprof/file/file.h"
#include "ctprof/file/load.h"
#include "fuzz.h"
#include "fuzz_json.h"

enum { MEMORY_BYTES = 4 << 20 };

/* libzstd may know formats from before the standard, which we do not. */
static bool is_standard(const uint8_t *data, size_t n)
{
	static const uint8_t magic[] = { 0x28, 0xb5, 0x2f, 0xfd },
			     skippable[] = { 0x2a, 0x4d, 0x18 };

	return n >= 4 && (memcmp(data, magic, 4) == 0 ||
			  (data[0] >> 4 == 5 && memcmp(data + 1, skippable, 3) == 0));
}

static void must_find_what_libzstd_finds(int fd, const uint8_t *data, size_t n)
{
	size_t at = 0;

	while (at < n) {
		size_t size = ZSTD_findFrameCompressedSize(data + at, n - at);
		struct ctprof_frame_extent extent;

		FUZZ_MUST(!ctprof_frame_find(fd, "memory", at, n, &extent));
		if (extent.state == CTPROF_FRAME_WHOLE || extent.state == CTPROF_FRAME_SKIPPABLE)
			FUZZ_MUST(extent.size > 0 && extent.size <= n - at);
		if (ZSTD_isError(size) || !is_standard(data + at, n - at))
			return;
		FUZZ_MUST(extent.state == CTPROF_FRAME_WHOLE ||
			  extent.state == CTPROF_FRAME_SKIPPABLE);
		FUZZ_MUST(extent.size == size);
		at += size;
	}
}

static void load(int fd, const struct ctprof_frames_found *found, uint64_t number)
{
	const struct ctprof_snapshot_load_options options = { .memory_bytes = MEMORY_BYTES };
	_cleanup_ctprof_snapshot_origin_ struct ctprof_snapshot_origin origin = { 0 };
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };
	_cleanup_error_ struct error *err = NULL;
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d@%d", fd, (int)number);
	err = ctprof_snapshot_load(name, &options, &s, &origin);
	if (number > found->whole)
		FUZZ_MUST(err);
	if (err)
		return;
	FUZZ_MUST(origin.frame == number && origin.frames == found->whole);
	FUZZ_MUST(origin.torn_bytes == found->torn_bytes);
}

/* Through a pipe, which cannot seek; it holds little, so only small files go this way. */
static void load_from_pipe(const uint8_t *data, size_t n)
{
	const struct ctprof_snapshot_load_options options = { .memory_bytes = 1 << 10 };
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };
	_cleanup_error_ struct error *err = NULL;
	char name[64];
	int fds[2];

	FUZZ_MUST(pipe(fds) == 0);
	FUZZ_MUST(write(fds[1], data, n) == (ssize_t)n);
	close(fds[1]);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fds[0]);
	err = ctprof_snapshot_load(name, &options, &s, NULL);
	FUZZ_MUST(err || s.threads.n == 0);
	close(fds[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_close_ int fd = memfd_create("fuzz", MFD_CLOEXEC);
	_cleanup_error_ struct error *err = NULL;
	struct ctprof_frames_found found;

	FUZZ_MUST(fd >= 0 && (n == 0 || write(fd, data, n) == (ssize_t)n));
	must_find_what_libzstd_finds(fd, data, n);
	err = ctprof_frames_count(fd, "memory", n, 1, &found);
	if (err)
		return 0;
	fuzz_mark_deep();
	FUZZ_MUST(found.torn_bytes <= n && found.offset + found.bytes + found.torn_bytes <= n);
	for (uint64_t i = 0; i <= found.whole + 1 && i < 5; i++)
		load(fd, &found, i);
	if (n < 2000)
		load_from_pipe(data, n);
	return 0;
}
