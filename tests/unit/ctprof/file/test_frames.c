// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/file/load.h"

#include <stdlib.h>

#include "files.h"

/* Bytes in a file that has no name. */
static int file_of(const void *bytes, size_t n)
{
	FILE *file = tmpfile();
	int fd = dup(fileno(file));

	fclose(file);
	assert_int_equal(write(fd, bytes, n), n);
	return fd;
}

/* Text that no compressor can make small, so that there are blocks of every sort. */
static char *text_of(size_t n)
{
	char *text = xcalloc(1, n);

	srand(5);
	for (size_t i = 0; i < n; i++)
		text[i] = (char)(i < n / 2 ? rand() : 'a');
	return text;
}

static size_t pack(const char *text, size_t n, bool checksum, char *into, size_t size)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	ZSTD_inBuffer in = { text, n, 0 };
	ZSTD_outBuffer out = { into, size, 0 };

	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, checksum);
	/* In two steps: the size of the content is then not in the header. */
	in.size = n / 2;
	assert_false(ZSTD_isError(ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_flush)));
	in.size = n;
	assert_int_equal(ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_end), 0);
	ZSTD_freeCCtx(zstd);
	return out.pos;
}

static void a_frame_ends_where_libzstd_says(void **state UNUSED)
{
	static const size_t sizes[] = { 0, 1, 100, 300, 70000, 1 << 20 };

	for (size_t i = 0; i < 2 * ARRAY_SIZE(sizes); i++) {
		size_t n = sizes[i / 2], bound = ZSTD_compressBound(n) + 1000;
		_cleanup_free_ char *text = text_of(n + 1), *packed = xcalloc(1, bound);
		/* Once as a stream, once whole with its size in the header. */
		size_t bytes = i % 2 ? pack(text, n, i % 4 == 1, packed, bound)
				     : ZSTD_compress(packed, bound, text, n, 1);
		_cleanup_close_ int fd = -1;
		struct ctprof_frame_extent extent;

		memset(packed + bytes, 0xff, 10);
		fd = file_of(packed, bytes + 10);
		assert_int_equal(ZSTD_findFrameCompressedSize(packed, bytes), bytes);
		assert_success(ctprof_frame_find(fd, "test", 0, bytes + 10, &extent));
		assert_int_equal(extent.state, CTPROF_FRAME_WHOLE);
		assert_int_equal(extent.size, bytes);
	}
}

static void a_frame_cut_at_any_byte_is_incomplete(void **state UNUSED)
{
	_cleanup_free_ char *text = text_of(3000), *packed = xcalloc(1, 10000);
	size_t n = pack(text, 3000, true, packed, 10000), second;

	second = pack(text, 10, true, packed + n, 10000 - n);
	for (size_t cut = 0; cut <= n + second; cut++) {
		_cleanup_close_ int fd = file_of(packed, cut);
		struct ctprof_frames_found found;

		assert_success(ctprof_frames_count(fd, "test", cut, 1, &found));
		assert_int_equal(found.whole, cut < n ? 0 : cut < n + second ? 1 : 2);
		assert_int_equal(found.torn_bytes, cut < n ? cut : cut == n + second ? 0 : cut - n);
		if (cut >= n)
			assert_int_equal(found.bytes, n);
	}
}

static void skippable_frames_are_skipped(void **state UNUSED)
{
	char bytes[200] = { 0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c' };
	size_t n = 11, frame = pack("x", 1, true, bytes + n, 100);
	_cleanup_close_ int fd = file_of(bytes, n + frame);
	struct ctprof_frames_found found;

	assert_success(ctprof_frames_count(fd, "test", n + frame, 1, &found));
	assert_int_equal(found.whole, 1);
	assert_int_equal(found.offset, n);
	/* Cut inside of it. */
	assert_success(ctprof_frames_count(fd, "test", 10, 1, &found));
	assert_int_equal(found.whole, 0);
	assert_int_equal(found.torn_bytes, 10);
}

static void bytes_that_are_not_a_zstd_frame_are_refused(void **state UNUSED)
{
	static const char *const wrong[] = { "{\"threads\":[]}", "x", "\x28\xb5\x2f\xfe zzz" };
	/* A block of the reserved kind. */
	static const char reserved[] = { 0x28, (char)0xb5, 0x2f, (char)0xfd, 0, 0, 7, 0, 0 };
	struct ctprof_frames_found found;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		_cleanup_close_ int fd = file_of(wrong[i], strlen(wrong[i]));

		assert_error_tag(ctprof_frames_count(fd, "test", strlen(wrong[i]), 1, &found),
				 "parse");
	}
	{
		_cleanup_close_ int fd = file_of(reserved, sizeof(reserved));

		assert_error_tag(ctprof_frames_count(fd, "test", sizeof(reserved), 1, &found),
				 "parse");
	}
}

static void an_unreadable_file_is_an_error(void **state UNUSED)
{
	struct ctprof_frames_found found;

	assert_error_tag(ctprof_frames_count(-1, "test", 10, 1, &found), "io");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_ends_where_libzstd_says),
		cmocka_unit_test(a_frame_cut_at_any_byte_is_incomplete),
		cmocka_unit_test(skippable_frames_are_skipped),
		cmocka_unit_test(bytes_that_are_not_a_zstd_frame_are_refused),
		cmocka_unit_test(an_unreadable_file_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
